import { useState } from 'react'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'

interface LinkFormProps {
  /** Those that are not linked yet; at least one. */
  providers: readonly { name: string; label: string }[]
}

/** Leads to a provider, to come back with an identity that can sign in to the account. */
export function LinkForm({ providers }: LinkFormProps) {
  const [chosen, setChosen] = useState<string>()
  const shell = useFormShell({
    dirty: false,
    send: (provider: string) => call('oidc.link', { body: { provider } }),
    failureText: (error) => errorText(error, 'Failed to reach the sign-in provider.'),
  })
  function link(provider: string): void {
    setChosen(provider)
    void shell.submit(provider, { onSuccess: ({ url }) => window.location.assign(url) })
  }
  const isLeaving = shell.pending || shell.done
  return (
    <Form
      label="Link an identity"
      className="grid gap-4 border-t border-line px-4 py-4"
      onSubmit={() => providers[0] && link(providers[0].name)}
    >
      {shell.error && <Banner tone="error">{shell.error}</Banner>}
      <div className="flex flex-wrap gap-2">
        {providers.map(({ name, label }) => (
          <Button
            key={name}
            busy={isLeaving && chosen === name}
            busyText={`Going to ${label}...`}
            onClick={() => link(name)}
          >
            Link {label}
          </Button>
        ))}
      </div>
    </Form>
  )
}
