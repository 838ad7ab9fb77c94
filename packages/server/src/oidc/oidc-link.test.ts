/** Identities that are linked to an account by hand. */
import { oidcApi, oidcTexts, passkeyApi, signInWaysTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { browserAt, startProvider } from '../oidc.test-kit.ts'
import { addPasskey, testOrigin } from '../passkey.test-kit.ts'

const provider = await startProvider()
const app = await testApp({ oidc: [provider.settings], publicUrl: testOrigin })

let people = 0
function person() {
  const id = `somebody-${++people}`
  provider.people.set(id, { email: `${id}@office.test`, email_verified: true, name: 'Grace' })
  return id
}

const last = { status: 409, body: { message: signInWaysTexts.last } }

/** Somebody with a password, in a browser. */
async function withPassword() {
  const ada = await app.signedIn('Ada')
  const one = browserAt(app, provider)
  one.cookies.set('__Host-slipway_session', ada.cookie?.split('=')[1] ?? '')
  const link = (body: object = {}) => one.ask('POST', '/api/user/identities', { provider: 'office', ...body })
  /** Links somebody at the provider; answers with where that leads. */
  const linkTo = async (id: string) => one.arrive(await provider.go((await link()).json().url, { id }))
  const identities = async () => (await ada.call(oidcApi.list)).body
  return { ada, one, link, linkTo, identities }
}

describe('linking', () => {
  it('takes any identity that is nobody else’s', async () => {
    const { ada, linkTo, identities } = await withPassword()
    expect(await identities()).toEqual({ identities: [], has_password: true })
    const id = person()
    expect(await linkTo(id)).toBe('/account?linked=office')
    expect((await identities()).identities).toMatchObject([
      { provider: 'office', label: 'Office', issuer: provider.issuer, email: `${id}@office.test` },
    ])
    expect(app.mails.at(-1)).toMatchObject({
      to: ada.email,
      subject: 'Office can now sign you in to Slipway',
    })
    const later = browserAt(app, provider)
    await later.signIn(id)
    expect((await later.me())?.email).toBe(ada.email)
  })

  it('is refused for an unknown provider', async () => {
    const other = await (await withPassword()).link({ provider: 'elsewhere' })
    expect([other.statusCode, other.json()]).toEqual([404, { message: oidcTexts.unknownProvider }])
  })

  it('is refused for an identity of another account, and for a second one of the same provider', async () => {
    const taken = person()
    await browserAt(app, provider).signIn(taken)
    const { linkTo } = await withPassword()
    expect(await linkTo(taken)).toBe('/account?problem=taken&provider=office')
    const own = person()
    for (const _ of ['once', 'again']) expect(await linkTo(own)).toBe('/account?linked=office')
    expect(await linkTo(person())).toBe('/account?problem=linked_before&provider=office')
  })

  it('ends nowhere when somebody else is signed in meanwhile', async () => {
    const { one, link, identities } = await withPassword()
    const { url } = (await link()).json()
    const at = await provider.go(url, { id: person() })
    const eve = await app.signedIn('Eve')
    one.cookies.set('__Host-slipway_session', eve.cookie?.split('=')[1] ?? '')
    expect(await one.arrive(at)).toBe('/signin?problem=expired&provider=office')
    expect((await identities()).identities).toEqual([])
  })
})

describe('unlinking', () => {
  it('takes the identity off, and its owner is told', async () => {
    const { ada, linkTo, identities } = await withPassword()
    await linkTo(person())
    const [identity] = (await identities()).identities
    const params = { identityId: identity?.id ?? '' }
    expect((await ada.call(oidcApi.unlink, { params })).status).toBe(204)
    expect(app.mails.at(-1)).toMatchObject({ subject: 'Office can no longer sign you in to Slipway' })
    expect((await identities()).identities).toEqual([])
    expect(await ada.call(oidcApi.unlink, { params })).toMatchObject({
      status: 404,
      body: { message: oidcTexts.identityNotFound },
    })
  })

  it('is refused for the only way to sign in', async () => {
    const one = browserAt(app, provider)
    await one.signIn(person())
    const client = app.client(one.sessionCookie())
    const { identities, has_password } = (await client.call(oidcApi.list)).body
    expect(has_password).toBe(false)
    const params = { identityId: identities[0]?.id ?? '' }
    expect(await client.call(oidcApi.unlink, { params })).toMatchObject(last)
    expect((await client.call(oidcApi.list)).body.identities.length).toBe(1)
  })
})

describe('who signs in without a password', () => {
  /** With the identity that they came with, and a passkey. */
  async function withPasskey() {
    const one = browserAt(app, provider)
    await one.signIn(person())
    const grace = app.client(one.sessionCookie())
    const { passkeyId } = await addPasskey(grace)
    const identity = (await grace.call(oidcApi.list)).body.identities[0]
    const unlink = () => grace.call(oidcApi.unlink, { params: { identityId: identity?.id ?? '' } })
    const remove = () => grace.call(passkeyApi.delete, { params: { passkeyId } })
    return { grace, unlink, remove, identity }
  }

  it('unlinks the only identity for a passkey, which stays then', async () => {
    const { grace, unlink, remove } = await withPasskey()
    expect((await unlink()).status).toBe(204)
    expect(await remove()).toMatchObject(last)
    expect((await grace.call(passkeyApi.list)).body).toHaveLength(1)
  })

  it('removes the only passkey for an identity, which stays then', async () => {
    const { unlink, remove } = await withPasskey()
    expect((await remove()).status).toBe(204)
    expect(await unlink()).toMatchObject(last)
  })

  it('keeps one of both that are taken off at once', async () => {
    const { grace, unlink, remove } = await withPasskey()
    const answers = await Promise.all([unlink(), remove()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
    const kept = (await grace.call(passkeyApi.list)).body.length
    expect(kept + (await grace.call(oidcApi.list)).body.identities.length).toBe(1)
  })

  it('has no way by an identity whose provider is not offered any more', async () => {
    const { remove, identity } = await withPasskey()
    await app.db
      .updateTable('identity')
      .set({ issuer: 'https://gone.test' })
      .where('id', '=', identity?.id ?? '')
      .execute()
    expect(await remove()).toMatchObject(last)
  })
})
