import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isMarked } from '../lib/session-token.ts'

const plainName = 'slipway_session'
/** Browsers store it only where https, this very host and all of its paths stand behind it (RFC 6265bis, 4.1.3.2). */
const hostName = `__Host-${plainName}`
const day = 24 * 60 * 60_000
/** How long a session of an earlier version is known by its former cookie, from its sign-in on. */
const formerMs = 30 * day

/** What is known of the session of a token. */
interface Known {
  signedInAt: string
  /** When the session ends that outlives the browser; null for others. */
  keptUntil: string | null
}

/**
 * The cookie of a session. Over https it is bound to this host: no other one, as that of a page below the same domain, can
 * store one that stands for it.
 */
export function makeSessionCookie(isSecure: boolean) {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const
  const name = isSecure ? hostName : plainName
  /** Requests whose session is known by the former cookie. */
  const former = new WeakMap<FastifyRequest, { token: string; known: Known }>()

  /** The one value of a cookie; undefined where a request has several: a page elsewhere may have stored another. */
  function only(request: FastifyRequest, wanted: string): string | undefined {
    const given = (request.headers.cookie ?? '').split(';').map((one) => one.trim().split('=', 1)[0])
    return given.filter((one) => one === wanted).length === 1 ? request.cookies[wanted] : undefined
  }

  function has(request: FastifyRequest, wanted: string): boolean {
    return request.cookies[wanted] !== undefined
  }

  function token(request: FastifyRequest): string | undefined {
    if (!isSecure || has(request, hostName)) return only(request, name)
    const old = only(request, plainName)
    return old !== undefined && isMarked(old) ? undefined : old
  }

  function clear(reply: FastifyReply): void {
    reply.clearCookie(name, cookie)
    if (isSecure) reply.clearCookie(plainName, cookie)
  }

  function set(reply: FastifyReply, session: { token: string; maxAgeMs: number | null }): void {
    const { token: value, maxAgeMs } = session
    reply.setCookie(name, value, {
      ...cookie,
      ...(maxAgeMs !== null && { maxAge: Math.floor(maxAgeMs / 1000) }),
    })
    if (isSecure) reply.clearCookie(plainName, cookie)
  }

  return {
    set,
    clear,
    /** The session token that a request carries. */
    token,
    /** Whether the session of a token that was found may be known by the cookie it came with. */
    holds(request: FastifyRequest, known: Known, now: number): boolean {
      const value = token(request)
      if (!isSecure || value === undefined || has(request, hostName)) return true
      if (now - Date.parse(known.signedInAt) > formerMs) return false
      former.set(request, { token: value, known })
      return true
    },
    /** Has whoever came by the former cookie go on with the new one. */
    renew(request: FastifyRequest, reply: FastifyReply, now: number): void {
      const came = former.get(request)
      // An answer that ends the session, or begins another, has said so.
      if (!came || reply.getHeader('set-cookie') !== undefined) return
      const { keptUntil } = came.known
      set(reply, {
        token: came.token,
        maxAgeMs: keptUntil === null ? null : Math.max(0, Date.parse(keptUntil) - now),
      })
    },
  }
}

export type SessionCookie = ReturnType<typeof makeSessionCookie>
