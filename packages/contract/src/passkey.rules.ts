export const passkeyTexts = {
  nameMissing: 'Please enter a name for the passkey',
  refused: 'The passkey could not be checked. Try again.',
  unknown: 'This passkey is not known here. It may have been removed.',
  known: 'This passkey is in use already',
  tooMany: 'An account can have at most 20 passkeys. Remove one that is no longer used.',
  notFound: 'Passkey not found',
  noOrigin:
    'Passkeys need a public URL with https and a host name. The operator sets it with SLIPWAY_PUBLIC_URL.',
} as const

/** How many passkeys an account can have. */
export const passkeyLimit = 20

/** How long the browser may take, in milliseconds. */
export const passkeyLastsMs = 5 * 60_000

/**
 * The origin at which browsers let a server use passkeys: https under a host name, or `localhost`. Null where none can.
 *
 * @param url - where people reach the server
 */
export function passkeyOriginOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, origin } = new URL(url)
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return origin
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return protocol === 'https:' && !isAddress ? origin : null
}

/** Whether passkeys work at the origin that a page was opened at, or the sentence why not. */
export function passkeysWorkAt(allowed: string | null, here: string): true | string {
  if (allowed === null) return passkeyTexts.noOrigin
  return allowed === here || `Passkeys work at ${allowed} only. Open the console there to use them.`
}
