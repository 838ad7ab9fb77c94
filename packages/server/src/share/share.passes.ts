/**
 * Passes: who was let in to a share has a cookie that says so. It is signed with a key of the share, so every server
 * knows it, and a new key ends all of them. Cookies know no ports, so its name has the share in it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ShareRecord } from './share.state.ts'

/** By whose right: that of a session, or of the link. */
export type Pass = { sessionId: string } | 'link'

type Keyed = Pick<ShareRecord, 'id' | 'cookieKey'>

export const cookieName = ({ id }: Pick<ShareRecord, 'id'>, isSecure: boolean): string =>
  `${isSecure ? '__Host-' : ''}slipway_share_${id.replaceAll('-', '')}`

/** The header that stores a pass in a browser. It ends with the browser, the share, or the session. */
export const passCookie = (share: Keyed, pass: Pass, isSecure: boolean): string =>
  [
    `${cookieName(share, isSecure)}=${signed(share, pass)}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')

/**
 * The passes for a share among the cookies of a request. A page on another port of the host may have stored others by the
 * same name, so all are looked at.
 */
export function passesIn(header: string | undefined, share: Keyed, isSecure: boolean): Pass[] {
  const name = cookieName(share, isSecure)
  return (header ?? '').split(';').flatMap((one) => {
    const [its, value = ''] = one.trim().split('=', 2)
    const pass = its === name ? read(share, value) : null
    return pass === null ? [] : [pass]
  })
}

function read(share: Keyed, value: string): Pass | null {
  const by = /^(link|[0-9a-f]{64})\.[\w-]{43}$/.exec(value)?.[1]
  if (by === undefined) return null
  const pass = by === 'link' ? by : { sessionId: by }
  return isSame(value, signed(share, pass)) ? pass : null
}

function signed({ id, cookieKey }: Keyed, pass: Pass): string {
  const by = pass === 'link' ? pass : pass.sessionId
  return `${by}.${createHmac('sha256', cookieKey).update(`${id} ${by}`).digest('base64url')}`
}

/** Whether two texts are the same; takes the same time whatever is different. */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
