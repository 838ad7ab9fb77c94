import { useId, useMemo } from 'react'
import { Link } from 'react-router'
import { useNewestActivity } from '../../api/activity.ts'
import { paths } from '../../paths.ts'
import { formatAgo } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import { useNow } from './use-now.ts'

const shownAtMost = 10

interface ObjectActivityProps {
  object: { id: string; project_id: string }
  /** What it is, in a word: `VM`, `disk`. */
  noun: string
}

/** What happened to an object lately, on its page. */
export function ObjectActivity({ object: { id, project_id: projectId }, noun }: ObjectActivityProps) {
  const titleId = useId()
  const source = useMemo(() => ({ projectId, filter: { object_id: id } }), [projectId, id])
  const { data, isPlaceholderData, error, refetch } = useNewestActivity(source, shownAtMost)
  const now = useNow(10_000)
  // Those of the object one came from are not this one's.
  const entries = isPlaceholderData ? undefined : data?.entries
  return (
    <Sheet
      title={<span id={titleId}>Activity</span>}
      aria-labelledby={titleId}
      actions={
        entries &&
        entries.length > 0 && (
          <Link to={paths.activity(projectId, id)} className="link text-dense">
            View all<span className="sr-only"> activity of this {noun}</span>
          </Link>
        )
      }
    >
      {entries && entries.length > 0 ? (
        <ul className="@container divide-y divide-line">
          {entries.map((entry) => (
            <ActivityRow key={entry.id} entry={entry} link={null} ago={formatAgo(entry.at, now)} compact />
          ))}
        </ul>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 text-ink-2">
          {entries
            ? 'Nothing has happened yet.'
            : error
              ? 'Activity could not be loaded.'
              : 'Loading activity...'}
          {!entries && error && (
            <Button size="sm" onClick={() => void refetch()}>
              Try Again
            </Button>
          )}
        </div>
      )}
    </Sheet>
  )
}
