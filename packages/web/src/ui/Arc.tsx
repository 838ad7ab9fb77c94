import { cx } from './cx.ts'

/** The turning arc on a faint ring: work in progress. Without animation for users who prefer reduced motion. */
export function Arc({ size = 12, className }: { size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      aria-hidden="true"
      className={cx('flex-none motion-safe:animate-turn', className)}
    >
      <circle cx="6" cy="6" r="4.5" strokeOpacity=".28" />
      <path d="M6 1.5A4.5 4.5 0 0 1 8.65 9.64" />
    </svg>
  )
}
