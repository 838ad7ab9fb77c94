import {
  formatSnapshotSize,
  isSnapshotUnderWay,
  isTransitional,
  snapshotCan,
  type Vm,
  type VmSnapshot,
} from '@slipway/contract'
import { HardDrive, Trash2, Undo2 } from 'lucide-react'
import { memo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { Status } from '../../ui/Status.tsx'
import { canRestore } from './restore.ts'
import { DeleteSnapshotDialog, RestoreDialog } from './snapshot-dialogs.tsx'
import { snapshotNote } from './snapshot-note.tsx'
import { daysText, typeText, vmConsistency } from './snapshot-words.ts'

/** The columns of the rows below. */
export const snapshotColumns = [
  { label: 'Name', width: 'minmax(0,1.5fr)' },
  { label: 'Status', width: '7.5rem' },
  { label: 'VM', width: 'minmax(0,1fr)' },
  { label: 'Size', width: '4rem' },
  { label: 'Type', width: '7.5rem' },
  { label: 'Created', width: '6.5rem' },
  { label: '', width: '12.75rem' },
] as const

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

const reasonOf = (allowed: true | string) => (allowed === true ? undefined : allowed)

interface VmSnapshotRowProps {
  snapshot: VmSnapshot
  /** Its VM; null when that is gone, undefined while nobody knows. */
  vm: Vm | null | undefined
}

/** Drawn again only when its own snapshot or VM changed. */
export const VmSnapshotRow = memo(function VmSnapshotRow({ snapshot, vm }: VmSnapshotRowProps) {
  const [open, setOpen] = useState<'restore' | 'delete' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <LedgerRow
        name={snapshot.name}
        status={
          <Status
            word={snapshot.status}
            since={isSnapshotUnderWay(snapshot) ? snapshot.status_since : undefined}
          />
        }
        facts={[
          { label: 'VM', value: <VmName snapshot={snapshot} vm={vm} /> },
          { label: 'Size', value: formatSnapshotSize(snapshot.size_mb) },
          { label: 'Type', value: <Type snapshot={snapshot} /> },
          { label: 'Created', value: formatDateTime(snapshot.created_at) },
        ]}
        note={snapshotNote(snapshot)}
        details={detailsOf(snapshot)}
        actions={
          <>
            <Button
              size="sm"
              className="phone:h-9"
              icon={<Undo2 size={14} strokeWidth={1.6} aria-hidden />}
              disabledReason={reasonOf(canRestore(snapshot, vm))}
              aria-label={`Restore VM from ${snapshot.name}`}
              onClick={() => setOpen('restore')}
            >
              Restore VM
            </Button>
            <CreateDiskAction snapshot={snapshot} />
            <CopyButton
              text={snapshot.id}
              label={`Copy ID of ${snapshot.name}`}
              success="Copied to clipboard!"
              failure="Failed to copy to clipboard."
              className="size-7! text-ink-2 phone:size-9!"
            />
            <IconButton
              size="sm"
              label={`Delete ${snapshot.name}`}
              icon={<Trash2 {...icon} />}
              disabledReason={reasonOf(snapshotCan.delete(snapshot))}
              onClick={() => setOpen('delete')}
            />
          </>
        }
      />
      {open === 'restore' && <RestoreDialog snapshot={snapshot} vm={vm} onClose={close} />}
      {open === 'delete' && <DeleteSnapshotDialog snapshot={snapshot} onClose={close} />}
    </>
  )
})

function VmName({ snapshot, vm }: VmSnapshotRowProps) {
  if (!vm) {
    return (
      <>
        <bdi>{snapshot.vm_name}</bdi>
        {vm === null && <span className="text-ink-3"> (deleted)</span>}
      </>
    )
  }
  return (
    <>
      <Link to={paths.vm(vm.project_id, vm.id)} className="link line-clamp-2" dir="auto" title={vm.name}>
        {vm.name}
      </Link>
      {isTransitional(vm) && <Status word={vm.status} since={vm.status_since} />}
    </>
  )
}

function Type({ snapshot }: { snapshot: VmSnapshot }) {
  const { automatic, consistency } = snapshot
  const notes = [
    automatic && 'Automatic',
    // That it holds the memory was said already.
    consistency && consistency !== 'memory' && vmConsistency[consistency].short,
  ].filter((note) => typeof note === 'string')
  return (
    <>
      {typeText(snapshot)}
      {notes.map((note) => (
        <span key={note} className="block text-label text-ink-3">
          {note}
        </span>
      ))}
    </>
  )
}

function CreateDiskAction({ snapshot }: { snapshot: VmSnapshot }) {
  const label = `Create New Disk from ${snapshot.name}`
  return (
    <IconButton
      size="sm"
      label={label}
      icon={<HardDrive {...icon} />}
      disabledReason={reasonOf(snapshotCan.createDisk(snapshot))}
      render={
        <Link
          to={paths.diskFromVmSnapshot(snapshot.project_id, snapshot.name, snapshot.id)}
          aria-label={label}
        />
      }
    />
  )
}

function detailsOf(snapshot: VmSnapshot) {
  const { description, consistency, disks, retention_days, expires_at, vm_id } = snapshot
  return [
    ...(description ? [{ label: 'Description', value: <bdi>{description}</bdi> }] : []),
    ...(consistency ? [{ label: 'Holds', value: vmConsistency[consistency].long }] : []),
    {
      label: 'Disks',
      value: (
        <ul>
          <li>Root disk</li>
          {disks.map(({ disk_id, name, size }) => (
            <li key={disk_id}>
              <bdi>{name}</bdi>, {size}
            </li>
          ))}
        </ul>
      ),
    },
    { label: 'Retention', value: `${daysText(retention_days)}, until ${formatDateTime(expires_at)}` },
    { label: 'VM ID', value: <span className="mono">{vm_id}</span> },
    { label: 'ID', value: <span className="mono">{snapshot.id}</span> },
  ]
}
