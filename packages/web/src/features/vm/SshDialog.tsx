import { sshKeyDueHint, type Vm, vmCan } from '@slipway/contract'
import { useHost } from '../../api/host.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SshCommands } from './SshCommands.tsx'
import { moreOf } from './ssh-more.ts'
import { resumesText, sshCopyTexts, suspendedText } from './ssh-words.ts'
import { useSshWays } from './use-ssh-ways.ts'

/** How to get into a VM from one's own terminal, and with which key. */
export function SshDialog({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const gateway = useHost()?.ssh_gateway
  const [first, second] = useSshWays(vm)
  const allowed = vmCan.ssh(vm)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size={second ? 'lg' : 'md'}
      title="SSH Connect"
      description={`Opens a root shell on ${vm.name}.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {first && allowed === true ? (
        <div className="grid gap-4">
          <SshCommands first={first} second={second} />
          {vm.status === 'suspended' && <p className="text-hint text-ink-3">{resumesText}</p>}
          <details className="group">
            <summary className="cursor-pointer text-dense font-medium text-ink-2 hover:text-ink">
              Copy files and reach ports
            </summary>
            <ul className="mt-2 grid gap-2.5">
              {moreOf(first).map(({ label, command }) => (
                <li key={label}>
                  <p className="mb-1 text-hint text-ink-3">{label}</p>
                  <CodeLine
                    code={command}
                    copyLabel={`Copy the command: ${label}`}
                    success="Copied to clipboard!"
                    failure={sshCopyTexts.failure}
                  />
                </li>
              ))}
            </ul>
          </details>
        </div>
      ) : (
        <p className="text-ink-2">{allowed === true ? suspendedText : allowed}</p>
      )}
      <p className="mt-3 text-hint wrap-anywhere text-ink-3">
        The key <b className="font-medium text-ink-2">{vm.ssh_key_name}</b> is{' '}
        {vm.ssh_key_due === null ? 'installed' : 'not installed yet'}.{' '}
        {vm.ssh_key_due !== null && `${sshKeyDueHint[vm.ssh_key_due]} `}Use the private key that belongs to
        it; password authentication is disabled on the VM.
      </p>
      {gateway && !second && first?.kind !== 'gateway' && (
        <p className="mt-2 text-hint text-ink-3">
          SSH by name listens on the server's own machine only. Whoever runs it lets others in with{' '}
          <span className="mono">SLIPWAY_SSH_LISTEN</span>.
        </p>
      )}
      {gateway && (second || first?.kind === 'gateway') && (
        <p className="mt-2 text-hint wrap-anywhere text-ink-3">
          At the first time <span className="mono">ssh</span> asks about the console's own key. It is{' '}
          <span className="mono text-ink-2">{gateway.fingerprint}</span>.
        </p>
      )}
    </Dialog>
  )
}
