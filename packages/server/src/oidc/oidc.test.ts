import { adminAccountApi, openSignUp, projectMemberApi } from '@slipway/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeTestApp, type TestApp, type TestAppOptions } from '../app.test-kit.ts'
import { browserAt, type Claims, startProvider } from '../oidc.test-kit.ts'
import { visitLifeMs } from './oidc.service.ts'

const provider = await startProvider()

async function installation(options: TestAppOptions = {}) {
  const app = await makeTestApp({ oidc: [provider.settings], ...options })
  onTestFinished(() => app.close())
  return { app, browser: () => browserAt(app, provider) }
}

/** A browser on its way back from the provider. */
async function onItsWay() {
  const its = await installation()
  const one = its.browser()
  return { ...its, one, at: await provider.go(await one.begin(), { id: person().id }) }
}

let people = 0
/** Somebody at the provider. */
function person(claims: Claims = {}) {
  const id = `somebody-${++people}`
  const email = `${id}@office.test`
  provider.people.set(id, { email, email_verified: true, name: 'Grace Hopper', ...claims })
  return { id, email: claims.email ?? email }
}
const problem = (name: string) => `/signin?problem=${name}&provider=office`
const accountsOf = async (app: TestApp) =>
  (await app.db.selectFrom('account').select('email').execute()).map(({ email }) => email)

describe('the first sign-in', () => {
  it('creates an account without a password, with a verified address, and leads on', async () => {
    const { app, browser } = await installation()
    const { id, email } = person()
    const one = browser()
    expect(await one.signIn(id, { from: '/projects?search=a' })).toBe('/projects?search=a')
    expect(await one.me()).toMatchObject({
      email,
      name: 'Grace Hopper',
      email_verified: true,
      is_admin: false,
    })
    const hashes = await app.db.selectFrom('account').select('password_hash').execute()
    expect(hashes).toEqual([{ password_hash: '' }])
    const byPassword = await one.ask('POST', '/api/auth/signin', { email, password: 'x' })
    expect(byPassword.statusCode).toBe(401)
    const told = await app.db.selectFrom('activity').select(['action', 'reason']).orderBy('id').execute()
    expect(told.slice(0, 3)).toMatchObject([
      { action: 'account.signUp', reason: 'With Office, from 127.0.0.1.' },
      { action: 'oidc.link' },
      { action: 'account.signIn', reason: 'With Office, from 127.0.0.1.' },
    ])
  })

  it('keeps the session for 30 days when that is asked for', async () => {
    const { app, browser } = await installation()
    await browser().signIn(person().id, { remember_me: true })
    await browser().signIn(person().id)
    const rows = await app.db.selectFrom('session').select(['remember']).orderBy('created_at').execute()
    expect(rows.map(({ remember }) => remember).sort()).toEqual([0, 1])
  })

  it('never leads to another site', async () => {
    const { browser } = await installation()
    for (const from of ['//evil.test', '/.//evil.test', '/%2e//evil.test', 'https://evil.test/'])
      expect(await browser().signIn(person().id, { from })).toBe('/')
  })

  it('names somebody without a name after the address', async () => {
    const { browser } = await installation()
    const { id } = person({ name: '\u202eevil' })
    const one = browser()
    await one.signIn(id)
    expect((await one.me())?.name).toBe(id)
  })

  it('creates an account by invitation only for who is invited', async () => {
    const signUp = { ...openSignUp }
    const { app, browser } = await installation({ signUp })
    const ada = await app.signedIn('Ada')
    const params = { projectId: await ada.make('/api/projects', { name: 'shared' }) }
    Object.assign(signUp, { policy: 'invitation' })
    await app.restart()
    const guest = person()
    const refused = browser()
    expect(await refused.signIn(guest.id)).toBe(problem('sign_up'))
    expect([await refused.me(), await accountsOf(app)]).toEqual([null, [ada.email]])
    await ada.call(projectMemberApi.invite, { params, body: { email: guest.email, role: 'viewer' } })
    expect(await browser().signIn(guest.id)).toBe('/')
    expect(await accountsOf(app)).toContain(guest.email)
  })

  it('creates one where only providers sign up, and sign-up by password is turned off there', async () => {
    const { app, browser } = await installation({ signUp: { policy: 'oidc', domains: [] } })
    expect(await browser().signIn(person().id)).toBe('/')
    const body = { name: 'Ada', email: 'ada@office.test', password: 'Correct-horse-1' }
    expect(await app.client().raw('POST', '/api/auth/signup', body)).toMatchObject({
      status: 403,
      body: { message: 'Sign-up by password is turned off: sign in with a provider instead.' },
    })
  })

  it('is refused without an address, and with one that the provider has not verified', async () => {
    const { app, browser } = await installation()
    expect(await browser().signIn(person({ email_verified: false }).id)).toBe(problem('unverified_email'))
    expect(await browser().signIn(person({ email: '' }).id)).toBe(problem('no_email'))
    expect(await browser().signIn(person({ email: 'no address' }).id)).toBe(problem('no_email'))
    expect(await accountsOf(app)).toEqual([])
  })

  it('takes any address where the provider is trusted with that', async () => {
    const { browser } = await installation({ oidc: [{ ...provider.settings, trustsEmail: true }] })
    expect(await browser().signIn(person({ email_verified: false }).id)).toBe('/')
  })
})

describe('somebody who has an account', () => {
  it('is found by the address that is verified at both, and told by email', async () => {
    const { app, browser } = await installation()
    const ada = await app.signedIn('Ada')
    const { id } = person({ email: ada.email.toUpperCase() })
    const one = browser()
    expect(await one.signIn(id)).toBe('/')
    expect(await one.me()).toMatchObject({ email: ada.email, name: 'Ada' })
    expect(app.mails.at(-1)).toMatchObject({
      to: ada.email,
      subject: 'Office can now sign you in to Slipway',
    })
    expect((await accountsOf(app)).length).toBe(1)
  })

  it('is found again after the address changed at the provider', async () => {
    const { browser } = await installation()
    const { id, email } = person()
    const one = browser()
    await one.signIn(id)
    const before = await one.me()
    provider.people.set(id, { email: 'changed@office.test', email_verified: false })
    const other = browser()
    expect(await other.signIn(id)).toBe('/')
    expect(await other.me()).toEqual(before)
    expect(before?.email).toBe(email)
  })

  it('is refused while the address is not verified here: the account may be that of a stranger', async () => {
    const { app, browser } = await installation()
    const { id, email } = person()
    await app.client().raw('POST', '/api/auth/signup', { name: 'Eve', email, password: 'Correct-horse-1' })
    expect(await browser().signIn(id)).toBe(problem('unverified_account'))
    expect(await app.db.selectFrom('identity').selectAll().execute()).toEqual([])
  })

  it('is refused when the address was somebody else’s at the provider', async () => {
    const { browser } = await installation()
    const first = person()
    await browser().signIn(first.id)
    const heir = person({ email: first.email })
    expect(await browser().signIn(heir.id)).toBe(problem('other_identity'))
  })

  it('is refused while the account is disabled, known or not', async () => {
    const { app, browser } = await installation({ admins: ['person-1@slipway.test'] })
    const admin = await app.signedIn('Admin')
    const known = person()
    const one = browser()
    await one.signIn(known.id)
    const accountId = (await one.me())?.id ?? ''
    await admin.call(adminAccountApi.disable, { params: { accountId } })
    expect(await one.me()).toBeNull()
    expect(await browser().signIn(known.id)).toBe(problem('disabled'))
    await app.db.deleteFrom('identity').execute()
    expect(await browser().signIn(known.id)).toBe(problem('disabled'))
  })
})

describe('the way back', () => {
  it('works once', async () => {
    const { browser, one, at } = await onItsWay()
    const kept = new Map(one.cookies)
    expect(await one.arrive(at)).toBe('/')
    const again = browser()
    for (const [name, value] of kept) again.cookies.set(name, value)
    expect(await again.arrive(at)).toBe(problem('expired'))
    expect(await again.me()).toBeNull()
  })

  it('works in the browser only that set out, and leaves the visit to that', async () => {
    const { browser, one, at } = await onItsWay()
    const other = browser()
    expect(await other.arrive(at)).toBe(problem('expired'))
    for (const name of one.cookies.keys()) other.cookies.set(name, 'another')
    expect(await other.arrive(at)).toBe(problem('expired'))
    expect(await one.arrive(at)).toBe('/')
  })

  it('does not work with another state, nor with none', async () => {
    const { one, at } = await onItsWay()
    const wrong = new URL(at)
    wrong.searchParams.set('state', 'another')
    expect(await one.arrive(wrong)).toBe(problem('expired'))
    wrong.searchParams.delete('state')
    expect(await one.arrive(wrong)).toBe(problem('expired'))
  })

  it('does not work with a code of another visit, nor with a made-up one', async () => {
    const { browser, one, at } = await onItsWay()
    const other = browser()
    const theirs = await provider.go(await other.begin(), { id: person().id })
    const mixed = new URL(at)
    mixed.searchParams.set('code', theirs.searchParams.get('code') ?? '')
    expect(await one.arrive(mixed)).toBe(problem('failed'))
    const made = new URL(theirs)
    made.searchParams.set('code', 'made-up')
    expect(await other.arrive(made)).toBe(problem('failed'))
    expect(await one.me()).toBeNull()
  })

  it('does not work after ten minutes', async () => {
    const { app, one, at } = await onItsWay()
    await app.clock.suspend(visitLifeMs + 1)
    expect(await one.arrive(at)).toBe(problem('expired'))
  })

  it('says when the provider refused', async () => {
    const { browser } = await installation()
    const one = browser()
    const at = await provider.go(await one.begin(), { error: 'access_denied' })
    expect(await one.arrive(at)).toBe(problem('cancelled'))
  })

  it('knows only the providers of the settings', async () => {
    const { one, at } = await onItsWay()
    const elsewhere = new URL(at.href.replace('/office/', '/elsewhere/'))
    expect(await one.arrive(elsewhere)).toBe('/signin?problem=expired&provider=elsewhere')
    expect((await one.ask('POST', '/api/auth/oidc/elsewhere/begin', {})).statusCode).toBe(404)
  })

  it('leads two tabs on, each by its own visit', async () => {
    const { browser } = await installation()
    const one = browser()
    const { id } = person()
    const urls = [await one.begin({ from: '/a' }), await one.begin({ from: '/b' })]
    const ways = [await provider.go(urls[0] ?? '', { id }), await provider.go(urls[1] ?? '', { id })]
    for (const [at, way] of ways.entries()) expect(await one.arrive(way)).toBe(['/a', '/b'][at])
  })

  it('leads to another server of the installation', async () => {
    const { app, one, at } = await onItsWay()
    const there = browserAt(await app.serverBeside(), provider)
    for (const [name, value] of one.cookies) there.cookies.set(name, value)
    expect(await there.arrive(at)).toBe('/')
    expect(await there.me()).not.toBeNull()
  })

  it('makes one account of two first sign-ins at once', async () => {
    const { app, browser } = await installation()
    const { id } = person()
    const both = await Promise.all(
      [browser(), browser()].map(async (one) => ({ one, at: await provider.go(await one.begin(), { id }) })),
    )
    expect(await Promise.all(both.map(({ one, at }) => one.arrive(at)))).toEqual(['/', '/'])
    expect((await accountsOf(app)).length).toBe(1)
  })
})

describe('a provider that says all in its ID token', () => {
  it('is believed as much', async () => {
    const short = await startProvider({ claimsInIdToken: true })
    const { app } = await installation({ oidc: [{ ...short.settings, adminGroup: 'operators' }] })
    const claims = { email: 'a@office.test', name: 'Grace', groups: ['operators'] }
    short.people.set('a', { ...claims, email_verified: true })
    const one = browserAt(app, short)
    expect(await one.signIn('a')).toBe('/')
    expect(await one.me()).toMatchObject({ email: 'a@office.test', name: 'Grace', is_admin: true })
    short.people.set('b', { email: 'b@office.test', email_verified: false })
    expect(await browserAt(app, short).signIn('b')).toBe(problem('unverified_email'))
  })
})

describe('a provider that is away', () => {
  it('keeps nothing from starting, and says so when its button is used', async () => {
    const issuer = 'http://127.0.0.1:1'
    const { app } = await installation({ oidc: [{ ...provider.settings, issuer }] })
    expect((await app.client().raw('GET', '/api/host')).body).toMatchObject({
      oidc_providers: [{ name: 'office', label: 'Office' }],
    })
    expect(await app.client().raw('POST', '/api/auth/oidc/office/begin', {})).toMatchObject({
      status: 503,
      body: {
        message: 'The sign-in provider does not respond. Try again in a moment, or sign in another way.',
      },
    })
    expect(await app.db.selectFrom('oidc_visit').selectAll().execute()).toEqual([])
  })

  it('says so on the way back', async () => {
    const short = await startProvider()
    const { app } = await installation({ oidc: [short.settings] })
    short.people.set('a', { email: 'a@office.test', email_verified: true })
    const one = browserAt(app, short)
    const at = await short.go(await one.begin(), { id: 'a' })
    await short.stop()
    expect(await one.arrive(at)).toBe(problem('away'))
  })

  it('of another issuer than the settings say is refused', async () => {
    const { app } = await installation({
      oidc: [{ ...provider.settings, issuer: `${provider.issuer}/other` }],
    })
    expect((await app.client().raw('POST', '/api/auth/oidc/office/begin', {})).status).toBe(503)
  })
})

describe('a group', () => {
  const adminGroup = 'operators'
  const withGroup = { oidc: [{ ...provider.settings, adminGroup }] }
  const health = async (one: ReturnType<typeof browserAt>) =>
    (await one.ask('GET', '/api/admin/health')).statusCode

  it('makes administrators, for the sessions that begin with it', async () => {
    const { app, browser } = await installation(withGroup)
    const { id } = person({ groups: ['people', adminGroup] })
    const one = browser()
    await one.signIn(id)
    expect([(await one.me())?.is_admin, await health(one)]).toEqual([true, 200])
    const other = browser()
    await other.signIn(person({ groups: ['people'] }).id)
    expect([(await other.me())?.is_admin, await health(other)]).toEqual([false, 403])
    provider.people.set(id, { ...provider.people.get(id), groups: [] })
    await one.signIn(id)
    expect([(await one.me())?.is_admin, await health(one)]).toEqual([false, 403])
    expect((await app.client().raw('POST', '/api/admin/templates', {})).status).toBe(401)
  })

  it('makes none once the settings name another', async () => {
    const settings = { ...provider.settings, adminGroup: adminGroup as string | null }
    const { app, browser } = await installation({ oidc: [settings] })
    const one = browser()
    await one.signIn(person({ groups: [adminGroup] }).id)
    settings.adminGroup = 'others'
    await app.restart()
    expect(await health(one)).toBe(403)
  })
})

describe('what is forgotten', () => {
  it('is visits that nobody came back from, and logout tokens that are old', async () => {
    const { app, browser } = await installation()
    await browser().begin()
    await app.clock.suspend(3 * 60 * 60_000)
    await app.idle()
    await app.clock.advance(0)
    expect(await app.db.selectFrom('oidc_visit').selectAll().execute()).toEqual([])
  })
})
