import type { GroupEvent } from '@slipway/contract'
import { ArrowRight } from 'lucide-react'
import { useId, useState } from 'react'
import { formatClock, formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Sheet.tsx'

/** So many are shown until all are asked for. */
const shownAtFirst = 5

interface GroupEventsProps {
  /** Newest first; undefined while they load. */
  events: readonly GroupEvent[] | undefined
  failed: boolean
  className?: string
}

/** What happened to a pool or set: when, to what size, and why. */
export function GroupEvents({ events, failed, className }: GroupEventsProps) {
  const titleId = useId()
  const [all, setAll] = useState(false)
  const shown = all ? events : events?.slice(0, shownAtFirst)
  const rest = (events?.length ?? 0) - (shown?.length ?? 0)
  return (
    <Sheet title={<span id={titleId}>Events</span>} aria-labelledby={titleId} className={className ?? ''}>
      {shown && shown.length > 0 ? (
        <table className="w-full table-fixed text-dense">
          <thead className="text-left text-label text-ink-3 [&_th]:py-2 [&_th]:pl-4 [&_th]:font-normal">
            <tr>
              <th scope="col" className="w-26 md:w-44">
                Time
              </th>
              <th scope="col" className="w-20 md:w-24">
                Size
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody className="[&_td]:border-t [&_td]:border-line [&_td]:py-2 [&_td]:pl-4 [&_td]:align-top [&_td:last-child]:pr-4">
            {shown.map((event) => (
              <Row key={event.id} event={event} />
            ))}
          </tbody>
        </table>
      ) : (
        <p className="px-4 py-3 text-ink-2">{emptyText(events, failed)}</p>
      )}
      {rest > 0 && (
        <div className="border-t border-line px-4 py-2">
          <Button size="sm" variant="quiet" className="-ml-2 phone:h-10" onClick={() => setAll(true)}>
            Show {rest} more
          </Button>
        </div>
      )}
    </Sheet>
  )
}

function emptyText(events: readonly GroupEvent[] | undefined, failed: boolean): string {
  if (events) return 'Nothing has happened yet.'
  return failed
    ? 'The events could not be loaded. They are asked for again every 15 seconds.'
    : 'Loading events...'
}

function Row({ event: { at, from_size, to_size, message } }: { event: GroupEvent }) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return (
    <tr>
      <td>
        <time dateTime={at} title={formatDateTime(at)} className={isToday ? 'mono' : 'text-hint text-ink-2'}>
          {isToday ? formatClock(date.getTime()) : formatDateTime(at)}
        </time>
      </td>
      <td>
        {from_size === to_size ? (
          to_size
        ) : (
          <span className="inline-flex items-center gap-1.5">
            {from_size}
            <ArrowRight size={13} strokeWidth={1.6} aria-hidden className="text-ink-3" />
            <span className="sr-only"> to </span>
            <b className="font-[550]">{to_size}</b>
          </span>
        )}
      </td>
      <td className="wrap-anywhere text-ink-2">{message}</td>
    </tr>
  )
}
