import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const sessionCookie = 'slipway_session'

/**
 * The session token a request carries; none where it carries several. Pages on other ports of the host, as those of shared
 * ports, can store cookies here, and one of them would otherwise let somebody act in the account of another.
 */
export function sessionToken(request: FastifyRequest): string | undefined {
  const given = (request.headers.cookie ?? '').split(';').map((one) => one.trim().split('=', 1)[0])
  const isOne = given.filter((name) => name === sessionCookie).length === 1
  return isOne ? request.cookies[sessionCookie] : undefined
}

/** The cookie of a session. */
export function makeSessionCookie(isSecure: boolean) {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const
  return {
    set(reply: FastifyReply, { token, maxAgeMs }: { token: string; maxAgeMs: number | null }): void {
      reply.setCookie(sessionCookie, token, {
        ...cookie,
        ...(maxAgeMs !== null && { maxAge: maxAgeMs / 1000 }),
      })
    },
    clear: (reply: FastifyReply): void => void reply.clearCookie(sessionCookie, cookie),
  }
}

export type SessionCookie = ReturnType<typeof makeSessionCookie>
