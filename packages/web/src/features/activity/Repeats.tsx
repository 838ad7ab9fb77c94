import type { Activity } from '@slipway/contract'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { formatClock, formatDateTime } from '../../time.ts'
import { cx } from '../../ui/cx.ts'

interface RepeatsProps {
  /** How often and since when. */
  text: string
  entries: readonly Activity[]
}

/** The repeats that were folded into an entry: counted, and on request each with its time. */
export function Repeats({ text, entries }: RepeatsProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-0.5 flex items-center gap-1 rounded-check pr-1 text-hint text-ink-2 hover:text-ink phone:min-h-8"
      >
        <ChevronRight
          size={14}
          strokeWidth={1.6}
          aria-hidden
          className={cx('flex-none transition-transform duration-120', open && 'rotate-90')}
        />
        {text}
      </button>
      {open && (
        <ul aria-label={text} className="mt-1 mb-0.5 ml-4 space-y-0.5 text-label/5 text-ink-2">
          {entries.map(({ id, at, object }) => (
            <li key={id} className="flex flex-wrap gap-x-2.5">
              <time dateTime={at} title={formatDateTime(at)} className="mono">
                {formatClock(Date.parse(at))}
              </time>
              <bdi className="wrap-anywhere">{object.name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
