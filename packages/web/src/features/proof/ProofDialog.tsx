import { totpTexts } from '@slipway/contract'
import { useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { askForPasskey, usePasskeysWork } from '../../api/passkeys.ts'
import { settleProof } from '../../api/proof.ts'
import { giveProof, useProofWays } from '../../api/proof-ways.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, PasswordInput, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { usePasskey } from '../passkey/use-passkey.ts'

/** Asks who it is before a call that could take the account over; the call is then made again. */
export function ProofDialog() {
  const ways = useProofWays()
  const [chosen, setChosen] = useState<'password' | 'code'>()
  const way = chosen ?? (ways.password ? 'password' : ways.code ? 'code' : null)
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const works = usePasskeysWork()
  const byPasskey = usePasskey(async () => {
    await giveProof({ passkey: await askForPasskey(await call('proof.beginPasskey')) })
    settleProof(true)
  })
  const missing = way === 'password' ? 'Enter your password' : totpTexts.codeMissing
  const canUsePasskey = ways.passkey && works === true
  // Such as somebody whom a provider signs in, and nothing else.
  const noWay = canUsePasskey ? 'Use your passkey.' : 'Sign out and in again: a sign-in confirms it as well.'
  const shell = useFormShell({
    // Nothing that was worth keeping is lost.
    dirty: false,
    send: giveProof,
    failureText: (error) => errorText(error, 'Failed to confirm that it is you.'),
  })
  return (
    <FormDialog
      open
      onOpenChange={() => settleProof(false)}
      title="Confirm That It Is You"
      description="You are asked again before changes to how you sign in, and then not for ten minutes."
      submit={{ label: 'Confirm', busyText: 'Checking...' }}
      onSubmit={() =>
        way !== null &&
        text !== '' &&
        void shell.submit(way === 'password' ? { password: text } : { code: text }, {
          onSuccess: () => settleProof(true),
          onFailure: () => input.current?.select(),
        })
      }
      pending={shell.pending}
      error={shell.error}
      note={way === null ? noWay : text === '' ? missing : undefined}
    >
      {canUsePasskey && (
        <div>
          <Button
            busy={byPasskey.busy}
            busyText="Waiting for your passkey..."
            onClick={() => void byPasskey.use()}
          >
            Use a Passkey
          </Button>
          {byPasskey.error && (
            <Banner tone="error" className="mt-3">
              {byPasskey.error}
            </Banner>
          )}
        </div>
      )}
      {ways.password && ways.code && way !== null && (
        <RadioGroup
          label="With"
          value={way}
          onValueChange={(next) => {
            setChosen(next)
            setText('')
            shell.reset()
          }}
          options={[
            { value: 'password', label: 'Your password' },
            { value: 'code', label: 'A code of your app, or a recovery code' },
          ]}
        />
      )}
      {way === 'password' && (
        <Field label="Your password">
          <PasswordInput
            ref={input}
            autoComplete="current-password"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      )}
      {way === 'code' && (
        <Field label="Code">
          <TextInput
            ref={input}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}
