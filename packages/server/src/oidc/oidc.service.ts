import { createHash, randomBytes } from 'node:crypto'
import { type OidcProblem, oidcQuery, oidcTexts, type User } from '@slipway/contract'
import type { Asker, NewSession } from '../account/account.service.ts'
import { access, entry } from '../activity/entry.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuseForNow } from '../lib/problem.ts'
import { safePath } from '../lib/safe-path.ts'
import type { IdentityService } from './identity.service.ts'
import { type OidcProvider, ProviderAway, SignInDenied } from './oidc.provider.ts'
import type { OidcRepo } from './oidc.repo.ts'

/** How long somebody may take at the provider. */
export const visitLifeMs = 10 * 60_000
/** Longer than a logout token is accepted for, with clocks that differ. */
const logoutsKeptMs = 60 * 60_000

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const secret = () => randomBytes(32).toString('base64url')

export type OidcService = ReturnType<typeof makeOidcService>

export interface OidcServiceOptions {
  repo: OidcRepo
  identities: Pick<IdentityService, 'signIn' | 'link'>
  providers: readonly OidcProvider[]
  limits: {
    /** Counts a visit from a network. Throws 429. */
    visit: (network: string) => Promise<void>
    /** Counts a logout token as one that is not valid, until it is known to be. Throws 429. */
    beginLogout: (network: string) => Promise<{ succeeded: () => Promise<void> }>
  }
  onSessionEnded: (sessionId: string) => void
  clock: Clock
  log: Log
}

/** A browser on its way to a provider. */
export interface Visit {
  url: string
  /** What the browser has to come back with, in a cookie of this name. */
  cookie: { name: string; value: string }
}

/** Where a browser goes that came back, and the session it has now. */
export interface Arrival {
  to: string
  session: NewSession | null
}

/** The way back knows its cookie by what the provider sends along, so that several tabs can be on their way. */
export const visitCookie = (state: string): string => `slipway_oidc_${hashOf(state).slice(0, 16)}`

/** Visits of people to providers of OpenID Connect, to sign in or to link an identity, and what providers say of their end. */
export function makeOidcService(options: OidcServiceOptions) {
  const { repo, identities, providers, limits, clock, log } = options
  const now = () => isoTime(clock.now())

  function providerOf(name: string): OidcProvider {
    const provider = providers.find(({ settings }) => settings.name === name)
    if (!provider) throw new Problem(404, oidcTexts.unknownProvider)
    return provider
  }

  async function begin(
    provider: OidcProvider,
    visit: { remember: boolean; from: string | null; accountId: string | null },
  ): Promise<Visit> {
    const { url, state, nonce, codeVerifier } = await provider.begin().catch((error: unknown) => {
      if (!(error instanceof ProviderAway)) throw error
      log.warn({ err: error, provider: provider.settings.name }, 'A sign-in provider does not respond')
      throw refuseForNow(503, oidcTexts.away, 30)
    })
    const value = secret()
    await repo.insertVisit({
      state_hash: hashOf(state),
      browser_hash: hashOf(value),
      provider: provider.settings.name,
      code_verifier: codeVerifier,
      nonce,
      remember: visit.remember ? 1 : 0,
      from_path: visit.from,
      account_id: visit.accountId,
      expires_at: isoTime(clock.now() + visitLifeMs),
    })
    return { url, cookie: { name: visitCookie(state), value } }
  }

  const leadTo = (path: string, query: Record<string, string>): Arrival => ({
    to: `${path}?${new URLSearchParams(query)}`,
    session: null,
  })
  const back = (page: '/signin' | '/account', problem: OidcProblem, provider: string): Arrival =>
    leadTo(page, { [oidcQuery.problem]: problem, [oidcQuery.provider]: provider })

  function problemOf(error: unknown, provider: string): OidcProblem {
    if (error instanceof SignInDenied) return 'cancelled'
    if (error instanceof ProviderAway) {
      log.warn({ err: error, provider }, 'A sign-in provider does not respond')
      return 'away'
    }
    log.error({ err: error, provider }, 'The response of a sign-in provider is not valid')
    return 'failed'
  }

  return {
    /** Throws 404, 429, and 503 when the provider does not respond. */
    async begin(
      name: string,
      { remember_me, from }: { remember_me: boolean; from?: string | undefined },
      asker: Asker,
    ): Promise<Visit> {
      await limits.visit(clientNetworkOf(asker.ip))
      return begin(providerOf(name), { remember: remember_me, from: safePath(from), accountId: null })
    },

    /** The same for somebody who is signed in. */
    async beginLink(user: User, name: string, asker: Asker): Promise<Visit> {
      await limits.visit(clientNetworkOf(asker.ip))
      return begin(providerOf(name), { remember: false, from: null, accountId: user.id })
    },

    /**
     * Somebody came back from a provider, with this query and the cookie that it asks for. `user` is who is signed in in this
     * browser. Never throws for what others can cause: it leads to a page that says so.
     */
    async arrive(
      name: string,
      query: string,
      cookieOf: (name: string) => string | undefined,
      user: User | null,
      asker: Asker,
    ): Promise<Arrival> {
      const state = new URLSearchParams(query).get('state') ?? ''
      const cookie = cookieOf(visitCookie(state))
      const visit = cookie === undefined ? null : await repo.takeVisit(hashOf(state), hashOf(cookie), now())
      const provider = providers.find(({ settings }) => settings.name === name)
      if (!visit || !provider || visit.provider !== name) return back('/signin', 'expired', name)
      const page = visit.account_id === null ? '/signin' : '/account'
      const secrets = { state, nonce: visit.nonce, codeVerifier: visit.code_verifier }
      const person = await provider.finish(query, secrets).catch((error: unknown) => problemOf(error, name))
      if (typeof person === 'string') return back(page, person, name)
      if (visit.account_id !== null) {
        // Somebody else signed in meanwhile, or nobody is signed in any more.
        if (user?.id !== visit.account_id) return back('/signin', 'expired', name)
        const problem = await identities.link(person, user, asker)
        return problem === null ? leadTo(page, { [oidcQuery.linked]: name }) : back(page, problem, name)
      }
      const session = await identities.signIn(
        person,
        {
          remember: visit.remember === 1,
          begun: isoTime(Date.parse(visit.expires_at) - visitLifeMs),
        },
        asker,
      )
      if (typeof session === 'string') return back(page, session, name)
      return { to: safePath(visit.from_path), session }
    },

    /** Ends sessions because the provider says so. Throws 400 for a token that is not valid or was used, 404, 429 and 503. */
    async signOut(name: string, token: string, ip: string): Promise<void> {
      const attempt = await limits.beginLogout(clientNetworkOf(ip))
      const provider = providerOf(name)
      const logout = await provider.readLogout(token).catch((error: unknown) => {
        log.warn({ err: error, provider: name }, 'A logout token was refused')
        if (error instanceof ProviderAway) throw refuseForNow(503, oidcTexts.away, 30)
        throw new Problem(400, oidcTexts.invalidLogoutToken)
      })
      const ended = await repo.endSessions(logout, now(), ({ id, name }) =>
        entry(
          clock.now(),
          { type: 'account', id, name, accountId: id },
          access(id, 'oidc.signOut', `Signed out by ${provider.settings.label}`),
        ),
      )
      await attempt.succeeded()
      if (ended === null) throw new Problem(400, oidcTexts.invalidLogoutToken)
      for (const id of ended) options.onSessionEnded(id)
    },

    /** Whether a group makes administrators by the settings as they are now. */
    isAdminGroup: ({ issuer, name }: { issuer: string; name: string }): boolean =>
      providers.some((one) => one.issuer === issuer && one.settings.adminGroup === name),

    /** Forgets visits that nobody came back from, and logout tokens that are too old to be sent again. */
    sweep: (): Promise<void> => repo.deleteExpired(now(), isoTime(clock.now() - logoutsKeptMs)),
  }
}
