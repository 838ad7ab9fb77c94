import { formatSnapshotSize, isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { type AnySnapshot, storedMb, typeText } from './snapshot-words.ts'

/** So many stand on the page of another object; the others are in the list. */
const shownAtMost = 5

interface SnapshotItemsProps<S extends AnySnapshot> {
  title: string
  /** Newest first. */
  snapshots: readonly S[]
  list: { loading: boolean; error: Error | null; refetch: () => Promise<unknown> }
  /** Said where there are none. */
  none: string
  pathOf: (snapshot: S) => string
  /** Beside the title. */
  more?: ReactNode
  /** What can be done with one of them here. */
  action?: (snapshot: S) => ReactNode
}

/** The newest snapshots of another object, on its page. */
export function SnapshotItems<S extends AnySnapshot>({
  title,
  snapshots,
  list,
  none,
  pathOf,
  more,
  action,
}: SnapshotItemsProps<S>) {
  return (
    <section className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 className="text-section">{title}</h2>
        {more}
      </div>
      {snapshots.length > 0 ? (
        <ul className="sheet divide-y divide-line text-dense">
          {snapshots.slice(0, shownAtMost).map((snapshot) => (
            <Item key={snapshot.id} snapshot={snapshot} path={pathOf(snapshot)}>
              {action?.(snapshot)}
            </Item>
          ))}
        </ul>
      ) : (
        <p className="text-ink-2">
          {list.loading ? 'Loading snapshots...' : list.error ? 'Failed to load snapshots' : none}
          {list.error && (
            <Button size="sm" className="ml-3" onClick={() => void list.refetch()}>
              Try Again
            </Button>
          )}
        </p>
      )}
    </section>
  )
}

function Item({ snapshot, path, children }: { snapshot: AnySnapshot; path: string; children: ReactNode }) {
  const { name, status, created_at, progress } = snapshot
  const state = vmSnapshotStateOf(snapshot)
  const size = isSnapshotUnderWay(snapshot) ? null : storedMb(snapshot)
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <StatusGlyph word={status} />
      <span className="min-w-0 flex-1">
        <Link
          to={path}
          className="block font-[550] text-ink no-underline wrap-anywhere hover:underline"
          dir="auto"
        >
          {name}
        </Link>
        <span className="block text-label/4.5 text-ink-3">
          {state !== 'ready' && (
            <>
              {state.charAt(0).toUpperCase() + state.slice(1)}
              {progress !== null && ` ${Math.floor(progress * 100)}%`},{' '}
            </>
          )}
          {formatDateTime(created_at)}, {typeText(snapshot).toLowerCase()}
          {snapshot.scheduled !== null && ', scheduled'}
        </span>
      </span>
      {size !== null && <span className="whitespace-nowrap">{formatSnapshotSize(size)}</span>}
      {children}
    </li>
  )
}
