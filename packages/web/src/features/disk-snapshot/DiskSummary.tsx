import { type Disk, diskStateOf, formatDiskSize } from '@slipway/contract'
import { Rows, Sheet } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'

/** The chosen disk, beside the form. */
export function DiskSummary({ disk }: { disk: Disk | undefined }) {
  return (
    <Sheet title="Disk details" aria-label="Disk details" className="lg:sticky lg:top-6.5">
      {disk ? (
        <Rows
          items={[
            { label: 'Name', value: <bdi className="min-w-0">{disk.name}</bdi> },
            { label: 'Size', value: formatDiskSize(disk.size) },
            { label: 'Type', value: typeName(disk.disk_type) },
            { label: 'Status', value: <Status word={diskStateOf(disk)} /> },
            { label: 'Description', value: <bdi className="min-w-0">{disk.description || 'None'}</bdi> },
          ]}
        />
      ) : (
        <p className="px-4 py-3.5 text-hint text-ink-3">
          Select a disk to see what the snapshot will contain.
        </p>
      )}
    </Sheet>
  )
}

/** `Standard`; also where a server does not say it. */
const typeName = (type: string | undefined) =>
  type ? type.charAt(0).toUpperCase() + type.slice(1) : 'Standard'
