import { lazy, type ReactNode, Suspense } from 'react'
import { cx } from './cx.ts'

const SelectBox = lazy(async () => ({ default: (await import('./SelectBox.tsx')).SelectBox }))

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

/** One of several. Until its code is there, the chosen label stands in its place. */
export function Select(props: SelectProps) {
  const { value, options, placeholder, size, className } = props
  const chosen = options.find((option) => option.value === value)
  return (
    <Suspense
      fallback={
        <div className={cx('field flex items-center gap-2 text-ink-3', selectHeight(size), className)}>
          <span className="truncate">{chosen?.label ?? placeholder}</span>
        </div>
      }
    >
      <SelectBox {...props} />
    </Suspense>
  )
}

export function selectHeight(size: SelectProps['size']): string | false {
  return size === 'sm' && 'h-8! text-dense phone:h-10!'
}
