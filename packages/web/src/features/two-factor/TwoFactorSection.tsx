import type { Totp } from '@slipway/contract'
import { lazy, Suspense } from 'react'
import { useRemoveTotp, useTotp } from '../../api/totp.ts'
import { LoadedSheet } from '../../shell/SheetList.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

// With the code that draws the QR code.
const SetUpDialog = lazy(async () => ({ default: (await import('./SetUpDialog.tsx')).SetUpDialog }))
const NewCodesDialog = lazy(async () => ({ default: (await import('./NewCodesDialog.tsx')).NewCodesDialog }))

/** By their names in the URL. */
const dialogs = { setUp: 'set-up-two-factor', turnOff: 'turn-off-two-factor', newCodes: 'new-recovery-codes' }

/** From here on the user should make new ones. */
const fewCodes = 3

/** Whether signing in asks for a code besides the password. */
export function TwoFactorSection() {
  const { totp, loading, error, retry } = useTotp()
  const openDialog = useOpenDialog()
  const settingUp = useDialog(dialogs.setUp)
  const turningOff = useDialog(dialogs.turnOff)
  const renewing = useDialog(dialogs.newCodes)
  return (
    <LoadedSheet
      title="Two-factor authentication"
      things={{ inSentence: 'two-factor authentication', inTitle: 'Two-Factor Authentication' }}
      query={{ loading, error, retry }}
      note="Signing in then asks for a code of an authenticator app besides your password."
    >
      {totp && (
        <div className="px-4 pb-3">
          <State totp={totp} onOpen={openDialog} />
        </div>
      )}
      <Suspense fallback={null}>
        {settingUp.open && <SetUpDialog onClose={() => settingUp.close()} />}
        {renewing.open && <NewCodesDialog onClose={() => renewing.close()} />}
      </Suspense>
      {turningOff.open && <TurnOff onClose={() => turningOff.close()} />}
    </LoadedSheet>
  )
}

function State({ totp, onOpen }: { totp: Totp; onOpen: (dialog: string) => void }) {
  const { enabled, since, recovery_codes_left: left } = totp
  if (!enabled) {
    return (
      <>
        <p className="mb-3 text-ink-3">Off.</p>
        <Button onClick={() => onOpen(dialogs.setUp)}>Set Up</Button>
      </>
    )
  }
  return (
    <>
      <p>
        On since {formatDateTime(since ?? '')}.{' '}
        {left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`}
      </p>
      {left < fewCodes && (
        <Banner tone="warn" className="mt-3">
          Create new recovery codes, so that you can still sign in without the app.
        </Banner>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={() => onOpen(dialogs.newCodes)}>New Recovery Codes</Button>
        <Button onClick={() => onOpen(dialogs.turnOff)}>Turn Off</Button>
      </div>
    </>
  )
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const removal = useRemoveTotp()
  const act = useConfirmedAct({
    act: () => removal.mutateAsync(),
    done: 'Two-factor authentication is off',
    failed: 'Failed to turn two-factor authentication off.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="Turn Off Two-Factor Authentication"
      confirmLabel="Turn Off"
      busyLabel="Turning off..."
    >
      <p>Your password alone is then enough to sign in. Your recovery codes stop working.</p>
    </ConfirmDialog>
  )
}
