import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The bearer token of an `Authorization` header (RFC 6750); null without one. */
const bearerOf = (authorization: string | undefined): string | null =>
  /^Bearer (.*)$/i.exec(authorization ?? '')?.[1] ?? null

/** How API tokens begin, so that people and programs that look for lost secrets know one when they see it. */
export const apiTokenPrefix = 'slipway_'

/**
 * The API token that a request carries, whole or not; null when it carries none. Other bearer tokens are for other
 * programs, such as a proxy in front of this server.
 */
export function apiTokenOf({ headers }: { headers: IncomingHttpHeaders }): string | null {
  const bearer = bearerOf(headers.authorization)
  return bearer?.startsWith(apiTokenPrefix) ? bearer : null
}

/** Whether a request carries a token. Takes the same time whatever is wrong with it. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(bearerOf(authorization) ?? '')
  const wanted = Buffer.from(token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
