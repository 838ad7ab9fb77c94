import { gatewayCommand, type SshKey, sshKeyProofMin } from '@slipway/contract'
import { useEffect } from 'react'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useProveSshKey, useSshKeyWatch } from '../../api/ssh-keys.ts'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { toast } from '../../ui/toast.tsx'

/** The command that proves a key, and what came of it: the dialog closes when the server has seen the key. */
export function ProveSshKeyDialog({ sshKey, onClose }: { sshKey: SshKey; onClose: CloseDialog }) {
  const gateway = useHost()?.ssh_gateway
  const { mutate, data, isError, error } = useProveSshKey()
  const ask = () => mutate(sshKey.id)
  useEffect(() => mutate(sshKey.id), [mutate, sshKey.id])
  useSshKeyWatch()
  const isProven = sshKey.proof === 'proven'
  useEffect(() => {
    if (isProven && onClose()) toast.success('SSH key proven successfully!')
  })

  const host = gateway?.host ?? window.location.hostname
  return (
    <Dialog
      open
      onOpenChange={() => onClose()}
      title="Prove SSH Key"
      description="Run this command on the computer that has the private key."
      footer={
        <Button variant="secondary" onClick={() => onClose()}>
          Close
        </Button>
      }
    >
      {isError && (
        <Banner
          tone="error"
          action={
            <Button size="sm" variant="secondary" onClick={ask}>
              Try Again
            </Button>
          }
        >
          {errorText(error, 'Failed to get the command.')}
        </Banner>
      )}
      {!isError && !(data && gateway) && <LoadingState text="Getting the command..." />}
      {data && gateway && (
        <div className="grid gap-3">
          <CodeLine
            code={gatewayCommand(data.user_name, { host, port: gateway.port })}
            copyLabel="Copy the command that proves the key"
            success="Copied to clipboard!"
            failure="Failed to copy command"
          />
          <p className="text-hint text-ink-3">
            It works once, within {sshKeyProofMin} minutes, and opens nothing. With several keys, name this
            one with <span className="mono">-i</span>. ssh may ask about the console's own key; it is{' '}
            <span className="mono wrap-anywhere text-ink-2">{gateway.fingerprint}</span>.
          </p>
          <LoadingState text="Waiting for the sign-in..." />
        </div>
      )}
    </Dialog>
  )
}
