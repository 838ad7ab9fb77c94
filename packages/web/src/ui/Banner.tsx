import { Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

const tones = {
  info: { Icon: Info, box: 'border-line bg-sheet', icon: 'text-ink-2' },
  warn: {
    Icon: TriangleAlert,
    box: 'bg-busy-wash border-[color-mix(in_oklab,var(--busy-mark)_45%,var(--line))]',
    icon: 'text-busy',
  },
  error: {
    Icon: OctagonAlert,
    box: 'bg-bad-wash border-[color-mix(in_oklab,var(--bad-mark)_40%,var(--line))]',
    icon: 'text-bad',
  },
} as const

interface BannerProps {
  tone: keyof typeof tones
  title?: string
  children: ReactNode
  action?: ReactNode
  /** Not announced, because something else announced it already. */
  quiet?: boolean
  className?: string
}

/** One message inside the page. An error is announced at once. */
export function Banner({ tone, title, children, action, quiet = false, className }: BannerProps) {
  const { Icon, box, icon } = tones[tone]
  return (
    <div
      role={tone === 'error' && !quiet ? 'alert' : undefined}
      className={cx(
        'flex items-start gap-2.5 rounded-control border px-3.5 py-2.5 text-dense',
        box,
        className,
      )}
    >
      <Icon size={16} strokeWidth={1.6} aria-hidden className={cx('mt-0.5 flex-none', icon)} />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-[1_1_16rem] wrap-anywhere">
          {title && <p className="font-semibold">{title}</p>}
          {children}
        </div>
        {action && <div className="-my-1 flex-none">{action}</div>}
      </div>
    </div>
  )
}
