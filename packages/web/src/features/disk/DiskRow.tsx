import { type Disk, diskStateOf, formatDiskSize } from '@slipway/contract'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { WhyLine } from '../../shell/Why.tsx'
import { formatDateTime } from '../../time.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { LedgerRow } from '../../ui/Ledger.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Status } from '../../ui/Status.tsx'
import { DiskActions } from './disk-actions.tsx'
import { sourceLabels } from './disk-filter.ts'

export const diskColumns = [
  { label: 'Name', width: 'minmax(0,1.6fr)' },
  { label: 'Status', width: '7.75rem' },
  { label: 'Size', width: '3.5rem' },
  { label: 'Source', width: '4.5rem' },
  { label: 'Attached VM', width: 'minmax(0,1fr)' },
  { label: 'Created', width: '6.5rem' },
  { label: '', width: '12.5rem' },
]

/** Drawn again only when its own disk, or the status of its VM, changed. */
export const DiskRow = memo(function DiskRow({
  disk,
  vmStatus,
}: {
  disk: Disk
  vmStatus: string | undefined
}) {
  const state = diskStateOf(disk)
  return (
    <LedgerRow
      name={disk.name}
      status={<Status word={state} since={state === 'creating' ? disk.status_since : undefined} />}
      facts={[
        { label: 'Size', value: formatDiskSize(disk.size) },
        { label: 'Source', value: sourceLabels[disk.source] ?? disk.source },
        { label: 'Attached VM', value: <VmOf disk={disk} /> },
        { label: 'Created', value: formatDateTime(disk.created_at), className: 'text-hint/4.5' },
      ]}
      note={noteOf(disk)}
      details={detailsOf(disk)}
      actions={<DiskActions disk={disk} vmStatus={vmStatus} />}
    />
  )
})

function VmOf({ disk: { project_id, vm_id, vm_name, deleted_with_vm } }: { disk: Disk }) {
  if (vm_id === null) return <span className="text-ink-3">None</span>
  return (
    <>
      <Link
        to={paths.vm(project_id, vm_id)}
        className="link line-clamp-2"
        dir="auto"
        title={vm_name ?? vm_id}
      >
        {vm_name ?? vm_id}
      </Link>
      {vm_name !== null && <span className="mono block truncate text-label text-ink-3">{vm_id}</span>}
      {deleted_with_vm && <span className="block text-label text-ink-2">Deleted with this VM</span>}
    </>
  )
}

const work: Partial<Record<Disk['source'], string>> = {
  image: 'Filling it from the image',
  snapshot: 'Copying the snapshot',
}

/** How far the work on a disk is, or why there is none any more and what to do. */
function noteOf(disk: Disk): ReactNode {
  const { status_message: reason, status_since: since } = disk
  switch (diskStateOf(disk)) {
    case 'creating':
      return <Work disk={disk} />
    case 'failed':
      return <WhyLine tone="failed" next="Delete this disk and create it again." {...{ reason, since }} />
    case 'error':
      return (
        <WhyLine
          tone="failed"
          next={
            disk.vm_id === null
              ? 'Create a new one from its last snapshot, or delete it.'
              : 'Detach it, then create a new one from its last snapshot.'
          }
          {...{ reason, since }}
        />
      )
    default:
      return reason && <WhyLine tone="known" reason={reason} />
  }
}

function Work({ disk: { name, source, progress, status_message } }: { disk: Disk }) {
  const text = status_message ?? work[source]
  return (
    <>
      <div className="border-t border-line">
        <WorkTrack label={`${name}: creating`} value={progress ?? undefined} />
      </div>
      {(text || progress !== null) && (
        <p className="mt-2 flex gap-2 text-hint text-ink-2">
          {progress !== null && <span className="font-medium text-ink">{Math.floor(progress * 100)}%</span>}
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </p>
      )}
    </>
  )
}

function detailsOf(disk: Disk): { label: string; value: ReactNode }[] {
  return [
    ...(disk.description ? [{ label: 'Description', value: disk.description }] : []),
    ...(disk.image_url ? [{ label: 'Image', value: <Code>{disk.image_url}</Code> }] : []),
    ...(disk.image_sha256
      ? [{ label: 'SHA-256', value: <Copyable text={disk.image_sha256} label="Copy SHA-256 of the image" /> }]
      : []),
    ...(disk.vm_id !== null
      ? [{ label: 'VM ID', value: <Copyable text={disk.vm_id} label={`Copy VM ID of ${disk.name}`} /> }]
      : []),
    { label: 'Type', value: disk.disk_type === 'standard' ? 'Standard' : disk.disk_type },
    { label: 'ID', value: <Copyable text={disk.id} label={`Copy ID of ${disk.name}`} /> },
  ]
}

const Code = ({ children }: { children: string }) => <span className="mono min-w-0">{children}</span>

function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <>
      <Code>{text}</Code>
      <CopyButton
        text={text}
        label={label}
        success="Copied to clipboard!"
        failure="Failed to copy to clipboard."
        className="-my-1"
      />
    </>
  )
}
