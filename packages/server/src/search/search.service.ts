import { foldForSearch, type SearchHit, searchLimit } from '@slipway/contract'
import type { SearchRepo } from './search.repo.ts'

export type SearchService = ReturnType<typeof makeSearchService>

export function makeSearchService(repo: SearchRepo) {
  /** Of names that databases cannot fold. In parts, so that nobody waits for a search through thousands. */
  async function* others(userId: string, folded: string): AsyncGenerator<SearchHit> {
    for (let after = ''; ; ) {
      const part = await repo.others(userId, after)
      for (const hit of part) if (foldForSearch(hit.name).includes(folded)) yield hit
      const last = part.at(-1)
      if (!last) return
      after = last.id
      await new Promise(setImmediate)
    }
  }

  return {
    /**
     * What a user owns or may use that goes by this text, letter case and accents aside: names that begin with it
     * first, then by name. Nothing for no text.
     */
    async find(userId: string, text: string): Promise<SearchHit[]> {
      const folded = foldForSearch(text)
      if (folded === '') return []
      const best = makeBest(folded)
      for (const hit of await repo.plain(userId, text, folded)) best.offer(hit)
      for await (const hit of others(userId, folded)) best.offer(hit)
      return best.hits()
    },
  }
}

/** Keeps of what it is offered as much as is shown, each once, in the order in which it is shown. */
function makeBest(folded: string) {
  const kept: { hit: SearchHit; key: string }[] = []
  return {
    offer(hit: SearchHit): void {
      const name = foldForSearch(hit.name)
      const key = `${name.startsWith(folded) ? 0 : 1}${name}\n${hit.id}`
      if (kept.some((other) => other.key === key)) return
      const place = kept.findIndex((other) => key < other.key)
      if (place < 0 && kept.length >= searchLimit) return
      kept.splice(place < 0 ? kept.length : place, 0, { hit, key })
      kept.length = Math.min(kept.length, searchLimit)
    },
    hits: (): SearchHit[] => kept.map(({ hit }) => hit),
  }
}
