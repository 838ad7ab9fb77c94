import { cx } from './cx.ts'

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  onValueChange: (value: Value) => void
  options: readonly { value: Value; label: string }[]
}

/** A switch between a few views of the same thing. */
export function Segments<Value extends string>({
  label,
  value,
  onValueChange,
  options,
}: SegmentsProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; nothing is filled in here.
    <div
      role="group"
      aria-label={label}
      className="flex flex-none divide-x divide-line-control overflow-hidden rounded-control border border-line-control"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onValueChange(option.value)}
          className={cx(
            'h-6.5 px-2.5 text-hint font-medium -outline-offset-2 phone:h-9 phone:px-3.5',
            option.value === value
              ? 'bg-ink text-sheet focus-visible:outline-offset-[-4px] focus-visible:outline-sheet'
              : 'bg-sheet text-ink-2 hover:bg-hover hover:text-ink',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
