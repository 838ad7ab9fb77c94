import type { Host } from '@slipway/contract'
import { useHost } from '../../api/host.ts'

/** The address of a contact as a link, once it is known. */
export function Contact({ of }: { of: keyof Host['contacts'] }) {
  const address = useHost()?.contacts[of]
  if (!address) return <>the {of} contact in the footer</>
  return (
    <a href={`mailto:${address}`} className="link wrap-anywhere">
      {address}
    </a>
  )
}
