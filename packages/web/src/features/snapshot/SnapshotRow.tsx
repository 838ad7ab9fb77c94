import { isSnapshotUnderWay } from '@slipway/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { conditionNote } from '../../shell/Condition.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { Status } from '../../ui/Status.tsx'
import { snapshotCondition } from './snapshot-condition.ts'
import type { AnySnapshot } from './snapshot-words.ts'

interface SnapshotRowProps {
  snapshot: AnySnapshot
  /** Of its own page. */
  path: string
  facts: readonly { label: string; value: ReactNode }[]
  actions: ReactNode
}

/** A snapshot in its list: what both kinds have in common. */
export function SnapshotRow({ snapshot, path, facts, actions }: SnapshotRowProps) {
  const { name, status, description } = snapshot
  return (
    <LedgerRow
      name={name}
      link={<Link to={path} />}
      status={<SnapshotStatus snapshot={snapshot} />}
      facts={facts}
      note={conditionNote({ name, status, description, condition: snapshotCondition(snapshot) })}
      actions={actions}
    />
  )
}

export const SnapshotStatus = ({ snapshot }: { snapshot: AnySnapshot }) => (
  <Status word={snapshot.status} since={isSnapshotUnderWay(snapshot) ? snapshot.status_since : undefined} />
)

/** A fact with quieter lines below it. */
export function WithNotes({ text, notes }: { text: string; notes: readonly ReactNode[] }) {
  return (
    <span className="min-w-0">
      {text}
      {notes.map(
        (note, line) =>
          note && (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one fact have no other identity
            <span key={line} className="block text-label text-ink-3">
              {note}
            </span>
          ),
      )}
    </span>
  )
}

interface TakenOfProps {
  /** As it was called when the snapshot was taken. */
  name: string
  /** What the snapshot was taken of; null when that was deleted, undefined while unknown. */
  source: { name: string } | null | undefined
  /** Of the page of the source. */
  path: string
  /** Below the name. */
  children?: ReactNode
}

/** The VM or disk that a snapshot was taken of, with the way there while it exists. */
export function TakenOf({ name, source, path, children }: TakenOfProps) {
  return (
    <span className="min-w-0">
      {source ? (
        <Link to={path} className="link line-clamp-2" dir="auto" title={source.name}>
          {source.name}
        </Link>
      ) : (
        <>
          <bdi>{name}</bdi>
          {source === null && <span className="text-ink-3"> (deleted)</span>}
        </>
      )}
      {children}
    </span>
  )
}
