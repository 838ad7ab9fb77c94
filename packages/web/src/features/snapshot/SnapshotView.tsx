import { isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import { type ReactNode, useMemo } from 'react'
import { useOperations } from '../../api/operations.ts'
import { ConditionBanner } from '../../shell/Condition.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { formatDateTime } from '../../time.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Rows, Sheet } from '../../ui/Sheet.tsx'
import { ObjectActivity } from '../activity/ObjectActivity.tsx'
import { CancelButton } from '../operation/CancelButton.tsx'
import { OperationDialogs } from '../operation/OperationDialogs.tsx'
import { SnapshotStatus } from './SnapshotRow.tsx'
import { snapshotCondition } from './snapshot-condition.ts'
import { type AnySnapshot, daysText, promisedOf } from './snapshot-words.ts'

type Facts = readonly { label: string; value: ReactNode }[]

interface SnapshotViewProps {
  snapshot: AnySnapshot
  actions: ReactNode
  /** What only its kind has: short ones, and those that need room. */
  facts: Facts
  details: Facts
}

const kind = { plural: 'snapshots', isUnderWay: isSnapshotUnderWay }

/** Everything there is to know about a snapshot, on its page. */
export function SnapshotView({ snapshot, actions, facts, details }: SnapshotViewProps) {
  useAnnouncedChanges(
    useMemo(() => [snapshot], [snapshot]),
    kind,
  )
  const { name, status, description, progress } = snapshot
  const state = vmSnapshotStateOf(snapshot)
  return (
    <>
      <PageHeader
        title={name}
        description={description && <bdi className="wrap-anywhere">{description}</bdi>}
        actions={actions}
      />
      <ConditionBanner
        word={state.charAt(0).toUpperCase() + state.slice(1)}
        condition={snapshotCondition(snapshot)}
        actions={<CancelWork snapshot={snapshot} />}
      />
      <Sheet aria-label="Facts" className="mb-6">
        {isSnapshotUnderWay(snapshot) && (
          <WorkTrack label={`${name}: ${status}`} value={progress ?? undefined} />
        )}
        <Cells
          items={[
            { label: 'Status', value: <SnapshotStatus snapshot={snapshot} /> },
            ...facts,
            ...timesOf(snapshot),
          ]}
        />
      </Sheet>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <Sheet title="Details" aria-label="Details">
          <Rows items={[...detailsOf(snapshot), ...details, idOf(snapshot)]} />
        </Sheet>
        <ObjectActivity object={snapshot} noun="snapshot" />
      </div>
    </>
  )
}

function timesOf({ created_at, status_since, expires_at }: AnySnapshot): Facts {
  return [
    { label: 'Created', value: formatDateTime(created_at) },
    { label: 'In this state since', value: formatDateTime(status_since) },
    { label: 'Deleted automatically', value: formatDateTime(expires_at) },
  ]
}

function detailsOf(snapshot: AnySnapshot): Facts {
  const promised = promisedOf(snapshot)
  return [
    ...(promised ? [{ label: 'Consistency', value: promised.long }] : []),
    ...(snapshot.scheduled === null
      ? []
      : [{ label: 'Taken by', value: `The ${snapshot.scheduled} snapshot schedule` }]),
    {
      label: 'Retention',
      value: `${daysText(snapshot.retention_days)}, until ${formatDateTime(snapshot.expires_at)}`,
    },
  ]
}

const idOf = ({ id }: AnySnapshot) => ({ label: 'ID', value: <CopyLine text={id} label="Copy ID" /> })

/** Cancels what is being done to a snapshot, where that can be cancelled. */
function CancelWork({ snapshot: { id, project_id } }: { snapshot: AnySnapshot }) {
  const { operations, loading, error } = useOperations(project_id)
  const operation = operations.find((one) => one.id === id)
  return (
    <>
      {operation?.can_cancel && <CancelButton operation={operation} />}
      <OperationDialogs projectId={project_id} operations={operations} loading={loading || error !== null} />
    </>
  )
}
