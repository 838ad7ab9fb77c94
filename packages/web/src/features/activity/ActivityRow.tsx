import type { Activity } from '@slipway/contract'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useProductName } from '../../shell/Brand.tsx'
import { formatClock, formatDateTime } from '../../time.ts'
import { cx } from '../../ui/cx.ts'
import { aroundName } from './activity-list.ts'
import { kindWords } from './activity-words.ts'
import { KindGlyph } from './KindGlyph.tsx'

interface ActivityRowProps {
  entry: Activity
  /** Where its object is; null for one that was deleted or needs no link here. */
  link: string | null
  /** How long ago, as text. */
  ago: string
  /** For a narrow place: sentence above, the rest below. */
  compact?: boolean
  /** What was folded into it. */
  repeats?: ReactNode
}

/** One thing that happened: when, of what kind, what and why, and who did it. */
export const ActivityRow = memo(function ActivityRow({
  entry,
  link,
  ago,
  compact = false,
  repeats,
}: ActivityRowProps) {
  const { at, kind, actor, reason } = entry
  const product = useProductName()
  return (
    <li
      className={cx(
        'grid grid-cols-[12px_minmax(0,1fr)] gap-x-2.5 gap-y-0.5 px-4 py-2.5 text-dense',
        !compact && '@min-[760px]:grid-cols-[8.5rem_12px_4.5rem_minmax(0,1fr)_10rem]',
      )}
    >
      <KindGlyph kind={kind} className={cx('mt-1', !compact && '@min-[760px]:col-start-2')} />
      <div className={cx('min-w-0 wrap-anywhere', !compact && '@min-[760px]:col-start-4')}>
        <Sentence entry={entry} link={link} />
        {reason && <span className="block text-hint text-ink-2">{reason}</span>}
        {repeats}
      </div>
      <p
        className={cx(
          'col-start-2 flex min-w-0 flex-wrap gap-x-2.5 text-label/5 text-ink-3',
          !compact && '@min-[760px]:contents',
        )}
      >
        <time
          dateTime={at}
          title={formatDateTime(at)}
          className={cx(
            'flex gap-x-2.5 whitespace-nowrap',
            !compact && '@min-[760px]:col-start-1 @min-[760px]:row-start-1',
          )}
        >
          <span className="mono text-ink-2">{formatClock(Date.parse(at))}</span>
          {ago && <span>{ago}</span>}
        </time>
        <span
          className={cx(
            kind === 'failure' && 'text-bad',
            kind === 'repair' && 'text-accent',
            !compact && '@min-[760px]:col-start-3 @min-[760px]:row-start-1',
          )}
        >
          {kindWords[kind]}
        </span>
        <span
          className={cx(
            'min-w-0 wrap-anywhere',
            !compact && '@min-[760px]:col-start-5 @min-[760px]:row-start-1 @min-[760px]:text-ink-2',
          )}
        >
          <span className="sr-only">by </span>
          <bdi>{actor?.name ?? product}</bdi>
        </span>
      </p>
    </li>
  )
})

/** The sentence, the name of its object as the way there. */
function Sentence({ entry, link }: Pick<ActivityRowProps, 'entry' | 'link'>) {
  const { before, name, after } = aroundName(entry)
  if (name === null) return entry.message
  return (
    <>
      {before}
      {link ? (
        <Link to={link} className="link" dir="auto">
          {name}
        </Link>
      ) : (
        <bdi className="font-medium">{name}</bdi>
      )}
      {after}
    </>
  )
}
