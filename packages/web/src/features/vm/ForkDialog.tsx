import type { Vm } from '@slipway/contract'
import { useForkVm } from '../../api/vm-lifetime.ts'
import { useVms } from '../../api/vms.ts'
import { CopiesDialog } from '../vm-copies/CopiesDialog.tsx'

/** Asks how many copies of a VM are to be made. */
export function ForkDialog({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const { mutateAsync } = useForkVm()
  const { vms } = useVms(vm.project_id)
  return (
    <CopiesDialog
      call="vm.fork"
      of={{ params: { vmId: vm.id }, named: vms }}
      title="Fork VM"
      description={
        <>
          {vm.status === 'running'
            ? 'A copy continues from this moment, with everything that is running, '
            : 'A copy starts with the disks of this VM, '}
          and with its own host name, addresses, SSH host key and disks. <bdi>{vm.name}</bdi> is not changed.
        </>
      }
      source={vm}
      disks={vm.disks}
      proposal={`${vm.name}-copy`}
      submitLabel="Fork VM"
      send={(body) => mutateAsync({ vm, body })}
      onClose={onClose}
    />
  )
}
