import type { Passkey } from '@slipway/contract'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { usePasskeys, usePasskeysWork, useRemovePasskey } from '../../api/passkeys.ts'
import { useMayTakeOff } from '../../api/sign-in-ways.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { SheetList, SheetRow } from '../../shell/SheetList.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgoOrDate, formatDateTime } from '../../time.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { reasonOf } from '../../ui/reason.ts'

const AddPasskeyDialog = lazy(async () => ({
  default: (await import('./PasskeyForms.tsx')).AddPasskeyDialog,
}))
const RenamePasskeyDialog = lazy(async () => ({
  default: (await import('./PasskeyForms.tsx')).RenamePasskeyDialog,
}))

/** By their names in the URL. */
const dialogs = { add: 'add-passkey', rename: 'rename-passkey', remove: 'remove-passkey' } as const

/** The devices and key rings that sign the user in by themselves. */
export function PasskeysSection() {
  const { passkeys, loading, error, retry } = usePasskeys()
  const works = usePasskeysWork()
  const mayTakeOff = useMayTakeOff()
  const openDialog = useOpenDialog()
  const adding = useDialog(dialogs.add)
  const now = Date.now()
  const reason = typeof works === 'string' ? works : undefined
  return (
    <SheetList
      title="Passkeys"
      things={{ inSentence: 'passkeys', inTitle: 'Passkeys' }}
      query={{ loading, error, retry }}
      note="Sign in with your phone, computer or security key in place of email, password and code."
      notice={reason}
      empty="No passkeys yet."
      actions={
        <Button
          size="sm"
          icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
          disabledReason={reason}
          onClick={() => openDialog(dialogs.add)}
        >
          Add Passkey
        </Button>
      }
      dialogs={
        <Suspense fallback={null}>
          {adding.open && <AddPasskeyDialog onClose={() => adding.close()} />}
          <ObjectDialogs
            objects={passkeys}
            loading={loading || error !== null}
            gone="The passkey no longer exists."
            dialogs={{
              [dialogs.rename]: (passkey, close) => (
                <RenamePasskeyDialog passkey={passkey} onClose={() => close()} />
              ),
              [dialogs.remove]: (passkey, close) => (
                <RemovePasskey passkey={passkey} onClose={() => close()} />
              ),
            }}
          />
        </Suspense>
      }
    >
      {passkeys.map((passkey) => (
        <PasskeyRow
          key={passkey.id}
          passkey={passkey}
          now={now}
          allowed={mayTakeOff('passkey')}
          onOpen={openDialog}
        />
      ))}
    </SheetList>
  )
}

interface PasskeyRowProps {
  passkey: Passkey
  now: number
  /** Whether it can be removed, or why not. */
  allowed: true | string
  onOpen: (dialog: string, of: string) => void
}

function PasskeyRow({ passkey, now, allowed, onOpen }: PasskeyRowProps) {
  const { id, name, created_at, last_used_at: used } = passkey
  return (
    <SheetRow
      name={name}
      action={
        <div className="flex gap-1">
          <IconButton
            size="sm"
            label={`Rename ${name}`}
            icon={<Pencil size={16} strokeWidth={1.6} aria-hidden />}
            onClick={() => onOpen(dialogs.rename, id)}
          />
          <IconButton
            size="sm"
            label={`Remove ${name}`}
            icon={<Trash2 size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={reasonOf(allowed)}
            onClick={() => onOpen(dialogs.remove, id)}
          />
        </div>
      }
    >
      <span>Added {formatDateTime(created_at)}</span>
      <span>{used ? `Last used ${formatAgoOrDate(used, now)}` : 'Not used yet'}</span>
    </SheetRow>
  )
}

function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const removal = useRemovePasskey()
  const act = useConfirmedAct({
    act: () => removal.mutateAsync(passkey.id),
    done: 'Passkey removed',
    failed: 'Failed to remove the passkey.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Remove Passkey"
      confirmLabel="Remove Passkey"
      busyLabel="Removing..."
    >
      <p>
        Nobody can sign in with{' '}
        <b>
          <bdi>{passkey.name}</bdi>
        </b>{' '}
        any more. Delete it on the device as well.
      </p>
    </ConfirmDialog>
  )
}
