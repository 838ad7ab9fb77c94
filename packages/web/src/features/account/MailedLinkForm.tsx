import { type FormEvent, useState } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import type { MailRequest } from './mailed-link.ts'

interface MailedLinkFormProps {
  email: string
  onEmailChange: (email: string) => void
  request: MailRequest
  hint?: string
  /** What the button says. */
  submit: string
}

/** An address, and a button that has a link mailed to it. */
export function MailedLinkForm({ email, onEmailChange, request, hint, submit }: MailedLinkFormProps) {
  const { ask, asking, outcome } = request
  const [missing, setMissing] = useState(false)
  const send = (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    setMissing(address === '')
    if (address && !asking) ask(address)
  }
  return (
    <form noValidate onSubmit={send} className="space-y-4">
      <Field label="Email" hint={hint} error={missing ? 'Please enter your email address' : undefined}>
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onChange={(event) => {
            onEmailChange(event.target.value)
            setMissing(false)
          }}
        />
      </Field>
      {outcome && !missing && (
        <Banner tone={outcome.sent ? 'info' : 'error'}>
          <p role={outcome.sent ? 'status' : undefined}>{outcome.text}</p>
        </Banner>
      )}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="w-full"
        busy={asking}
        busyText="Sending..."
      >
        {submit}
      </Button>
    </form>
  )
}
