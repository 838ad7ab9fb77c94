/** Back-channel logout: a provider ends the sessions that were begun through it. */
import { generateKeyPair } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../account/account.service.ts'
import { makeTestApp, type TestApp, testApp } from '../app.test-kit.ts'
import { browserAt, startProvider } from '../oidc.test-kit.ts'

const provider = await startProvider()
const { privateKey } = await generateKeyPair('RS256')
const app = await testApp({ oidc: [provider.settings] })

let people = 0
async function signedIn() {
  const id = `somebody-${++people}`
  provider.people.set(id, { email: `${id}@office.test`, email_verified: true, name: 'Grace' })
  const one = browserAt(app, provider)
  await one.signIn(id)
  const { sid } = await app.db
    .selectFrom('oidc_session')
    .select('sid')
    .where('subject', '=', id)
    .executeTakeFirstOrThrow()
  return { id, sid: sid ?? '', one }
}

let tokens = 0
const jti = () => `token-${++tokens}`

const post = (
  token: string,
  at: Pick<TestApp, 'app'> = app,
  more: Record<string, string> = {},
  provider = 'office',
) =>
  at.app.inject({
    method: 'POST',
    url: `/api/auth/oidc/${provider}/backchannel-logout`,
    payload: new URLSearchParams({ logout_token: token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...more },
  })

describe('a logout token', () => {
  it('ends the session that it names, and no other of the person', async () => {
    const { id, sid, one } = await signedIn()
    const other = browserAt(app, provider)
    await other.signIn(id)
    expect(sid).not.toBe('')
    const answer = await post(await provider.logoutToken({ jti: jti(), sub: id, sid }))
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([204, 'no-store'])
    expect([await one.me(), (await other.me()) !== null]).toEqual([null, true])
  })

  it('ends all sessions of a person when it names no session, and those of nobody else', async () => {
    const [ada, bob] = [await signedIn(), await signedIn()]
    const other = browserAt(app, provider)
    await other.signIn(ada.id)
    expect((await post(await provider.logoutToken({ jti: jti(), sub: ada.id }))).statusCode).toBe(204)
    expect([await ada.one.me(), await other.me()]).toEqual([null, null])
    expect(await bob.one.me()).not.toBeNull()
  })

  it('ends no session that was begun with a password', async () => {
    const { id } = await signedIn()
    const ada = await app.signedIn('Ada')
    await post(await provider.logoutToken({ jti: jti(), sub: id }))
    expect((await ada.raw('GET', '/api/auth/me')).status).toBe(200)
  })

  it('ends event streams, on all servers', async () => {
    const { id, one } = await signedIn()
    const beside = await app.serverBeside()
    await beside.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = beside.app.server.address() as { port: number }
    const stream = await fetch(`http://127.0.0.1:${port}/api/events`, {
      headers: { cookie: one.sessionCookie() },
    })
    expect(stream.status).toBe(200)
    const ended = stream.text()
    expect((await post(await provider.logoutToken({ jti: jti(), sub: id }))).statusCode).toBe(204)
    expect(await ended).toContain('event: hello')
  })

  it('works once, at whichever server', async () => {
    const { id, one } = await signedIn()
    const token = await provider.logoutToken({ jti: jti(), sub: id })
    expect((await post(token)).statusCode).toBe(204)
    await one.signIn(id)
    const beside = await app.serverBeside()
    expect((await post(token)).statusCode).toBe(400)
    expect((await post(token, beside)).statusCode).toBe(400)
    expect(await one.me()).not.toBeNull()
  })

  it('that comes while somebody is on the way back keeps that session from beginning', async () => {
    const { id } = await signedIn()
    const [jar, one] = [new Map<string, string>(), browserAt(app, provider)]
    const visit = async () => provider.go(await one.begin(), { id }, jar)
    await one.arrive(await visit())
    const { sid } = await app.db
      .selectFrom('oidc_session')
      .select('sid')
      .where('token_hash', '=', hashOf(one.cookies.get('slipway_session') ?? ''))
      .executeTakeFirstOrThrow()
    const at = await visit()
    await post(await provider.logoutToken({ jti: jti(), sid }))
    expect(await one.arrive(at)).toBe('/signin?problem=expired&provider=office')
    expect(await one.me()).toBeNull()
    await app.clock.advance(1000)
    // The session at the provider goes on, and begins another one here.
    expect(await one.arrive(await visit())).toBe('/')
    expect(await one.me()).not.toBeNull()
  })

  const nowS = () => Math.floor(Date.now() / 1000)
  it.each([
    ['of another key', () => ({}), privateKey],
    ['for somebody else', () => ({ aud: 'another' })],
    ['of another issuer', () => ({ iss: 'https://elsewhere.test' })],
    ['that has expired', () => ({ iat: nowS() - 300, exp: nowS() - 200 })],
    ['that is old', () => ({ iat: nowS() - 3600 })],
    ['without the event', () => ({ events: {} })],
    ['with a nonce, like an ID token', () => ({ nonce: 'n' })],
    ['without an id', () => ({ jti: undefined })],
    ['that names nobody', () => ({ sub: undefined })],
  ] as const)('%s is 400 and ends nothing', async (_, claims, key = undefined) => {
    const { id, one } = await signedIn()
    const answer = await post(await provider.logoutToken({ jti: jti(), sub: id, ...claims() } as object, key))
    expect([answer.statusCode, answer.json()]).toEqual([400, { message: 'The logout token is not valid' }])
    expect(await one.me()).not.toBeNull()
    for (const none of ['nonsense', '']) expect((await post(none)).statusCode).toBe(400)
  })

  it('for a provider that is not known is 404, and from a page of another site 403', async () => {
    const token = await provider.logoutToken({ jti: jti(), sub: 'x' })
    expect((await post(token, app, {}, 'elsewhere')).statusCode).toBe(404)
    expect((await post(token, app, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403)
  })

  it('cannot be verified while the provider is away: 503, so that it is sent again', async () => {
    const gone = await makeTestApp({ oidc: [{ ...provider.settings, issuer: 'http://127.0.0.1:1' }] })
    onTestFinished(() => gone.close())
    expect((await post(await provider.logoutToken({ jti: jti(), sub: 'x' }), gone)).statusCode).toBe(503)
  })
})
