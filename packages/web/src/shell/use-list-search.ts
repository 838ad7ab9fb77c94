import { useDeferredValue, useMemo } from 'react'
import { useListState } from './use-list-state.ts'

/** From so many items on there is a search: they are more than a glance takes in. */
export const searchFrom = 12

const listSpec = { search: '' } as const

export interface ListSearch<T> {
  /** What is typed, as it stands in the URL. */
  text: string
  change: (text: string) => void
  /** The items that are meant, and what was typed for them: with many items that lags behind `text`. */
  found: readonly T[]
  foundBy: string
  total: number
  /** Whether there is anything to search; what a link searches for can always be seen and taken back. */
  isOffered: boolean
}

/**
 * The search of a list that is narrowed down by nothing else, kept in the URL like all filters: a reload, Back and a
 * link show the same list. `matches` stays the same function.
 */
export function useListSearch<T>(
  items: readonly T[],
  matches: (item: T, search: string) => boolean,
): ListSearch<T> {
  const [{ search: text }, setList] = useListState(listSpec)
  const foundBy = useDeferredValue(text)
  const found = useMemo(
    () => (foundBy === '' ? items : items.filter((item) => matches(item, foundBy))),
    [items, matches, foundBy],
  )
  return {
    text,
    change: (search) => setList({ search }),
    found,
    foundBy,
    total: items.length,
    isOffered: items.length >= searchFrom || (items.length > 0 && text !== ''),
  }
}
