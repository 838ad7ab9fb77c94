import type { Identity } from '@slipway/contract'
import { useIdentities, useProviders, useUnlink } from '../../api/identities.ts'
import { useMayTakeOff } from '../../api/sign-in-ways.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { SheetList, SheetRow } from '../../shell/SheetList.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgoOrDate, formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { reasonOf } from '../../ui/reason.ts'
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
    <SheetList
      title="Linked identities"
      things={{ inSentence: 'linked identities', inTitle: 'Linked Identities' }}
      query={{ loading, error, retry }}
      note={identities.length === 0 ? 'No provider can sign you in yet.' : 'These providers can sign you in.'}
      foot={!loading && !error && open.length > 0 && <LinkForm providers={open} />}
      dialogs={
        <ObjectDialogs
          objects={identities}
          loading={loading || error !== null}
          gone="The identity is not linked any more."
          dialogs={{
            [unlinkDialog]: (identity, close) => <Unlink identity={identity} onClose={() => close()} />,
          }}
        />
      }
    >
      {identities.map((identity) => (
        <IdentityRow
          key={identity.id}
          identity={identity}
          allowed={mayTakeOff(identity)}
          onUnlink={() => openDialog(unlinkDialog, identity.id)}
        />
      ))}
    </SheetList>
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
    <SheetRow
      name={label}
      action={
        <Button
          size="sm"
          aria-label={`Unlink ${label}`}
          disabledReason={reasonOf(allowed)}
          onClick={onUnlink}
        >
          Unlink
        </Button>
      }
    >
      {email && <span className="wrap-anywhere">{email}</span>}
      <span>Linked {formatDateTime(linked_at)}</span>
      <span>Last used {formatAgoOrDate(last_used_at, Date.now())}</span>
    </SheetRow>
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
