import { type Vm, type VmSnapshot, type VmSnapshotCreate, vmSnapshotApi } from '@slipway/contract'
import { expect } from 'vitest'
import { call } from '../../screen/screen.test-kit.ts'

/** Takes a snapshot of a VM and waits until it is ready. */
export async function take(vm: Vm, body: Partial<VmSnapshotCreate> = {}): Promise<VmSnapshot> {
  const made = await call(vmSnapshotApi.create, {
    params: { projectId: vm.project_id, vmId: vm.id },
    body: { name: 'nightly', snapshot_type: 'disk', retention_days: 30, ...body },
  })
  let snapshot: VmSnapshot | undefined
  await expect
    .poll(async () => {
      const all = await call(vmSnapshotApi.list, { params: { projectId: vm.project_id }, query: {} })
      snapshot = all.find(({ id }) => id === made.id)
      return snapshot?.status
    })
    .toBe('ready')
  if (!snapshot) throw new Error('The snapshot is gone')
  return snapshot
}
