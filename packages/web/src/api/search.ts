import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/**
 * What carries a text in its name. The earlier finds stay until the new ones are there, and answers that come too
 * late are dropped; an empty text finds nothing.
 */
export function useSearch(text: string) {
  return useQuery({
    queryKey: [...keyOf('search.find'), text],
    queryFn: async ({ signal }) => asList(await call('search.find', { query: { q: text }, signal })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
}
