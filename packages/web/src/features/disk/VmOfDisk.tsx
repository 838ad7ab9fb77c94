import type { Disk } from '@slipway/contract'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'

/** The VM a disk is attached to, with its id. */
export function VmOfDisk({ disk: { project_id, vm_id, vm_name, deleted_with_vm } }: { disk: Disk }) {
  if (vm_id === null) return <span className="text-ink-3">None</span>
  return (
    <span className="min-w-0">
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
    </span>
  )
}
