import { type ReactNode, useId } from 'react'
import { cx } from './cx.ts'

interface RadioGroupProps<Value extends string> {
  label: string
  value: Value
  onValueChange: (value: Value) => void
  options: readonly {
    value: Value
    label: string
    description?: ReactNode
    /** Why it cannot be chosen; stands in place of the description. It stays in reach of the keyboard. */
    disabledReason?: string | undefined
  }[]
}

/** One of a few options, each with a description. Styled native radio buttons. */
export function RadioGroup<Value extends string>({
  label,
  value,
  onValueChange,
  options,
}: RadioGroupProps<Value>) {
  const id = useId()
  return (
    <div role="radiogroup" aria-labelledby={`${id}-label`} className="min-w-0">
      <p id={`${id}-label`} className="mb-1.5 text-dense font-medium">
        {label}
      </p>
      <div className="divide-y divide-line-control rounded-control border border-line-control">
        {options.map(({ disabledReason, description, ...option }) => (
          <label key={option.value} className="flex items-start gap-2.5 px-3 py-2.5">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => disabledReason === undefined && onValueChange(option.value)}
              aria-disabled={disabledReason !== undefined || undefined}
              // The description is read after the name, not as part of it.
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={(disabledReason ?? description) ? `${id}-${option.value}-note` : undefined}
              className={cx(
                'mt-0.5 size-4 flex-none appearance-none rounded-full border border-line-control bg-sheet',
                'checked:border-[5px] checked:border-accent-fill forced-colors:appearance-auto',
                'aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:bg-sunken',
              )}
            />
            <span className="min-w-0 wrap-anywhere">
              <span
                id={`${id}-${option.value}`}
                className={cx('font-medium', disabledReason !== undefined && 'text-ink-3')}
              >
                {option.label}
              </span>
              {(disabledReason ?? description) && (
                <span id={`${id}-${option.value}-note`} className="block text-hint text-ink-2">
                  {disabledReason ?? description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </div>
  )
}
