/** What strangers may cost, and what a session is worth while its account changes. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { accountApi, apiTokenApi, endpoints, projectApi, sshKeyApi } from '@slipway/contract'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type AccountLimits, makeAccountLimits } from '../account/account.limits.ts'
import { hashedAtOnce, owaspCost, queuePlaces } from '../account/password.ts'
import { lastMail, makeTestApp, newPublicKey, testApp, tokenOf } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { silentLog } from '../lib/log.ts'
import { makeNoPeers } from '../lib/peers.ts'
import { makeAuthenticator } from '../passkey.test-kit.ts'

const app = await testApp({ trustedProxies: ['127.0.0.1'], passwordCost: owaspCost })
const password = 'Correct-horse-1'

/** Signs in from an address, which a trusted proxy tells. */
const signInFrom = (address: string, email: string, secret = password) =>
  app.client().raw('POST', '/api/auth/signin', { email, password: secret }, { 'x-forwarded-for': address })

const guessFrom = (address: string, email: string) => signInFrom(address, email, 'Wrong-horse-1')

const statusesOf = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

/** One after the other, so that nobody waits. */
async function inTurn(count: number, ask: (i: number) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i++) statuses.push((await ask(i)).status)
  return statuses
}

describe('guessing passwords', () => {
  it('counts the addresses of one IPv6 network as one', async () => {
    const statuses = await inTurn(12, (i) => guessFrom(`2001:db8:1:2::${i + 1}`, 'six@slipway.test'))
    expect(statuses.slice(-3)).toEqual([401, 429, 429])
    const refused = await guessFrom('2001:db8:1:2::ffff', 'six@slipway.test')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await guessFrom('2001:db8:1:3::1', 'six@slipway.test')).status).toBe(401)
  })

  it('never slows down who knows the password, however often', async () => {
    const { email } = await app.signedIn('Often')
    const statuses = await inTurn(25, () => signInFrom('198.51.100.77', email))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  /** Counts failures until they are refused. */
  async function failuresUntilRefused(
    limits: AccountLimits,
    tryAt: (i: number) => [email: string, from: string],
  ) {
    for (let i = 0; i < 1000; i++) {
      const attempt = await limits.beginSignIn(...tryAt(i)).catch(() => null)
      if (!attempt) return i
    }
    return null
  }

  it('is refused for an address that tries many accounts, and not for others', async () => {
    const limits = makeAccountLimits(makeNoPeers(), async () => [], silentLog)
    expect(await failuresUntilRefused(limits, (i) => [`a${i}`, '192.0.2.1'])).toBe(100)
    await limits.beginSignIn('a1', '192.0.2.2')
  })

  it('is refused for an account that many addresses try, and not for its owner where he was before', async () => {
    const limits = makeAccountLimits(makeNoPeers(), async () => [], silentLog)
    await (await limits.beginSignIn('owner', '198.51.100.1')).succeeded()
    expect(await failuresUntilRefused(limits, (i) => ['owner', `192.0.2.${i}`])).toBe(100)
    await expect(limits.beginSignIn('owner', '198.51.100.2')).rejects.toMatchObject({ status: 429 })
    await (await limits.beginSignIn('owner', '198.51.100.1')).succeeded()
    await limits.beginSignIn('other', '192.0.2.1')
  })

  it('is not refused to an owner who is signed in where he was before, also after a restart of the server', async () => {
    const own = await testApp({ trustedProxies: ['127.0.0.1'] })
    const { email } = await own.signedIn('Owner')
    const signInAt = async (address: string, tried: string) => {
      const body = { email, password: tried }
      return (await own.client().raw('POST', '/api/auth/signin', body, { 'x-forwarded-for': address })).status
    }
    expect(await signInAt('198.51.100.7', password)).toBe(200)
    await own.restart()
    for (let i = 0; i < 100; i++) expect(await signInAt(`203.0.113.${i}`, 'Wrong-horse-1')).toBe(401)
    expect(await signInAt('203.0.113.200', password)).toBe(429)
    expect(await signInAt('198.51.100.7', password)).toBe(200)
  })

  it('uses up no limit by tries that another limit refuses, or that were never looked at', async () => {
    const limits = makeAccountLimits(makeNoPeers(), async () => [], silentLog)
    for (let i = 0; i < 500; i++) await limits.beginSignIn('one', '192.0.2.1').catch(() => {})
    expect(await failuresUntilRefused(limits, (i) => [`a${i}`, '192.0.2.1'])).toBe(90)
    for (let i = 0; i < 500; i++) await (await limits.beginSignIn('two', '192.0.2.2')).notMade()
    expect(await failuresUntilRefused(limits, () => ['two', '192.0.2.2'])).toBe(10)
  })
})

describe('hashing passwords', () => {
  it('503 with Retry-After instead of a queue without end', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => guessFrom(`192.0.2.${100 + i}`, `crowd-${i}@slipway.test`)),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(32)
    expect(refused.length).toBeGreaterThan(15)
    expect(refused[0]).toMatchObject({
      body: { message: 'Too many sign-ins at the moment. Try again in a few seconds.' },
      headers: { 'retry-after': '3' },
    })
  })

  /** Asks for something that hashes a password, each time from another address. */
  const askFrom = (address: string, what: 'signup' | 'reset-password', body: object) =>
    app.client().raw('POST', `/api/auth/${what}`, { password, ...body }, { 'x-forwarded-for': address })

  it('has the same places for sign-ins, sign-ups and resets', async () => {
    const { email } = await app.signedIn('Shared')
    const token = await app.resetToken(email)
    // All places there are would hold any two of these crowds.
    const ofEach = (queuePlaces.inAll + hashedAtOnce) / 2
    const answers = await Promise.all(
      Array.from({ length: ofEach }, (_, i) => [
        guessFrom(`198.18.3.${i}`, `shared-${i}@slipway.test`),
        askFrom(`198.18.1.${i}`, 'signup', { name: 'N', email: `new-${i}@slipway.test` }),
        askFrom(`198.18.2.${i}`, 'reset-password', { token }),
      ]).flat(),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ headers }) => headers['retry-after'] === '3')).toBe(true)
  })

  it('keeps places for others when one address sends many', async () => {
    const flood = Array.from({ length: 60 }, (_, i) => guessFrom('192.0.2.66', `flood-${i}@slipway.test`))
    const other = await guessFrom('192.0.2.67', 'other@slipway.test')
    expect(other.status).toBe(401)
    expect((await statusesOf(flood)).filter((status) => status === 503).length).toBeGreaterThan(0)
  })

  it('is not done for those who left: the next one waits for nobody', async () => {
    const own = await makeTestApp({ passwordCost: owaspCost })
    try {
      await own.app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = own.app.server.address() as AddressInfo
      for (let i = 0; i < 40; i++) {
        const body = JSON.stringify({ email: `left-${i}@slipway.test`, password })
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write(
          `POST /api/auth/signin HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
        socket.end()
        socket.destroySoon()
      }
      // Were those who left still served, this one would find no place.
      const answers = await inTurn(3, () =>
        own.client().raw('POST', '/api/auth/signin', { email: 'x@y.test', password }),
      )
      expect(answers).toEqual([401, 401, 401])
    } finally {
      await own.close()
    }
  })
})

describe('every call that needs no session', () => {
  // They look at nothing but what the request carries.
  const free = ['account.signOut', 'host.health', 'host.get', 'host.openApi']
  const bodies: Record<string, (i: number) => object> = {
    'account.signIn': () => ({ email: 'limit@slipway.test', password }),
    'account.signInWithCode': (i) => ({ token: `t-${i}`, code: '123456' }),
    'account.beginPasskey': () => ({}),
    'account.signInWithPasskey': () => ({ passkey: makeAuthenticator().use({ challenge: 'none' }) }),
    'account.signUp': (i) => ({ name: 'N', email: `limit-${i}@slipway.test`, password }),
    'account.resendVerification': () => ({ email: 'limit@slipway.test' }),
    'account.verifyEmail': (i) => ({ token: `t-${i}` }),
    'account.confirmEmail': (i) => ({ token: `t-${i}` }),
    'account.forgotPassword': () => ({ email: 'limit@slipway.test' }),
    'account.resetPassword': (i) => ({ token: `t-${i}`, password }),
    'oidc.begin': () => ({}),
    'oidc.signOut': (i) => ({ logout_token: `t-${i}` }),
  }

  // Signing up hashes passwords. A reset that fails does not, and uses up the same limit.
  const order = ['account.resetPassword', 'account.signUp']
  const limited = endpoints
    .filter(({ auth, id }) => auth === 'public' && !free.includes(id))
    .sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id))

  it.each(limited)('has a limit: $id', async ({ id, path, method, errors }) => {
    expect(errors?.[429]).toBeDefined()
    const bodyOf = bodies[id]
    if (!bodyOf) return expect.fail(`say in this test what ${id} takes, or that it needs no limit`)
    const headers = { 'x-forwarded-for': '192.0.2.200' }
    let refused = false
    for (let i = 0; i < 400 && !refused; i++) {
      refused = (await app.client().raw(method, path, bodyOf(i), headers)).status === 429
    }
    expect(refused).toBe(true)
  })
})

describe('a password reset', () => {
  it('leaves no session to a sign-in that was under way', async () => {
    const { email } = await app.signedIn('Racer')
    const signingIn = signInFrom('198.51.100.10', email)
    // By now the old hash has been read, and is being compared.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    const account = app.db.updateTable('account').where('email', '=', email)
    await account.set({ password_hash: '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA' }).execute()
    const answer = await signingIn
    expect([answer.status, answer.cookie]).toEqual([401, undefined])
  })

  it('tells the owner by mail which SSH keys and API tokens the account keeps', async () => {
    const user = await app.signedIn('Keeper')
    const body = { key_name: 'laptop', ssh_public_key: newPublicKey() }
    const { fingerprint } = (await user.call(sshKeyApi.create, { body })).body
    await user.call(apiTokenApi.create, { body: { name: 'nas', access: 'read', project_ids: null } })
    const token = await app.resetToken(user.email)
    await app.client().call(accountApi.resetPassword, { body: { token, password } })
    await app.idle()
    const { subject, text } = lastMail(app.mails, user.email)
    expect(subject).toBe('Your Slipway password was changed')
    expect(text).toContain(`laptop: ${fingerprint}, added 2026-`)
    expect(text).toContain('http://slipway.test/ssh-keys')
    expect(text).toContain('nas, created 2026-')
    expect(text).toContain('http://slipway.test/account')
  })
})

describe('an address that somebody else signed up with', () => {
  it('says in its mail from where, and its link signs nobody in', async () => {
    const email = 'victim@slipway.test'
    await app.client().call(accountApi.signUp, { body: { name: 'Mallory', email, password } })
    const mail = lastMail(app.mails, email)
    expect(mail.text).toContain('from the IP address 127.0.0.1')
    const verified = await app.client().call(accountApi.verifyEmail, { body: { token: tokenOf(mail) } })
    expect(verified).toMatchObject({ status: 200, cookie: undefined })
  })
})

describe('asking for mails', () => {
  it('answers before it looks whether there is such an account', async () => {
    const { email } = await app.signedIn('Timed')
    const rows = () => app.db.selectFrom('mail_token').select('token_hash').execute()
    const before = (await rows()).length
    // Were the account looked for before the answer, this would be a 500.
    await sql`alter table mail_token rename to mail_token_away`.execute(app.db)
    const answers = await Promise.all(
      [accountApi.forgotPassword, accountApi.resendVerification].map((endpoint) =>
        app.client().call(endpoint, { body: { email } }),
      ),
    )
    await app.idle()
    await sql`alter table mail_token_away rename to mail_token`.execute(app.db)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await rows()).length).toBe(before)
  })

  it('is refused for one account when many addresses ask', async () => {
    const body = { email: 'flooded@slipway.test' }
    const ask = (i: number) =>
      app.client().raw('POST', '/api/auth/forgot-password', body, { 'x-forwarded-for': `203.0.113.${i}` })
    const statuses = await inTurn(35, ask)
    expect(statuses.slice(-3)).toEqual([429, 429, 429])
  })
})

it('signed-in people can still look where nothing can be stored, and a wrong password is one', async () => {
  const user = await app.signedIn('Full')
  const heals = [await refuse(app.db, 'update', 'session'), await refuse(app.db, 'insert', 'activity')]
  await app.clock.suspend(10 * 60_000)
  expect((await user.call(projectApi.list)).status).toBe(200)
  expect((await guessFrom('192.0.2.55', user.email)).status).toBe(401)
  for (const heal of heals) await heal()
})
