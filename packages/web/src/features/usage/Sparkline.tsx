import { cx } from '../../ui/cx.ts'
import { sparklinePath } from './sparkline-path.ts'

interface SparklineProps {
  /** Oldest first; null where it is not known. */
  values: readonly (number | null)[]
  /** The value at the upper edge. */
  top: number
  className: string
}

/** A line as small as a word, on its baseline. The value stands beside it as text. */
export function Sparkline({ values, top, className }: SparklineProps) {
  const path = sparklinePath(values, top)
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      fill="none"
      stroke="currentColor"
      className={cx('overflow-visible', path && 'border-b border-line', className)}
    >
      {path ? (
        <path
          d={path}
          vectorEffect="non-scaling-stroke"
          strokeWidth="1.5"
          strokeLinejoin="round"
          className="text-accent"
        />
      ) : (
        <path
          d="M0 100H100"
          vectorEffect="non-scaling-stroke"
          strokeDasharray="14 4 2 4 2 4"
          className="text-line-control"
        />
      )}
    </svg>
  )
}
