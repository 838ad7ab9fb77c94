import { isSnapshotUnderWay, type VmSnapshot, type VmSnapshotCreate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call } from './client.ts'
import { liveList } from './live-list.ts'
import { patchVms } from './vms.ts'

const list = liveList<VmSnapshot>(
  'vmSnapshot.list',
  (projectId, signal) => call('vmSnapshot.list', { params: { projectId }, signal }),
  isSnapshotUnderWay,
)

/** The VM snapshots of a project, oldest first. */
export function useVmSnapshots(projectId: string | undefined) {
  const { items: snapshots, ...rest } = list.useList(projectId)
  return { snapshots, ...rest }
}

export const patchVmSnapshots = list.patch

export function useCreateVmSnapshot() {
  return useMutation({
    mutationFn: ({
      projectId,
      vmId,
      body,
      idempotencyKey,
    }: Creation<VmSnapshotCreate> & { projectId: string; vmId: string }) =>
      call('vmSnapshot.create', { params: { projectId, vmId }, body, idempotencyKey }),
    onSuccess: (snapshot) => {
      list.patch(snapshot.project_id, [snapshot])
      void list.refresh(snapshot.project_id)
    },
  })
}

const paramsOf = (snapshot: VmSnapshot) => ({ projectId: snapshot.project_id, snapshotId: snapshot.id })

/** Puts the snapshot's VM back to it; the answer already carries the VM's new status. */
export function useRestoreVm() {
  return useMutation({
    mutationFn: (snapshot: VmSnapshot) =>
      call('vmSnapshot.restore', { params: paramsOf(snapshot), body: { vm_id: snapshot.vm_id } }),
    onSuccess: ({ vm }) => {
      patchVms(vm.project_id, [vm])
      void list.refresh(vm.project_id)
    },
    onError: (_, snapshot) => void list.refresh(snapshot.project_id),
  })
}

export function useDeleteVmSnapshot() {
  return useMutation({
    mutationFn: (snapshot: VmSnapshot) => call('vmSnapshot.delete', { params: paramsOf(snapshot) }),
    onSuccess: (_, snapshot) => {
      list.patch(snapshot.project_id, [{ id: snapshot.id, deleted: true }])
      void list.refresh(snapshot.project_id)
    },
    onError: (_, snapshot) => void list.refresh(snapshot.project_id),
  })
}
