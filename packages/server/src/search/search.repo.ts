import { setImmediate } from 'node:timers/promises'
import { foldForSearch, type SearchHit, searchLimit } from '@slipway/contract'
import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** In a pattern of LIKE these stand for themselves. */
const literally = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)

const rowsAtOnce = 500

export type SearchRepo = ReturnType<typeof makeSearchRepo>

export function makeSearchRepo(db: Db) {
  const belongings = (accountId: string) => sql`(
    select 'project' as kind, id, name, id as project_id, name as project_name, null as status
      from project where account_id = ${accountId}
    union all
    select 'vm', vm.id, vm.name, p.id, p.name, vm.status
      from vm join project p on p.id = vm.project_id where p.account_id = ${accountId} and vm.wanted_deleted = 0
    union all
    select 'vm_' || g.kind, g.id, g.name, p.id, p.name, null
      from vm_group g join project p on p.id = g.project_id where p.account_id = ${accountId}
    union all
    select 'disk', d.id, d.name, p.id, p.name, d.status
      from disk d join project p on p.id = d.project_id
      where p.account_id = ${accountId} and d.status <> 'deleting'
    union all
    select 'template', id, name, null, null, null from template
  )`

  /** Of names in plain letters, which databases can fold; as many as are shown. */
  async function plain(accountId: string, text: string, folded: string): Promise<SearchHit[]> {
    const inside = `%${literally(folded)}%`
    const ahead = `${literally(folded)}%`
    const { rows } = await sql<SearchHit>`
      select kind, id, name, project_id, project_name, status from ${belongings(accountId)} as found
      where lower(name) like ${inside} escape '\\' and octet_length(name) = length(name) or id = ${text}
      order by case when lower(name) like ${ahead} escape '\\' then 0 else 1 end, lower(name), id
      limit ${searchLimit}
    `.execute(db)
    return rows
  }

  /**
   * Of all other names, which are folded here: databases differ in what they make of them. In parts, so that nobody
   * waits for a search through thousands.
   */
  async function* others(accountId: string, text: string, folded: string): AsyncGenerator<SearchHit> {
    for (let after = ''; ; ) {
      const { rows } = await sql<SearchHit>`
        select kind, id, name, project_id, project_name, status from ${belongings(accountId)} as found
        where octet_length(name) <> length(name) and id <> ${text} and id > ${after}
        order by id limit ${rowsAtOnce}
      `.execute(db)
      for (const hit of rows) if (foldForSearch(hit.name).includes(folded)) yield hit
      const last = rows.at(-1)
      if (!last || rows.length < rowsAtOnce) return
      after = last.id
      await setImmediate()
    }
  }

  return {
    /** Names that begin with the text first, then by name; letter case and accents aside. */
    async find(accountId: string, text: string): Promise<SearchHit[]> {
      const folded = foldForSearch(text)
      const best = makeBest(folded)
      for (const hit of await plain(accountId, text, folded)) best.offer(hit)
      for await (const hit of others(accountId, text, folded)) best.offer(hit)
      return best.hits()
    },
  }
}

/** Keeps of what it is offered as much as is shown, in the order in which it is shown. */
function makeBest(folded: string) {
  const kept: { hit: SearchHit; key: string }[] = []
  return {
    offer(hit: SearchHit): void {
      const name = foldForSearch(hit.name)
      const key = `${name.startsWith(folded) ? 0 : 1}${name}\n${hit.id}`
      const place = kept.findIndex((other) => key < other.key)
      if (place < 0 && kept.length >= searchLimit) return
      kept.splice(place < 0 ? kept.length : place, 0, { hit, key })
      kept.length = Math.min(kept.length, searchLimit)
    },
    hits: (): SearchHit[] => kept.map(({ hit }) => hit),
  }
}
