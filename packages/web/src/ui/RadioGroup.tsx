import { type ReactNode, useId } from 'react'
import { cx } from './cx.ts'

interface RadioGroupProps<Value extends string> {
  label: string
  value: Value
  onValueChange: (value: Value) => void
  options: readonly { value: Value; label: string; description?: ReactNode }[]
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
        {options.map((option) => (
          <label key={option.value} className="flex items-start gap-2.5 px-3 py-2.5">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onValueChange(option.value)}
              // The description is read after the name, not as part of it.
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={option.description ? `${id}-${option.value}-note` : undefined}
              className={cx(
                'mt-0.5 size-4 flex-none appearance-none rounded-full border border-line-control bg-sheet',
                'checked:border-[5px] checked:border-accent-fill forced-colors:appearance-auto',
              )}
            />
            <span className="min-w-0 wrap-anywhere">
              <span id={`${id}-${option.value}`} className="font-medium">
                {option.label}
              </span>
              {option.description && (
                <span id={`${id}-${option.value}-note`} className="block text-hint text-ink-2">
                  {option.description}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </div>
  )
}
