import { Check, X } from 'lucide-react'
import { cx } from '../../ui/cx.ts'

/** What a field says while one types: right or wrong, as sign, word and colour. */
export function HintLine({ good, children }: { good: boolean; children: string }) {
  const Icon = good ? Check : X
  return (
    <span className={cx('flex gap-1.5', good ? 'text-ok' : 'text-bad')}>
      <Icon size={14} strokeWidth={1.6} aria-hidden className="mt-0.5 flex-none" />
      {children}
    </span>
  )
}
