import { isComing, sshKeyDueHint, type Vm, vmCan } from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { SshCommands } from './SshCommands.tsx'
import { resumesText, suspendedText } from './ssh-words.ts'
import { useSshWays } from './use-ssh-ways.ts'

/** The commands that open a shell in a VM, or why there is none now. */
export function VmSsh({ vm }: { vm: Vm }) {
  const [first, second] = useSshWays(vm)
  const denied = useMay(vm.project_id)('vm.console')
  return (
    <section className="min-w-0">
      <h2 className="mb-2 text-section">SSH</h2>
      {denied !== true ? (
        <p className="text-ink-2">{denied}</p>
      ) : first && vmCan.ssh(vm) === true ? (
        <div className="grid gap-2.5">
          <SshCommands first={first} second={second} />
          {vm.status === 'suspended' && <p className="text-hint text-ink-3">{resumesText}</p>}
        </div>
      ) : (
        <p className="text-ink-2">{noAddressText(vm)}</p>
      )}
      <p className="mt-1.5 text-hint wrap-anywhere text-ink-3">
        Password authentication is disabled.{' '}
        {vm.ssh_key_due === null
          ? `Access is by the key ${vm.ssh_key_name} only.`
          : `The key is ${vm.ssh_key_name}. ${sshKeyDueHint[vm.ssh_key_due]}`}
      </p>
    </section>
  )
}

function noAddressText(vm: Vm): string {
  if (vm.status === 'suspended') return suspendedText
  if (vm.status === 'stopped') return 'The VM is stopped. It has an address while it runs.'
  if (vm.ip_address && isComing(vm)) return 'The command comes here as soon as SSH answers.'
  const allowed = vmCan.ssh(vm)
  return allowed === true ? '' : allowed
}
