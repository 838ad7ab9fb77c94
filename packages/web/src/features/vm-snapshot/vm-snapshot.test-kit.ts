import { type Vm, type VmSnapshot, type VmSnapshotCreate, vmSnapshotApi } from '@slipway/contract'
import { call, settled } from '../../screen/screen.test-kit.ts'

/** Takes a snapshot of a VM and waits until it is ready. */
export async function take(vm: Vm, body: Partial<VmSnapshotCreate> = {}): Promise<VmSnapshot> {
  const params = { projectId: vm.project_id }
  const made = await call(vmSnapshotApi.create, {
    params: { ...params, vmId: vm.id },
    body: { name: 'nightly', snapshot_type: 'disk', retention_days: 30, ...body },
  })
  return settled('ready', async () =>
    (await call(vmSnapshotApi.list, { params, query: {} })).find(({ id }) => id === made.id),
  )
}
