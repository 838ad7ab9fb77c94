import type { Share, ShareAudience } from '@slipway/contract'

/**
 * Where a shared port is, for somebody who came to the console by `host`; null while it has no address. What the server
 * does not know is how people reach it: `:8101/` means the host of the address bar.
 */
export function fullAddress({ address, kind }: Pick<Share, 'address' | 'kind'>, host: string): string | null {
  if (address === '') return null
  if (!address.startsWith(':')) return address
  return kind === 'http' ? `http://${host}${address}` : `${host}${address}`
}

export const audienceLabels: Record<ShareAudience, string> = {
  project: 'People of this project',
  link: 'Whoever has the link',
  everybody: 'Everybody',
}
