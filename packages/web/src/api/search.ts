import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/**
 * Objects whose names contain a text. Earlier results stay until the new ones arrive, late responses are dropped, and
 * an empty text finds nothing.
 */
export function useSearch(text: string) {
  return useQuery({
    queryKey: [...keyOf('search.find'), text],
    queryFn: async ({ signal }) => asList(await call('search.find', { query: { q: text }, signal })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
}
