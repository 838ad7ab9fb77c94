import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { useFieldLabelId, useFieldProps } from './field-state.ts'

export interface SelectOption {
  value: string
  label: string
  /** A second, quieter text: a fingerprint, a size, the reason why it is disabled. */
  description?: string | undefined
  icon?: ReactNode
  disabled?: boolean | undefined
}

export interface SelectProps {
  /** Accessible name where no `Field` surrounds it. */
  label?: string
  value: string | null
  onValueChange: (value: string) => void
  options: readonly SelectOption[]
  placeholder?: string
  id?: string
  invalid?: boolean
  disabled?: boolean
  size?: 'sm' | 'md'
  className?: string
}

export function SelectBox({
  label,
  value,
  onValueChange,
  options,
  placeholder = 'Choose',
  id,
  invalid,
  disabled = false,
  className,
}: SelectProps) {
  const { 'aria-invalid': fieldInvalid, ...field } = useFieldProps({ id })
  const labelId = useFieldLabelId()
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root
      value={value || null}
      onValueChange={(next) => next !== null && onValueChange(next)}
      items={options}
      disabled={disabled}
    >
      <Base.Trigger
        {...field}
        aria-label={label}
        aria-labelledby={label ? undefined : labelId}
        aria-invalid={invalid || fieldInvalid}
        className={cx('field flex items-center gap-2 text-left', className)}
      >
        {chosen?.icon}
        <Base.Value
          placeholder={placeholder}
          className="min-w-0 flex-1 truncate data-[placeholder]:text-ink-3"
        />
        {chosen?.description && (
          <span className="mono max-w-[45%] truncate text-label text-ink-3">{chosen.description}</span>
        )}
        <ChevronsUpDown size={14} strokeWidth={1.6} aria-hidden className="flex-none text-ink-3" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-40">
          <Base.Popup
            className={cx(
              'max-h-[min(22rem,var(--available-height))] max-w-[min(var(--available-width),max(var(--anchor-width),18rem))] min-w-[var(--anchor-width)] overflow-y-auto',
              'rounded-sheet border border-line bg-raised p-1 shadow-lift outline-none',
              'transition-opacity duration-160 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0',
            )}
          >
            <Base.List>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className={cx(
                    'grid min-h-8 grid-cols-[16px_minmax(0,1fr)] items-center gap-x-2 rounded-check px-2 py-1.5 text-dense outline-none phone:min-h-11',
                    'data-[highlighted]:bg-hover data-[disabled]:text-ink-3',
                  )}
                >
                  <Base.ItemIndicator className="col-start-1 text-accent">
                    <Check size={14} strokeWidth={1.8} aria-hidden />
                  </Base.ItemIndicator>
                  <span className="col-start-2 flex flex-wrap items-baseline gap-x-2">
                    <Base.ItemText className="wrap-anywhere">{option.label}</Base.ItemText>
                    {option.description && (
                      <span className="min-w-0 text-label wrap-anywhere text-ink-3">
                        {option.description}
                      </span>
                    )}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
