import type { SearchHit } from '@slipway/contract'
import type { SearchRepo } from './search.repo.ts'

export type SearchService = ReturnType<typeof makeSearchService>

export const makeSearchService = (repo: SearchRepo) => ({
  /** What a user owns or may use that goes by this text; nothing for no text. */
  find: async (userId: string, text: string): Promise<SearchHit[]> =>
    text === '' ? [] : repo.find(userId, text),
})
