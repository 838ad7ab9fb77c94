import { accountApi, headers } from '@slipway/contract'
import type { FastifyReply } from 'fastify'
import type { AccountService, SignedIn } from '../account/account.service.ts'
import { askerOf } from '../http/asker.ts'
import type { Route } from '../http/route.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { PasskeyService } from '../passkey/passkey.service.ts'
import type { SecondStepService } from './second-step.service.ts'

export interface WaysIn {
  accounts: Pick<AccountService, 'signIn'>
  secondStep: Pick<SecondStepService, 'finish'>
  passkeys: Pick<PasskeyService, 'beginSignIn' | 'signIn'>
}

/** `revision`: what an answer that is begun now includes at least; a page that begins with a sign-in has to know. */
export function signInRoutes(
  route: Route,
  { accounts, secondStep, passkeys }: WaysIn,
  cookie: Pick<SessionCookie, 'set'>,
  revision: () => string,
): void {
  function letIn({ user, ...session }: SignedIn, known: string, reply: FastifyReply) {
    cookie.set(reply, session)
    reply.header(headers.revision, known)
    return { user, message: 'Signed in successfully' }
  }

  route(accountApi.signIn, async ({ body }, request, reply) => {
    const known = revision()
    const outcome = await accounts.signIn(body, askerOf(request, reply))
    if ('codeNeeded' in outcome)
      return { code_needed: outcome.codeNeeded, message: 'Enter a code of your authenticator app' }
    return letIn(outcome, known, reply)
  })

  route(accountApi.signInWithCode, async ({ body }, request, reply) => {
    const known = revision()
    return letIn(await secondStep.finish(body.token, body.code, askerOf(request, reply)), known, reply)
  })

  route(accountApi.beginPasskey, (_, { ip }) => passkeys.beginSignIn(ip))

  route(accountApi.signInWithPasskey, async ({ body }, request, reply) => {
    const known = revision()
    const signedIn = await passkeys.signIn(body.passkey, body.remember_me, askerOf(request, reply))
    return letIn(signedIn, known, reply)
  })
}
