import type { Activity } from '@slipway/contract'
import { ArrowUp } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { errorText } from '../../api/errors.ts'
import { formatAgo } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import { byDay } from './activity-list.ts'
import { foldRepeats, repeatsText } from './fold.ts'
import { Repeats } from './Repeats.tsx'
import type { useActivity } from './use-activity.ts'
import { useNow } from './use-now.ts'
import { useObjectLinks } from './use-object-links.ts'

const failed = 'Failed to load activity. Please try again.'

interface ActivityListProps {
  activity: ReturnType<typeof useActivity>
  projectId?: string
  /** What to say of an empty log; with a filter, of one without what it asks for. */
  none: ReactNode
  filtered?: boolean
}

/** A log by days, the newest first, with what is new above and the way to what is older below. */
export function ActivityList({ activity, projectId, none, filtered = false }: ActivityListProps) {
  const { entries, loading, error, retry, outdated, fresh, older } = activity
  if (loading) return <LoadingState text="Loading activity..." outline="rows" />
  if (error) {
    return <ErrorState title="Error Loading Activity" message={errorText(error, failed)} onRetry={retry} />
  }
  if (entries.length === 0) {
    return filtered ? (
      <div className="py-8">
        <h2 className="text-empty">No activity found</h2>
        <p className="mt-1 text-ink-2">Try adjusting your filters</p>
      </div>
    ) : (
      <EmptyState title="Nothing has happened yet">{none}</EmptyState>
    )
  }
  return (
    <div className={cx(outdated && 'opacity-60')} aria-busy={outdated || undefined}>
      {fresh.count > 0 && (
        <div className="pointer-events-none sticky top-15 z-10 mb-3 flex h-0 justify-center md:top-3">
          <Button
            size="sm"
            variant="primary"
            icon={<ArrowUp size={14} strokeWidth={1.6} aria-hidden />}
            className="pointer-events-auto shadow-lift phone:h-10"
            onClick={() => {
              fresh.show()
              window.scrollTo({ top: 0 })
            }}
          >
            {fresh.more ? `${fresh.count} or more new` : `${fresh.count} new`}
          </Button>
        </div>
      )}
      <Days entries={entries} projectId={projectId} />
      {older.error && (
        <Banner tone="error" className="mt-3">
          {errorText(older.error, failed)}
        </Banner>
      )}
      <p className="mt-3 flex min-h-8 items-center gap-3 text-hint text-ink-3">
        {older.exist ? (
          <Button busy={older.loading} busyText="Loading..." onClick={older.load}>
            Show more
          </Button>
        ) : (
          <span>{entries.length === 1 ? 'One entry.' : `All ${entries.length} entries.`}</span>
        )}
      </p>
    </div>
  )
}

function Days({ entries, projectId }: { entries: readonly Activity[]; projectId: string | undefined }) {
  const linkOf = useObjectLinks(entries, projectId)
  const now = useNow(10_000)
  const today = new Date(now).toDateString()
  const days = useMemo(() => byDay(entries, new Date(today)), [entries, today])
  return days.map(({ label, entries }) => (
    <section key={label} aria-label={label} className="mb-5">
      <h2 className="mb-2 text-section">{label}</h2>
      <ul className="sheet @container divide-y divide-line">
        {foldRepeats(entries).map(({ key, entry, more }) => (
          <ActivityRow
            key={key}
            entry={entry}
            link={linkOf(entry)}
            ago={formatAgo(entry.at, now)}
            repeats={more.length > 0 && <Repeats text={repeatsText({ entry, more }, now)} entries={more} />}
          />
        ))}
      </ul>
    </section>
  ))
}
