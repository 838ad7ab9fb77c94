import type { Vm, VmSnapshot } from '@slipway/contract'
import { useCallback, useMemo } from 'react'
import { useVms } from '../../api/vms.ts'

/** The VM of each snapshot of a project; null when it does not exist any more, undefined while nobody knows. */
export function useVmOfSnapshot(projectId: string): (snapshot: VmSnapshot) => Vm | null | undefined {
  const { vms, updatedAt } = useVms(projectId)
  const vmById = useMemo(() => new Map(vms.map((vm) => [vm.id, vm])), [vms])
  // Without a list nobody knows which VMs there are.
  const known = updatedAt > 0
  return useCallback(({ vm_id }) => vmById.get(vm_id) ?? (known ? null : undefined), [vmById, known])
}
