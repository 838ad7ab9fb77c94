import { Fingerprint } from 'lucide-react'
import { call } from '../../api/client.ts'
import { askForPasskey, usePasskeysWork } from '../../api/passkeys.ts'
import { signIn } from '../../api/session.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { FormNote } from '../../ui/FormNote.tsx'
import { usePasskey } from './use-passkey.ts'

/** Signs in with a passkey: no email address, no password, no code. */
export function PasskeyButton({ remember }: { remember: boolean }) {
  const works = usePasskeysWork()
  const passkey = usePasskey(async () => {
    const used = await askForPasskey(await call('account.beginPasskey'))
    const answer = await call('account.signInWithPasskey', { body: { passkey: used, remember_me: remember } })
    // The guard around the page then leads on to where the visitor came from.
    signIn(answer.user, answer)
  })
  const reason = typeof works === 'string' ? works : undefined
  return (
    <div className="mt-4 grid gap-3">
      <Button
        size="lg"
        className="w-full"
        icon={<Fingerprint size={16} strokeWidth={1.6} aria-hidden />}
        busy={passkey.busy}
        busyText="Waiting for your passkey..."
        disabledReason={reason}
        onClick={() => void passkey.use()}
      >
        Use a Passkey
      </Button>
      {reason && <FormNote>{reason}</FormNote>}
      {passkey.error && <Banner tone="error">{passkey.error}</Banner>}
    </div>
  )
}
