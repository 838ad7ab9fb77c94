import { type SearchHit, searchLimit } from '@slipway/contract'
import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** In a pattern of LIKE these stand for themselves. */
const literally = (text: string) => text.replace(/[\\%_]/g, (sign) => `\\${sign}`)

const rowsAtOnce = 500

export type SearchRepo = ReturnType<typeof makeSearchRepo>

export function makeSearchRepo(db: Db) {
  function belongings(accountId: string) {
    const isIn = sql`p.id in (select project_id from project_member where account_id = ${accountId})`
    return sql`(
    select 'project' as kind, p.id, p.name, p.id as project_id, p.name as project_name, null as status
      from project p where ${isIn}
    union all
    select 'vm', vm.id, vm.name, p.id, p.name, vm.status
      from vm join project p on p.id = vm.project_id where ${isIn} and vm.wanted_deleted = 0
    union all
    select 'vm_' || g.kind, g.id, g.name, p.id, p.name, null
      from vm_group g join project p on p.id = g.project_id where ${isIn} and g.bin_id is null
    union all
    select 'disk', d.id, d.name, p.id, p.name, d.status
      from disk d join project p on p.id = d.project_id
      where ${isIn} and d.status <> 'deleting'
    union all
    select 'template', id, name, null, null, null from template
  )`
  }

  return {
    /**
     * Of names in plain letters, which databases can fold, those that have a folded text in them, and what has the
     * text as its id; as many as are shown, those that begin with it first, then by name.
     */
    async plain(accountId: string, text: string, folded: string): Promise<SearchHit[]> {
      const inside = `%${literally(folded)}%`
      const ahead = `${literally(folded)}%`
      const { rows } = await sql<SearchHit>`
        select kind, id, name, project_id, project_name, status from ${belongings(accountId)} as found
        where lower(name) like ${inside} escape '\\' and octet_length(name) = length(name) or id = ${text}
        order by case when lower(name) like ${ahead} escape '\\' then 0 else 1 end, lower(name), id
        limit ${searchLimit}
      `.execute(db)
      return rows
    },

    /** Everything of another name, which databases fold each in their own way: a part of it, by id after an id. */
    async others(accountId: string, after: string): Promise<SearchHit[]> {
      const { rows } = await sql<SearchHit>`
        select kind, id, name, project_id, project_name, status from ${belongings(accountId)} as found
        where octet_length(name) <> length(name) and id > ${after}
        order by id limit ${rowsAtOnce}
      `.execute(db)
      return rows
    },
  }
}
