import { isIP } from 'node:net'

/**
 * Whether a `Host` header names this server. Names that others control could be made to lead here (DNS rebinding),
 * and a browser would then let their pages read what we answer. An IP address and `localhost` cannot be taken over
 * so. Without a header no browser asks.
 *
 * @param names - host names without a port, in lower case
 */
export function isOwnHost(header: string | undefined, names: ReadonlySet<string>): boolean {
  if (header === undefined || header === '') return true
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(header)) return false
  const name = header
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || names.has(name)
}
