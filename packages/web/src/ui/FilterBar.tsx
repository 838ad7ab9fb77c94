import { Search, X } from 'lucide-react'
import { useRef } from 'react'
import { Button } from './Button.tsx'
import { Select } from './Select.tsx'
import type { SelectOption } from './SelectBox.tsx'

interface FilterBarProps {
  search: { value: string; onChange: (value: string) => void; label: string; placeholder: string }
  filters?: readonly {
    label: string
    value: string
    onChange: (value: string) => void
    options: readonly SelectOption[]
  }[]
  /** Whether there is a search or filter to clear. */
  active: boolean
  onClear: () => void
  clearLabel?: string
  /** `Showing 1 of 3 snapshots`; it is read aloud when it changes. */
  shown?: string | undefined
}

/** The bar above a list: search, selects, the button that clears both, and the number of matches. */
export function FilterBar({
  search,
  filters = [],
  active,
  onClear,
  clearLabel = 'Clear Filters',
  shown,
}: FilterBarProps) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <search className="mb-3.5 flex flex-wrap items-center gap-x-2 gap-y-2 md:gap-x-3">
      <div className="relative w-full md:w-auto md:max-w-105 md:flex-[1_1_16rem]">
        <Search
          size={16}
          strokeWidth={1.6}
          aria-hidden
          className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-ink-3"
        />
        <input
          ref={field}
          type="search"
          aria-label={search.label}
          placeholder={search.placeholder}
          value={search.value}
          onChange={(event) => search.onChange(event.target.value)}
          className="field pl-8.5! [&::-webkit-search-cancel-button]:hidden"
        />
      </div>
      {filters.map(({ label, value, onChange, options }) => (
        <div key={label} className="min-w-32 flex-1 md:max-w-44 md:flex-none md:basis-38">
          <Select label={label} value={value} onValueChange={onChange} options={options} />
        </div>
      ))}
      {active && (
        <Button
          variant="quiet"
          icon={<X size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => {
            onClear()
            // The button disappears with the filters it cleared.
            field.current?.focus()
          }}
        >
          {clearLabel}
        </Button>
      )}
      {shown && (
        <p role="status" className="ml-auto text-hint text-ink-3">
          {shown}
        </p>
      )}
    </search>
  )
}
