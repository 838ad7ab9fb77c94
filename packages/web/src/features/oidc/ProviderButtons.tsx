import { useState } from 'react'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { useProviders } from '../../api/identities.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'

interface ProviderButtonsProps {
  remember: boolean
  /** The page to go on to after signing in. */
  from: string | undefined
}

/** A button for each provider that people can sign in with; nothing where there is none. */
export function ProviderButtons({ remember, from }: ProviderButtonsProps) {
  const providers = useProviders()
  const [busy, setBusy] = useState<string>()
  const [error, setError] = useState<string>()
  if (providers.length === 0) return null

  async function visit(provider: string): Promise<void> {
    setBusy(provider)
    setError(undefined)
    try {
      const body = { remember_me: remember, ...(from !== undefined && { from }) }
      const { url } = await call('oidc.begin', { params: { provider }, body })
      // The button stays busy until the browser has left.
      window.location.assign(url)
    } catch (failure) {
      setBusy(undefined)
      setError(errorText(failure, 'Failed to reach the sign-in provider.'))
    }
  }

  return (
    <section aria-label="Other ways to sign in" className="mt-5 grid gap-2.5 border-t border-line pt-5">
      {providers.map(({ name, label }) => (
        <Button
          key={name}
          size="lg"
          className="w-full"
          busy={busy === name}
          disabled={busy !== undefined && busy !== name}
          busyText={`Going to ${label}...`}
          onClick={() => void visit(name)}
        >
          <span className="truncate">Sign in with {label}</span>
        </Button>
      ))}
      {error && <Banner tone="error">{error}</Banner>}
    </section>
  )
}
