import { accountApi, Me } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp, tokenOf } from '../app.test-kit.ts'

const app = await testApp()
const open = app.client()
const password = 'Correct-horse-1'
let n = 0
const newAddress = () => `someone-${++n}@slipway.test`
const hour = 3_600_000

const signUp = (email: string, more: object = {}) =>
  open.call(accountApi.signUp, { body: { name: 'Ada Lovelace', email, password, ...more } })
const signIn = (email: string, more: object = {}) => app.signIn({ email, password }, more)
const verify = (token: unknown) => open.call(accountApi.verifyEmail, { body: { token } })
/** Links are mailed after the answer. */
async function mailedToken(email: string): Promise<string> {
  await app.idle()
  return tokenOf(lastMail(app.mails, email))
}

async function verified(): Promise<string> {
  const email = newAddress()
  await signUp(email)
  await verify(await mailedToken(email))
  return email
}

describe('signing up', () => {
  it('201 makes an unverified account, mails a link and starts no session', async () => {
    const email = newAddress()
    const answer = await signUp(email)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      message: 'Account created. Please check your email to verify your address.',
      user: { name: 'Ada Lovelace', email, email_verified: false },
    })
    expect(answer.cookie).toBeUndefined()
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|Correct-horse|password/i)
    expect(lastMail(app.mails, email).text).toContain('http://slipway.test/verify-email?token=')
  })

  it('409 says that the address has an account, in any letter case', async () => {
    const email = newAddress()
    await signUp(email)
    expect(await signUp(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { message: 'An account with this email already exists' },
    })
  })

  it('makes one account out of two sign-ups at once', async () => {
    const email = newAddress()
    const statuses = (await Promise.all([signUp(email), signUp(email)])).map((answer) => answer.status)
    expect(statuses.sort()).toEqual([201, 409])
  })

  it.each([
    [{ email: 'a@b' }, 'Please enter a valid email address'],
    [{ password: 'aaaaaaaa' }, 'Please choose a stronger password'],
    [{ password: 'Aa1!aaa' }, 'Please choose a stronger password'],
    [{ name: '   ' }, 'Invalid signup data. Please check your information.'],
    [{ name: 7 }, 'Invalid signup data. Please check your information.'],
    [{ password: null }, 'Invalid signup data. Please check your information.'],
  ])('400 for %j', async (more, message) => {
    expect(await signUp(newAddress(), more)).toMatchObject({ status: 400, body: { message } })
  })
})

describe('verifying an address', () => {
  it('200 verifies, and again for the same link', async () => {
    const email = newAddress()
    await signUp(email)
    const token = await mailedToken(email)
    expect(await verify(token)).toMatchObject({
      status: 200,
      body: { message: 'Email verified successfully', email },
    })
    expect(await verify(token)).toMatchObject({ status: 200, body: { email } })
    expect((await signIn(email)).status).toBe(200)
  })

  it('400 for a link older than a day', async () => {
    const email = newAddress()
    await signUp(email)
    await app.clock.suspend(24 * hour + 1)
    expect(await verify(await mailedToken(email))).toMatchObject({
      status: 400,
      body: { message: 'Verification link has expired' },
    })
    expect((await signIn(email)).status).toBe(403)
  })

  it('400 for a link that a newer one replaced, and 200 once the newer one was used', async () => {
    const email = newAddress()
    await signUp(email)
    const old = await mailedToken(email)
    await open.call(accountApi.resendVerification, { body: { email } })
    await app.idle()
    expect((await verify(old)).status).toBe(400)
    expect((await verify(await mailedToken(email))).status).toBe(200)
    expect((await verify(old)).status).toBe(200)
  })

  it('404 for an unknown link, 422 for none: never another 400', async () => {
    expect(await verify('x')).toMatchObject({
      status: 404,
      body: { message: 'Verification link is invalid' },
    })
    expect((await verify(undefined)).status).toBe(422)
    expect((await verify(17)).status).toBe(422)
  })

  it('does not take a password reset link', async () => {
    const email = newAddress()
    await signUp(email)
    expect((await verify(await app.resetToken(email))).status).toBe(404)
  })
})

describe('signing in', () => {
  it('200 gives the user and a cookie that scripts and other sites cannot use', async () => {
    const email = await verified()
    const answer = await signIn(email)
    expect(answer).toMatchObject({
      status: 200,
      body: { message: 'Signed in successfully', user: { email } },
    })
    const setCookie = String(answer.headers['set-cookie'])
    expect(setCookie).toMatch(/HttpOnly/)
    expect(setCookie).toMatch(/SameSite=Lax/)
    expect(setCookie).not.toMatch(/Max-Age/)
  })

  it('401 for a wrong password and for an unknown address, in the same words', async () => {
    const email = await verified()
    const expected = { status: 401, body: { message: 'Invalid email or password' } }
    expect(await signIn(email, { password: 'Wrong-horse-1' })).toMatchObject(expected)
    expect(await signIn('nobody@slipway.test')).toMatchObject(expected)
  })

  it('403 for an unverified account, only after the right password', async () => {
    const email = newAddress()
    await signUp(email)
    expect(await signIn(email)).toMatchObject({
      status: 403,
      body: { message: 'Please verify your email address before signing in.' },
    })
    expect((await signIn(email, { password: 'Wrong-horse-1' })).status).toBe(401)
  })

  it('403 for a disabled account, whose sessions end as well', async () => {
    const email = await verified()
    const { cookie } = await signIn(email)
    await app.db.updateTable('account').set({ disabled_at: 'now' }).where('email', '=', email).execute()
    expect(await signIn(email)).toMatchObject({ status: 403, body: { message: 'Account access denied' } })
    expect((await app.client(cookie).call(accountApi.me)).status).toBe(401)
  })

  it('400 for missing fields', async () => {
    expect(await open.call(accountApi.signIn, { body: {} })).toMatchObject({
      status: 400,
      body: { message: 'Invalid email or password' },
    })
  })

  it('429 after ten failures for that account, and not for another one', async () => {
    const email = await verified()
    const other = await verified()
    for (let i = 0; i < 10; i++) expect((await signIn(email, { password: 'Wrong-horse-1' })).status).toBe(401)
    expect(await signIn(email)).toMatchObject({
      status: 429,
      body: { message: 'Too many attempts. Please try again later.' },
    })
    expect((await signIn(other)).status).toBe(200)
  })

  it('gets ten tries, also when they come all at once', async () => {
    const email = await verified()
    const guess = () => signIn(email, { password: 'Wrong-horse-1' })
    const statuses = (await Promise.all(Array.from({ length: 30 }, guess))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(20).fill(429)])
  })
})

describe('a session', () => {
  it('answers who is signed in, and 401 without one', async () => {
    const email = await verified()
    const { cookie, body } = await signIn(email)
    const me = await app.client(cookie).call(accountApi.me)
    expect(me).toMatchObject({ status: 200, body: { name: 'Ada Lovelace', email, email_verified: true } })
    const { user } = body as { user: Me }
    expect(Object.keys(user).sort()).toEqual(Object.keys(Me.shape).sort())
    expect(me.body).toEqual({ ...user, is_admin: false, delete_at: null })
    expect(await open.call(accountApi.me)).toMatchObject({
      status: 401,
      body: { message: 'Not authenticated' },
    })
    expect((await app.client('slipway_session=forged').call(accountApi.me)).status).toBe(401)
  })

  it('ends after 12 idle hours, and goes on while it is used', async () => {
    const { cookie } = await signIn(await verified())
    const me = () => app.client(cookie).call(accountApi.me)
    for (let i = 0; i < 3; i++) {
      await app.clock.suspend(11 * hour)
      expect((await me()).status).toBe(200)
    }
    await app.clock.suspend(12 * hour + 1)
    expect((await me()).status).toBe(401)
  })

  it('lasts 30 days with Remember me, also in the browser', async () => {
    const answer = await signIn(await verified(), { remember_me: true })
    expect(String(answer.headers['set-cookie'])).toMatch(/Max-Age=2592000/)
    const me = () => app.client(answer.cookie).call(accountApi.me)
    await app.clock.suspend(29 * 24 * hour)
    expect((await me()).status).toBe(200)
    await app.clock.suspend(24 * hour + 1)
    expect((await me()).status).toBe(401)
  })

  it('204 ends at sign-out, and signing out without one is fine too', async () => {
    const { cookie } = await signIn(await verified())
    const mine = app.client(cookie)
    const answer = await mine.call(accountApi.signOut)
    expect(answer.status).toBe(204)
    expect(String(answer.headers['set-cookie'])).toMatch(/^slipway_session=;.*Expires=Thu, 01 Jan 1970/)
    expect((await mine.call(accountApi.me)).status).toBe(401)
    expect((await open.call(accountApi.signOut)).status).toBe(204)
  })

  it('is stored hashed only', async () => {
    const { cookie } = await signIn(await verified())
    const rows = await app.db.selectFrom('session').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(cookie?.split('=')[1])
  })
})

describe('asking for mails', () => {
  it('answers alike for known, verified and unknown addresses, and mails only where it makes sense', async () => {
    const email = await verified()
    const before = app.mails.length
    for (const address of [email, 'nobody@slipway.test']) {
      expect(await open.call(accountApi.resendVerification, { body: { email: address } })).toMatchObject({
        status: 200,
        body: { message: 'Verification email sent! Please check your inbox.' },
      })
    }
    await app.idle()
    expect(app.mails.length).toBe(before)
    const forgot = await Promise.all(
      [email, 'nobody@slipway.test'].map((address) =>
        open.call(accountApi.forgotPassword, { body: { email: address } }),
      ),
    )
    expect(forgot[0]?.body).toEqual(forgot[1]?.body)
    await app.idle()
    expect(app.mails.length).toBe(before + 1)
  })

  it('400 without an address', async () => {
    for (const endpoint of [accountApi.resendVerification, accountApi.forgotPassword]) {
      expect(await open.call(endpoint, { body: { email: ' ' } })).toMatchObject({
        status: 400,
        body: { message: 'Please enter your email address' },
      })
    }
  })

  it.each([accountApi.forgotPassword, accountApi.resendVerification])(
    '429 after ten requests for one address at $path, in words without "sent"',
    async (endpoint) => {
      const email = newAddress()
      const ask = () => open.call(endpoint, { body: { email } })
      for (let i = 0; i < 10; i++) expect((await ask()).status).toBe(200)
      const refused = await ask()
      expect(refused.status).toBe(429)
      expect(JSON.stringify(refused.body)).not.toMatch(/sent/i)
    },
  )
})

describe('resetting a password', () => {
  const reset = (token: unknown, to = 'Brand-new-1') =>
    open.call(accountApi.resetPassword, { body: { token, password: to } })
  it('200 sets the password, ends all sessions and verifies the address', async () => {
    const email = newAddress()
    await signUp(email)
    const token = await app.resetToken(email)
    expect(await reset(token)).toMatchObject({
      status: 200,
      body: { message: 'Password changed. Please sign in.' },
    })
    expect((await signIn(email)).status).toBe(401)
    const { cookie } = await signIn(email, { password: 'Brand-new-1' })
    expect((await app.client(cookie).call(accountApi.me)).status).toBe(200)
    await reset(await app.resetToken(email), 'Other-new-1')
    expect((await app.client(cookie).call(accountApi.me)).status).toBe(401)
  })

  it('400 for a used, replaced, expired or unknown link', async () => {
    const email = await verified()
    const replaced = await app.resetToken(email)
    const token = await app.resetToken(email)
    const expired = { status: 400, body: { message: 'Password reset link has expired' } }
    expect(await reset(replaced)).toMatchObject(expired)
    expect((await reset(token)).status).toBe(200)
    expect(await reset(token)).toMatchObject(expired)
    expect(await reset('x')).toMatchObject(expired)
    const late = await app.resetToken(email)
    await app.clock.suspend(hour + 1)
    expect(await reset(late)).toMatchObject(expired)
  })

  it('400 for a weak password, and the link still works afterwards', async () => {
    const token = await app.resetToken(await verified())
    expect(await reset(token, 'aaaaaaaa')).toMatchObject({
      status: 400,
      body: { message: 'Please choose a stronger password' },
    })
    expect((await reset(token)).status).toBe(200)
  })
})
