import { isSnapshotUnderWay, type VmCopies, type VmSnapshot, type VmSnapshotCreate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveList } from './live-list.ts'
import { showCopies } from './vm-lifetime.ts'
import { patchVms } from './vms.ts'

const list = liveList<VmSnapshot>(
  'vmSnapshot.list',
  'vm_snapshot',
  (projectId, signal) => call('vmSnapshot.list', { params: { projectId }, signal }),
  isSnapshotUnderWay,
)

/** The VM snapshots of a project, oldest first. */
export function useVmSnapshots(projectId: string | undefined) {
  const { items: snapshots, ...rest } = list.useList(projectId)
  return { snapshots, ...rest }
}

takeEvents('vm_snapshot', list.patch)

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
      list.patch(snapshot.project_id, [said(snapshot)])
      void list.refresh(snapshot.project_id)
    },
  })
}

const paramsOf = (snapshot: VmSnapshot) => ({ projectId: snapshot.project_id, snapshotId: snapshot.id })

/** Restores the VM of a snapshot. The answer has the VM's new status already. */
export function useRestoreVm() {
  return useMutation({
    mutationFn: (snapshot: VmSnapshot) =>
      call('vmSnapshot.restore', { params: paramsOf(snapshot), body: { vm_id: snapshot.vm_id } }),
    onSuccess: (answer) => {
      const { vm } = answer
      patchVms(vm.project_id, [said(vm, answer)])
      void list.refresh(vm.project_id)
    },
    onError: (_, snapshot) => void list.refresh(snapshot.project_id),
  })
}

/** Makes VMs of a snapshot. */
export function useCreateVmsFromSnapshot() {
  return useMutation({
    mutationFn: ({ snapshot, body }: { snapshot: VmSnapshot; body: VmCopies }) =>
      call('vmSnapshot.createVms', { params: paramsOf(snapshot), body }),
    onSuccess: (copies, { snapshot }) => showCopies(snapshot.project_id, copies, copies),
    onError: (_, { snapshot }) => void list.refresh(snapshot.project_id),
  })
}

export function useDeleteVmSnapshot() {
  return useMutation({
    mutationFn: ({ snapshot, forGood }: { snapshot: VmSnapshot; forGood: boolean }) =>
      call('vmSnapshot.delete', {
        params: paramsOf(snapshot),
        ...(forGood && { query: { for_good: 'true' } }),
      }),
    onSuccess: (_, { snapshot }) => {
      list.drop(snapshot.project_id, snapshot.id)
      void list.refresh(snapshot.project_id)
    },
    onError: (_, { snapshot }) => void list.refresh(snapshot.project_id),
  })
}
