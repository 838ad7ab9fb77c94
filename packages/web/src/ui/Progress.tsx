import { cx } from './cx.ts'

interface WorkTrackProps {
  /** What is under way, for assistive technology. */
  label: string
  /** 0 to 1; without it the line travels. */
  value?: number | undefined
  className?: string
}

/** Work in progress: an ochre line growing along the hairline above it, with an end tick. Takes no height itself. */
export function WorkTrack({ label, value, className }: WorkTrackProps) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cx('relative h-0', className)}
    >
      {percent === undefined ? (
        <div className="absolute inset-x-0 -top-0.5 h-0.5 overflow-hidden">
          <div className="absolute inset-y-0 left-0 w-1/3 bg-busy forced-color-adjust-none motion-safe:w-auto motion-safe:animate-travel" />
        </div>
      ) : (
        <>
          <div
            className="absolute -top-0.5 left-0 h-0.5 bg-busy forced-color-adjust-none transition-[width] duration-300 ease-linear"
            style={{ width: `${percent}%` }}
          />
          <div
            className="absolute -top-1 h-[7px] w-px -translate-x-px bg-busy forced-color-adjust-none transition-[left] duration-300 ease-linear"
            style={{ left: `${percent}%` }}
          />
        </>
      )}
    </div>
  )
}
