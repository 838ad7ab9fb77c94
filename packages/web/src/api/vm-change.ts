/** What is changed of VMs that are there. */
import type { Vm, VmUpdate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call, said } from './client.ts'
import { patchVms, refreshVm } from './vms.ts'

/** Changes what is named of a VM. */
export function useUpdateVm() {
  return useMutation({
    mutationFn: ({ vm, body }: { vm: Vm; body: VmUpdate }) =>
      call('vm.update', { params: { projectId: vm.project_id, vmId: vm.id }, body }),
    onSuccess: (vm) => patchVms(vm.project_id, [said(vm)]),
    onError: (_, { vm }) => refreshVm(vm.project_id, vm.id),
  })
}
