import { totpTexts } from '@slipway/contract'
import { useEffect, useRef, useState } from 'react'
import { errorText } from '../../api/errors.ts'
import { useBeginTotp, useConfirmTotp } from '../../api/totp.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { QrCode } from './QrCode.tsx'
import { ShownOnce } from './ShownOnce.tsx'

/** Shows the secret to an app, and turns it on once a code of the app comes back; then shows the recovery codes. */
export function SetUpDialog({ onClose }: { onClose: () => void }) {
  const beginning = useBeginTotp()
  const confirmation = useConfirmTotp()
  const [code, setCode] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  const begun = useRef(false)
  const { mutate: begin } = beginning
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    begin()
  }, [begin])
  const shell = useFormShell({
    dirty: code !== '',
    send: (typed: string) => confirmation.mutateAsync(typed),
    failureText: (error) => errorText(error, 'Failed to turn two-factor authentication on.'),
  })
  if (codes) return <ShownOnce codes={codes} onClose={onClose} />
  const setup = beginning.data
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Set Up Two-Factor Authentication"
      submit={{ label: 'Turn On', busyText: 'Turning on...' }}
      onSubmit={() =>
        setup &&
        code.trim() !== '' &&
        void shell.submit(code, { onSuccess: ({ recovery_codes }) => setCodes(recovery_codes) })
      }
      pending={shell.pending}
      error={shell.error}
      note={code.trim() === '' ? totpTexts.codeMissing : undefined}
    >
      {beginning.error && (
        <ErrorState
          title="Two-factor authentication cannot be set up"
          message={errorText(beginning.error, 'Failed to create a secret.')}
          onRetry={() => begin()}
        />
      )}
      {!setup && !beginning.error && <LoadingState text="Creating a secret..." />}
      {setup && (
        <>
          <p className="text-ink-2">Scan this with an authenticator app on your phone.</p>
          <QrCode text={setup.uri} label="QR code for the authenticator app" />
          <div>
            <p className="mb-1.5 text-dense font-medium">Or enter the secret by hand</p>
            <CodeLine
              code={setup.secret}
              copyLabel="Copy secret"
              success="Secret copied to clipboard!"
              failure="Failed to copy to clipboard."
            />
          </div>
          <Field label="Code" hint="The 6 digits that the app shows now">
            <TextInput
              autoComplete="one-time-code"
              inputMode="numeric"
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
