import type { Passkey } from '@slipway/contract'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { errorDetail } from '../../api/errors.ts'
import { usePasskeys, usePasskeysWork, useRemovePasskey } from '../../api/passkeys.ts'
import { useMayTakeOff } from '../../api/sign-in-ways.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatAgo, formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Sheet } from '../../ui/Sheet.tsx'

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
    <Sheet
      aria-label="Passkeys"
      title="Passkeys"
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
    >
      <p className="px-4 py-3 text-ink-2">
        Sign in with your phone, computer or security key in place of email, password and code.
      </p>
      {reason && (
        <Banner tone="info" className="mx-4 mb-3">
          {reason}
        </Banner>
      )}
      {loading && (
        <div className="px-4 pb-3">
          <LoadingState text="Loading passkeys..." />
        </div>
      )}
      {error && !loading && (
        <div className="px-4 pb-4">
          <ErrorState
            title="Error Loading Passkeys"
            message={['Failed to load passkeys.', errorDetail(error)].filter(Boolean).join(' ')}
            onRetry={retry}
          />
        </div>
      )}
      {!loading && !error && passkeys.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-ink-3">No passkeys yet.</p>
      )}
      {passkeys.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              now={now}
              allowed={mayTakeOff('passkey')}
              onOpen={openDialog}
            />
          ))}
        </ul>
      )}
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
            [dialogs.remove]: (passkey, close) => <RemovePasskey passkey={passkey} onClose={() => close()} />,
          }}
        />
      </Suspense>
    </Sheet>
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
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 px-4 py-3">
      <h3 className="self-center text-body font-[550] wrap-anywhere">
        <bdi>{name}</bdi>
      </h3>
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
      <p className="col-span-2 mt-1 flex flex-wrap gap-x-4 text-hint text-ink-3">
        <span>Added {formatDateTime(created_at)}</span>
        <span>{used ? `Last used ${formatAgo(used, now) || formatDateTime(used)}` : 'Not used yet'}</span>
      </p>
    </li>
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
