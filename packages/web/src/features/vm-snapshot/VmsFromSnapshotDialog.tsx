import type { VmSnapshot } from '@slipway/contract'
import { Link } from 'react-router'
import { useCreateVmsFromSnapshot, useVmSnapshots } from '../../api/vm-snapshots.ts'
import { paths } from '../../paths.ts'
import { CopiesDialog } from '../vm-copies/CopiesDialog.tsx'
import { useVmOfSnapshot } from './use-vm-of-snapshot.ts'

/** Asks how many VMs are to be made of a snapshot. */
export function VmsFromSnapshotDialog({ snapshot, onClose }: { snapshot: VmSnapshot; onClose: () => void }) {
  const { mutateAsync } = useCreateVmsFromSnapshot()
  const { id, project_id } = snapshot
  const { snapshots } = useVmSnapshots(project_id)
  const source = useVmOfSnapshot(project_id)(snapshot) ?? undefined
  return (
    <CopiesDialog
      call="vmSnapshot.createVms"
      of={{ params: { snapshotId: id }, named: snapshots }}
      title="New VM from Snapshot"
      description={
        <>
          {snapshot.has_memory
            ? 'A new VM continues from the moment of the snapshot, with everything that was running, '
            : 'A new VM starts with the disks of the snapshot, '}
          and with its own host name, addresses, SSH host key and disks. <bdi>{snapshot.vm_name}</bdi> is not
          changed. To keep a number of such VMs, create a{' '}
          <Link to={paths.vmPoolCreate(project_id, source?.template_id, id)} className="link">
            VM pool
          </Link>{' '}
          or a{' '}
          <Link to={paths.vmSetCreate(project_id, source?.template_id, id)} className="link">
            VM set
          </Link>{' '}
          of the snapshot.
        </>
      }
      source={source}
      disks={snapshot.disks}
      proposal={`${snapshot.vm_name}-copy`}
      submitLabel="Create VM"
      send={(body) => mutateAsync({ snapshot, body })}
      onClose={onClose}
    />
  )
}
