import { FilterBar } from '../ui/FilterBar.tsx'
import type { ListSearch } from './use-list-search.ts'

interface SearchBarProps {
  search: ListSearch<unknown>
  /** `VM pools` */
  plural: string
  /** What is searched: `name or status`. */
  by: string
}

/** The search over a list, where there is much to search. */
export function SearchBar({ search, plural, by }: SearchBarProps) {
  const { text, change, found, total, isOffered } = search
  if (!isOffered) return null
  return (
    <FilterBar
      search={{
        value: text,
        onChange: change,
        label: `Search ${plural}`,
        placeholder: `Search by ${by}`,
      }}
      active={text !== ''}
      onClear={() => change('')}
      shown={`Showing ${found.length} of ${total} ${plural}`}
    />
  )
}

/** In place of the items when a search means none of them. */
export function NoMatch({ search: { foundBy }, noun }: { search: ListSearch<unknown>; noun: string }) {
  return (
    <p className="py-8 text-ink-2 wrap-anywhere">
      No {noun} matches "{foundBy.trim()}".
    </p>
  )
}
