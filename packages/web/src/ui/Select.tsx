import { lazy, Suspense } from 'react'
import { cx } from './cx.ts'
import type { SelectProps } from './SelectBox.tsx'

const SelectBox = lazy(async () => ({ default: (await import('./SelectBox.tsx')).SelectBox }))

/** One of several options. Until its code has loaded, only the chosen label is shown. */
export function Select(props: SelectProps) {
  const { value, options, placeholder } = props
  const className = cx(props.size === 'sm' && 'h-8! text-dense phone:h-10!', props.className)
  const chosen = options.find((option) => option.value === value)
  return (
    <Suspense
      fallback={
        <div className={cx('field flex items-center gap-2 text-ink-3', className)}>
          <span className="truncate">{chosen?.label ?? placeholder}</span>
        </div>
      }
    >
      <SelectBox {...props} className={className} />
    </Suspense>
  )
}
