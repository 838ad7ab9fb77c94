import type { GroupDisk } from '@slipway/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { formatDateTime } from '../../time.ts'
import { CopyLine } from '../../ui/CopyLine.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'

interface Facts {
  id: string
  project_id: string
  snapshot_id: string | null
  template_id: string
  template_name: string
  ssh_key_name: string
  persistent: boolean
  root_disk_gb: number | null
  disks: readonly GroupDisk[]
  created_at: string
}

/** What pools and sets are made of, for their title block. */
export function factsOf(group: Facts): { label: string; value: ReactNode }[] {
  return [
    {
      label: 'Template',
      value: (
        <>
          <TemplatePlate templateId={group.template_id} size={16} />
          <span className="min-w-0">{group.template_name}</span>
        </>
      ),
    },
    ...(group.snapshot_id === null
      ? []
      : [{ label: 'Snapshot', value: snapshotLink(group.project_id, group.snapshot_id) }]),
    { label: 'SSH Key', value: <span className="mono min-w-0">{group.ssh_key_name}</span> },
    { label: 'Persistent', value: group.persistent ? 'Yes' : 'No' },
    ...(group.root_disk_gb === null
      ? []
      : [{ label: 'Root disk of each VM', value: `${group.root_disk_gb}Gi` }]),
    { label: 'Data disks of each VM', value: disksText(group.disks) },
    { label: 'Created', value: formatDateTime(group.created_at) },
    { label: 'ID', value: <CopyLine text={group.id} label="Copy ID" /> },
  ]
}

const snapshotLink = (projectId: string, snapshotId: string) => (
  <Link to={paths.snapshot(projectId, snapshotId)} className="link mono min-w-0">
    {snapshotId}
  </Link>
)

function disksText(disks: readonly GroupDisk[]): string {
  if (disks.length === 0) return 'None'
  return disks.map(({ name, size }) => `${name} ${size}`).join(', ')
}
