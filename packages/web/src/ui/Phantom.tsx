import { cx } from './cx.ts'

const dash = '14 4 2 4 2 4'

/** The phantom line around a box: it will exist, or could. Put it in a `relative` parent. */
export function PhantomFrame({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      className={cx('pointer-events-none absolute inset-0 size-full text-line-control', className)}
    >
      <rect
        x=".5"
        y=".5"
        rx="5"
        style={{ width: 'calc(100% - 1px)', height: 'calc(100% - 1px)' }}
        fill="none"
        stroke="currentColor"
        strokeDasharray={dash}
      />
    </svg>
  )
}

/** The outline of a card that does not exist yet. */
export function PhantomCard({ className }: { className?: string }) {
  return (
    <div className={cx('relative h-60 opacity-60', className)}>
      <PhantomFrame />
      <svg
        aria-hidden="true"
        viewBox="0 0 340 236"
        preserveAspectRatio="none"
        className="absolute inset-0 size-full text-line-control"
      >
        <path
          d="M0 84H340M0 136H340M0 196H340M113 84v52M227 84v52M170 196v40"
          fill="none"
          stroke="currentColor"
          strokeDasharray={dash}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </div>
  )
}
