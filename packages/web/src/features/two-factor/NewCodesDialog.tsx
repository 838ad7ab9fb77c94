import { useState } from 'react'
import { useRenewCodes } from '../../api/totp.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { ShownOnce } from './ShownOnce.tsx'

/** Asks before the recovery codes so far stop working; then shows the new ones. */
export function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const renewal = useRenewCodes()
  const [codes, setCodes] = useState<readonly string[]>()
  const act = useConfirmedAct({
    act: async () => setCodes((await renewal.mutateAsync()).recovery_codes),
    failed: 'Failed to create recovery codes.',
    // The dialog goes on with the codes.
    onDone: () => {},
  })
  if (codes) return <ShownOnce codes={codes} onClose={onClose} />
  return (
    <ConfirmDialog
      {...act}
      open
      onOpenChange={onClose}
      title="New Recovery Codes"
      confirmLabel="Create Codes"
      busyLabel="Creating..."
      tone="normal"
    >
      <p>Ten new codes are created. The codes you have so far stop working.</p>
    </ConfirmDialog>
  )
}
