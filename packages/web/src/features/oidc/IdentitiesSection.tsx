import type { Identity } from '@slipway/contract'
import { errorDetail } from '../../api/errors.ts'
import { useIdentities, useProviders, useUnlink } from '../../api/identities.ts'
import { useMayTakeOff } from '../../api/sign-in-ways.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgo, formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { LinkForm } from './LinkForm.tsx'

/** By its name in the URL. */
const unlinkDialog = 'unlink-identity'

/** The identities at providers that can sign in to the account; nothing where there is no provider. */
export function IdentitiesSection() {
  const providers = useProviders()
  const { identities, loading, error, retry } = useIdentities()
  const mayTakeOff = useMayTakeOff()
  const openDialog = useOpenDialog()
  if (providers.length === 0 && identities.length === 0) return null
  const open = providers.filter(({ name }) => !identities.some(({ provider }) => provider === name))
  return (
    <Sheet aria-label="Linked identities" title="Linked identities">
      <p className="px-4 py-3 text-ink-2">
        {identities.length === 0 ? 'No provider can sign you in yet.' : 'These providers can sign you in.'}
      </p>
      {loading && (
        <div className="px-4 pb-3">
          <LoadingState text="Loading linked identities..." />
        </div>
      )}
      {error && !loading && (
        <div className="px-4 pb-4">
          <ErrorState
            title="Error Loading Linked Identities"
            message={['Failed to load linked identities.', errorDetail(error)].filter(Boolean).join(' ')}
            onRetry={retry}
          />
        </div>
      )}
      {identities.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {identities.map((identity) => (
            <IdentityRow
              key={identity.id}
              identity={identity}
              allowed={mayTakeOff(identity)}
              onUnlink={() => openDialog(unlinkDialog, identity.id)}
            />
          ))}
        </ul>
      )}
      {!loading && !error && open.length > 0 && <LinkForm providers={open} />}
      <ObjectDialogs
        objects={identities}
        loading={loading || error !== null}
        gone="The identity is not linked any more."
        dialogs={{
          [unlinkDialog]: (identity, close) => <Unlink identity={identity} onClose={() => close()} />,
        }}
      />
    </Sheet>
  )
}

interface IdentityRowProps {
  identity: Identity
  /** Whether it can be unlinked, or why not. */
  allowed: true | string
  onUnlink: () => void
}

function IdentityRow({ identity, allowed, onUnlink }: IdentityRowProps) {
  const { label, email, linked_at, last_used_at } = identity
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-3">
      <h3 className="text-body font-[550] wrap-anywhere">
        <bdi>{label}</bdi>
      </h3>
      <Button
        size="sm"
        aria-label={`Unlink ${label}`}
        disabledReason={allowed === true ? undefined : allowed}
        onClick={onUnlink}
      >
        Unlink
      </Button>
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">
        {email && <span className="wrap-anywhere">{email}</span>}
        <span>Linked {formatDateTime(linked_at)}</span>
        <span>Last used {formatAgo(last_used_at, Date.now()) || formatDateTime(last_used_at)}</span>
      </p>
    </li>
  )
}

function Unlink({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const unlinking = useUnlink()
  const act = useConfirmedAct({
    act: () => unlinking.mutateAsync(identity.id),
    done: 'Identity unlinked',
    failed: 'Failed to unlink the identity.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Unlink Identity"
      confirmLabel="Unlink"
      busyLabel="Unlinking..."
    >
      <p>
        <b>
          <bdi>{identity.label}</bdi>
        </b>{' '}
        can no longer sign you in to this account. Sessions that are open go on.
      </p>
    </ConfirmDialog>
  )
}
