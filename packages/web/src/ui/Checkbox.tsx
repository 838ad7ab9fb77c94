import type { ComponentPropsWithRef, ReactNode } from 'react'
import { cx } from './cx.ts'

export type CheckboxProps = Omit<ComponentPropsWithRef<'input'>, 'type'> & {
  label: ReactNode
  description?: ReactNode
  onCheckedChange?: (checked: boolean) => void
}

/** A styled native check box. Works controlled, uncontrolled and with form libraries. */
export function Checkbox({
  label,
  description,
  onCheckedChange,
  onChange,
  className,
  ...rest
}: CheckboxProps) {
  return (
    <label className={cx('flex items-start gap-2.5 text-body', rest.disabled && 'text-ink-3', className)}>
      <span className="relative mt-0.5 grid size-4 flex-none">
        <input
          {...rest}
          type="checkbox"
          onChange={(event) => {
            onChange?.(event)
            onCheckedChange?.(event.target.checked)
          }}
          className={cx(
            'peer size-4 appearance-none rounded-check border border-line-control bg-sheet',
            'checked:border-accent-fill checked:bg-accent-fill disabled:border-line disabled:bg-sunken',
            'aria-invalid:border-bad',
          )}
        />
        <svg
          viewBox="0 0 16 16"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.75"
          aria-hidden="true"
          className="pointer-events-none absolute inset-0 hidden text-on-accent peer-checked:block forced-colors:text-[CanvasText]"
        >
          <path d="m4 8.4 2.7 2.6L12 5.4" />
        </svg>
      </span>
      <span className="min-w-0">
        <span className={cx(description && 'font-medium')}>{label}</span>
        {description && <span className="block text-hint text-ink-2">{description}</span>}
      </span>
    </label>
  )
}
