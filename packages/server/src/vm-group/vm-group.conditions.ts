/** Which members of groups somebody needs as they are, for both repositories of groups. */
import type { Db } from '../db/open.ts'

const underWay = ['pending', 'creating']

/** The VMs that a snapshot under way needs, by themselves or by a disk that goes with them. */
export async function snapshotted(executor: Db): Promise<Set<string>> {
  const whole = await executor
    .selectFrom('vm_snapshot')
    .select('vm_id')
    .where('status', 'in', underWay)
    .execute()
  const disks = await executor
    .selectFrom('disk_snapshot')
    .innerJoin('disk', 'disk.id', 'disk_snapshot.disk_id')
    .select('disk.owner_vm_id')
    .where('disk_snapshot.status', 'in', underWay)
    .where('disk.owner_vm_id', 'is not', null)
    .execute()
  return new Set([...whole.map(({ vm_id }) => vm_id), ...disks.map((row) => row.owner_vm_id ?? '')])
}
