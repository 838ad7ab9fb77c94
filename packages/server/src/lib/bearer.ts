import { timingSafeEqual } from 'node:crypto'

/** Whether a request carries a token. Takes the same time whatever is wrong with it. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(/^Bearer (.*)$/i.exec(authorization ?? '')?.[1] ?? '')
  const wanted = Buffer.from(token)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
