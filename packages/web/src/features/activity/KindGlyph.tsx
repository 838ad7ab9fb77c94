import type { ActivityKind } from '@slipway/contract'
import { cx } from '../../ui/cx.ts'

/** The sign of a kind of entry: shape first, colour last. The word stands beside it. */
export function KindGlyph({ kind, className }: { kind: ActivityKind; className?: string }) {
  const tone = kind === 'failure' ? 'text-bad-mark' : kind === 'repair' ? 'text-accent' : 'text-ink-3'
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      className={cx('flex-none', tone, className)}
    >
      {kind === 'wish' && <path d="m4 2 4 4-4 4" />}
      {kind === 'change' && <circle cx="6" cy="6" r="2.6" fill="currentColor" stroke="none" />}
      {kind === 'failure' && <path d="M6 .6 11.6 11H.4Z" fill="currentColor" stroke="none" />}
      {kind === 'repair' && <path d="M6 1.5v9M1.5 6h9" strokeWidth="2" />}
      {kind === 'access' && <path d="M5 1.75H2v8.5h3M4.5 6h6M8 3.5 10.5 6 8 8.5" />}
    </svg>
  )
}
