/** What happens to VMs that nobody uses. */
import type { Vm } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call, said } from './client.ts'
import { patchVms, refreshVm } from './vms.ts'

const paramsOf = (vm: Vm) => ({ projectId: vm.project_id, vmId: vm.id })

/** Lets the time without use begin anew. */
export function useKeepAwake() {
  return useMutation({
    mutationFn: (vm: Vm) => call('vm.keepAwake', { params: paramsOf(vm) }),
    onSuccess: (vm) => patchVms(vm.project_id, [said(vm)]),
    onError: (_, vm) => refreshVm(vm.project_id, vm.id),
  })
}
