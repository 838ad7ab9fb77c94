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

/** How long a port is shared from now on, in milliseconds; null for ever. */
export const spans = {
  never: { label: 'No end', ms: null },
  hour: { label: '1 hour', ms: 3_600_000 },
  day: { label: '1 day', ms: 86_400_000 },
  week: { label: '7 days', ms: 7 * 86_400_000 },
} as const
export type Span = keyof typeof spans

export const endOf = (span: Span, now: number): string | null => {
  const { ms } = spans[span]
  return ms === null ? null : new Date(now + ms).toISOString()
}
