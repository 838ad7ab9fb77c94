/** A real provider of OpenID Connect on this host, and browsers that go there and come back. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Context, Provider } from 'oidc-provider'
import { afterAll } from 'vitest'
import type { TestApp } from './app.test-kit.ts'
import type { OidcSettings } from './oidc/oidc.settings.ts'

/** What the provider says of somebody. */
export interface Claims {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

const clientId = 'slipway'
const clientSecret = 'a secret between the two, long enough'
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const callback = 'http://slipway.test/oidc/office/callback'

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

/** Starts a provider; whoever is in `people` can sign in there. It ends with the tests of the file. */
export async function startProvider({ claimsInIdToken = false } = {}) {
  const people = new Map<string, Claims>()
  let visitor: { id: string } | { error: string } = { error: 'access_denied' }
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }

  let handle: (...args: Parameters<ReturnType<Provider['callback']>>) => unknown = () => {}
  const server: Server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [callback, callback.replace('http:', 'https:')],
        backchannel_logout_uri: 'http://slipway.test/api/auth/oidc/office/backchannel-logout',
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [key] },
    // Else they are told at the endpoint for that.
    conformIdTokenClaims: !claimsInIdToken,
    cookies: { keys: ['of the test'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, id: string) =>
      people.has(id) ? { accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) } : undefined,
    // Nobody is asked what may be told.
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const own = provider.callback()
  handle = (request, response) =>
    request.url?.startsWith('/interaction/')
      ? provider.interactionFinished(
          request,
          response,
          'id' in visitor ? { login: { accountId: visitor.id } } : visitor,
        )
      : own(request, response)

  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  afterAll(stop)

  /** A logout token as the provider makes them; `claims` are others in place of its own. */
  async function logoutToken(claims: object, signWith = privateKey): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 120,
      events: { [logoutEvent]: {} },
      ...claims,
    }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' })
      .sign(signWith)
  }

  const settings: OidcSettings = {
    name: 'office',
    label: 'Office',
    issuer,
    clientId,
    clientSecret,
    scope: 'openid email profile groups',
    groupsClaim: 'groups',
    adminGroup: null,
    trustsEmail: false,
  }

  /** A browser, of its own unless its cookies are given, goes to the provider at `url`, signs in as somebody, and is led back: answers with where to. */
  async function go(
    url: string,
    as: { id: string } | { error: string },
    cookies = new Map<string, string>(),
  ): Promise<URL> {
    visitor = as
    for (let at = new URL(url), steps = 0; steps < 10; steps++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';', 1)[0]?.split(/=(.*)/s) ?? []
        cookies.set(name, value)
      }
      const to = response.headers.get('location')
      if (to === null) throw new Error(`${at} answers ${response.status}: ${await response.text()}`)
      at = new URL(to, at)
      if (at.origin !== issuer) return at
    }
    throw new Error('The provider leads nowhere')
  }

  return { issuer, settings, people, logoutToken, go, stop }
}

/** A browser at the console of an app, on its way to a provider and back. */
export function browserAt(app: Pick<TestApp, 'app' | 'mailsIdle'>, provider: Pick<TestProvider, 'go'>) {
  const cookies = new Map<string, string>()
  const headers = () => ({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') })

  async function ask(
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
    more: Record<string, string> = {},
  ) {
    const response = await app.app.inject({
      method,
      url,
      ...(payload && { payload }),
      headers: { ...headers(), ...more },
    })
    await app.mailsIdle()
    for (const { name, value } of response.cookies) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  const browser = {
    cookies,
    ask,
    /** Begins a visit; answers with where the provider is. */
    async begin(body: object = {}): Promise<string> {
      const response = await ask('POST', '/api/auth/oidc/office/begin', body)
      if (response.statusCode !== 200) throw new Error(response.body)
      return response.json<{ url: string }>().url
    },
    /** Comes back from the provider; answers with where the console leads. */
    async arrive(at: URL): Promise<string> {
      const response = await ask('GET', at.pathname + at.search, undefined, {
        'sec-fetch-site': 'cross-site',
      })
      if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`)
      return response.headers.location ?? ''
    },
    /** All of it, as somebody who is known at the provider. */
    signIn: async (id: string, body: object = {}): Promise<string> =>
      browser.arrive(await provider.go(await browser.begin(body), { id })),
    /** Who is signed in. */
    async me(): Promise<{ id: string; email: string; name: string; is_admin: boolean } | null> {
      const response = await ask('GET', '/api/auth/me')
      return response.statusCode === 200 ? response.json() : null
    },
    sessionCookie: () => [...cookies].find(([name]) => name.endsWith('slipway_session'))?.join('=') ?? '',
  }
  return browser
}
