import { type Share, sharesPerVm, type Vm } from '@slipway/contract'
import { Pencil, Plus, X } from 'lucide-react'
import { useMemo } from 'react'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useShares } from '../../api/shares.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useDialogInUrl, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { later } from '../../ui/later.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { audienceLabels, fullAddress } from './share-address.ts'
import { shareDialogs } from './share-dialogs.ts'

const ways = { close: ({ onClose }: { onClose: () => void }) => onClose() }
// The forms come when they are first opened.
const CreateDialog = later(async () => (await import('./ShareForms.tsx')).CreateShareDialog, ways)
const ChangeDialog = later(async () => (await import('./ShareForms.tsx')).ChangeShareDialog, ways)
const StopDialog = later(async () => (await import('./StopSharingDialog.tsx')).StopSharingDialog, ways)

/** The shared ports of a VM, on its page. */
export function VmShares({ vm }: { vm: Vm }) {
  const { shares, loading, error, refetch } = useShares(vm.project_id)
  const openDialog = useOpenDialog()
  const { dialog, close } = useDialogInUrl()
  const may = useMay(vm.project_id)
  const { ports: limit } = useLimits()
  const own = useMemo(() => shares.filter(({ vm_id }) => vm_id === vm.id), [shares, vm.id])
  const full = own.length >= sharesPerVm
  return (
    <>
      <h3 className="mt-4 mb-2 text-dense font-medium">Shared ports</h3>
      {error ? (
        <p className="text-hint text-ink-3">
          {errorText(error, 'The shared ports could not be loaded.')}{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            Try Again
          </button>
        </p>
      ) : own.length > 0 ? (
        <ul className="sheet divide-y divide-line text-dense" aria-label="Shared ports">
          {own.map((share) => (
            <ShareRow key={share.id} share={share} onOpen={(name) => openDialog(name, share.id)} />
          ))}
        </ul>
      ) : (
        !loading && (
          <p className="text-hint text-ink-3">
            No port is shared. Share one to open a web page of this VM in a browser.
          </p>
        )
      )}
      <Button
        size="sm"
        icon={<Plus size={14} strokeWidth={1.6} aria-hidden />}
        disabledReason={
          reasonOf(may('share.create')) ??
          limit ??
          (full ? `This VM has ${sharesPerVm} shared ports, the maximum.` : undefined)
        }
        onClick={() => openDialog(shareDialogs.create, vm.id)}
        className="mt-2 phone:h-10"
      >
        Share a port
      </Button>
      {limit && <p className="mt-1.5 text-hint text-ink-3">{limit}</p>}
      {dialog?.name === shareDialogs.create && <CreateDialog vm={vm} taken={own} onClose={() => close()} />}
      <ObjectDialogs
        objects={own}
        loading={loading || error !== null}
        gone="The port is no longer shared."
        dialogs={{
          [shareDialogs.change]: (share, done) => <ChangeDialog share={share} onClose={() => done()} />,
          [shareDialogs.stop]: (share, done) => <StopDialog share={share} onClose={() => done()} />,
        }}
      />
    </>
  )
}

function ShareRow({ share, onOpen }: { share: Share; onOpen: (dialog: string) => void }) {
  const { port, kind, audience, expires_at, visits } = share
  const address = fullAddress(share, window.location.hostname)
  const may = useMay(share.project_id)
  const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const
  return (
    <li className="px-3.5 py-2">
      <div className="flex items-center gap-1.5">
        <span className="min-w-0 flex-1 font-[550]">
          Port {port}
          {kind === 'tcp' && ' (TCP)'}
        </span>
        <IconButton
          size="sm"
          label={`Change who may open port ${port}`}
          icon={<Pencil {...icon} />}
          disabledReason={reasonOf(may('share.update'))}
          onClick={() => onOpen(shareDialogs.change)}
        />
        <IconButton
          size="sm"
          label={`Stop sharing port ${port}`}
          icon={<X {...icon} />}
          disabledReason={reasonOf(may('share.delete'))}
          onClick={() => onOpen(shareDialogs.stop)}
          className="-mr-1.5"
        />
      </div>
      {address === null ? (
        <p className="text-hint text-ink-3">
          {(audience === 'link' && reasonOf(may('share.create'))) ||
            'This kind of sharing is switched off on the server.'}
        </p>
      ) : (
        <div className="flex min-w-0 items-center gap-1.5 text-hint">
          {kind === 'http' ? (
            <a
              href={address}
              target="_blank"
              rel="noreferrer"
              className="link mono min-w-0 wrap-anywhere phone:py-2.5"
            >
              {address}
            </a>
          ) : (
            <span className="mono min-w-0 wrap-anywhere">{address}</span>
          )}
          <CopyButton
            text={address}
            label={`Copy address of port ${port}`}
            success="Copied to clipboard!"
            failure="Failed to copy to clipboard."
            className="-my-1"
          />
        </div>
      )}
      <p className="text-label/4.5 text-ink-3">
        {audienceLabels[audience]}
        {expires_at && `, until ${formatDateTime(expires_at)}`}, {visits} {visits === 1 ? 'visit' : 'visits'}
      </p>
    </li>
  )
}
