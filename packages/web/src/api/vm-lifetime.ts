/** How VMs come and go. A page that lists them loads it when somebody makes or deletes one. */
import type { Vm, VmCopies, VmCreate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call, said } from './client.ts'
import { keyOf, queryClient } from './query.ts'
import { patchVms, refreshVm, refreshVms } from './vms.ts'

/** Creates a VM and shows it in the lists at once. */
export function useCreateVm() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<VmCreate> & { projectId: string }) =>
      call('vm.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: (vm, { projectId }) => {
      patchVms(projectId, [said(vm)])
      void refreshVms(projectId)
      // The disks it was created with are attached now.
      if (vm.disks.length > 0)
        void queryClient.invalidateQueries({ queryKey: keyOf('disk.list', { projectId }) })
    },
  })
}

/** Shows copies of a VM in the lists; disks that are made for them appear on their own. */
export function showCopies(projectId: string, copies: readonly Vm[], answer: object): void {
  patchVms(
    projectId,
    copies.map((vm) => said(vm, answer)),
  )
  void refreshVms(projectId)
}

/** Makes copies of a VM. */
export function useForkVm() {
  return useMutation({
    mutationFn: ({ vm, body }: { vm: Vm; body: VmCopies }) =>
      call('vm.fork', { params: { projectId: vm.project_id, vmId: vm.id }, body }),
    onSuccess: (copies, { vm }) => showCopies(vm.project_id, copies, copies),
    onError: (_, { vm }) => refreshVm(vm.project_id, vm.id),
  })
}

/** Deletes a VM and removes it from all lists. */
export function useDeleteVm() {
  return useMutation({
    mutationFn: ({ vm, forGood }: { vm: Vm; forGood: boolean }) =>
      call('vm.delete', {
        params: { projectId: vm.project_id, vmId: vm.id },
        ...(forGood && { query: { for_good: 'true' } }),
      }),
    onSuccess: (_, { vm: { id, project_id } }) => {
      patchVms(project_id, [{ object: { id, project_id, deleted: true }, at: null }])
      void refreshVms(project_id)
    },
  })
}
