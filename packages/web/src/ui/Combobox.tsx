import { Autocomplete as Base } from '@base-ui/react/autocomplete'
import { ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { useFieldProps } from './field-state.ts'
import type { SelectOption } from './SelectBox.tsx'

/** More choices than these are found by typing. */
const shownAtOnce = 50

export interface ComboboxProps {
  text: string
  /** The user typed, which clears the choice. */
  onTextChange: (text: string) => void
  onChoose: (option: SelectOption) => void
  /** The value of the chosen option. When there is one, all options are offered, not only those that match the text. */
  value: string | null
  options: readonly SelectOption[]
  /** Whether an option matches the text, by the texts it shows: `isFoundIn` of the contract. */
  isMeant: (typed: string, ...texts: readonly (string | null)[]) => boolean
  placeholder?: string
  /** Shown when nothing matches. Leave it out where free text is allowed. */
  empty?: string
}

/** A text field with matching choices, for long lists. */
export function Combobox({
  text,
  onTextChange,
  onChoose,
  value,
  options,
  isMeant,
  placeholder,
  empty,
}: ComboboxProps) {
  const field = useFieldProps()
  const [open, setOpen] = useState(false)
  const fits = ({ label, description }: SelectOption, query: string) =>
    value !== null || isMeant(query, label, description ?? null)
  const canOpen = empty !== undefined || options.some((option) => fits(option, text))
  return (
    <Base.Root
      items={options}
      open={open && canOpen}
      onOpenChange={setOpen}
      value={text}
      onValueChange={(next, { reason }) => reason !== 'item-press' && onTextChange(next)}
      itemToStringValue={({ label }) => label}
      filter={fits}
      limit={shownAtOnce}
      openOnInputClick
    >
      <Base.InputGroup className="relative">
        <Base.Input
          {...field}
          className="field pr-9"
          placeholder={placeholder}
          spellCheck={false}
          dir="auto"
        />
        <Base.Trigger
          aria-label="Show choices"
          tabIndex={-1}
          className="absolute inset-y-1 right-1 grid w-8 place-items-center rounded-check text-ink-3 hover:bg-hover hover:text-ink phone:w-9"
        >
          <ChevronsUpDown size={14} strokeWidth={1.6} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-40">
          <Base.Popup className="flex max-h-[min(22rem,var(--available-height))] w-[var(--anchor-width)] flex-col rounded-sheet border border-line bg-raised shadow-lift outline-none transition-opacity duration-160 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0">
            <Base.Empty className="not-empty:px-3 not-empty:py-2.5 text-dense text-ink-2">{empty}</Base.Empty>
            <Base.List className="min-h-0 overflow-y-auto not-empty:p-1">
              {(option: SelectOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  onClick={() => onChoose(option)}
                  className="flex min-h-8 flex-wrap items-baseline gap-x-2 rounded-check px-2 py-1.5 text-dense outline-none data-[highlighted]:bg-hover phone:min-h-11"
                >
                  <span className="wrap-anywhere" dir="auto">
                    {option.label}
                  </span>
                  {option.description && (
                    <span className="min-w-0 text-label wrap-anywhere text-ink-3">{option.description}</span>
                  )}
                </Base.Item>
              )}
            </Base.List>
            {options.length > shownAtOnce && (
              <p className="border-t border-line px-3 py-1.5 text-label text-ink-3">
                At most {shownAtOnce} of {options.length} are shown. Type to find the others.
              </p>
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
