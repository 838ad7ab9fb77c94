/** Codes of an authenticator app: set up, signed in with, confirmed with and removed. */
import {
  accountApi,
  accountTexts,
  apiTokenApi,
  type CodeNeeded,
  messages,
  proofApi,
  proofLastsMs,
  proofNeeded,
  proofTexts,
  secondStep,
  totpApi,
  totpTexts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp } from '../app.test-kit.ts'
import { codeAt, turnOnTotp } from '../totp.test-kit.ts'

const app = await testApp({ trustedProxies: ['127.0.0.1'] })
type Person = Awaited<ReturnType<typeof app.signedIn>>

async function adaWithTotp() {
  const ada = await app.signedIn('Ada')
  const totp = await turnOnTotp(ada, app.clock)
  return { ada, totp }
}

const pendingOf = async (person: Pick<Person, 'email' | 'password'>, more: object = {}): Promise<string> =>
  ((await app.signIn(person, more)).body as CodeNeeded).code_needed.token
const enter = (token: string, code: string) =>
  app.client().call(accountApi.signInWithCode, { body: { token, code } })
const wrong = { status: 400, body: { fields: { code: totpTexts.wrongCode } } }
const over = { status: 403, body: { message: totpTexts.signInOver } }
/** The next step, so that a code of it was not used before. */
const nextStep = () => app.clock.advance(30_000)

describe('setting up', () => {
  it('200: counts once a code confirms it, and a mail says so', async () => {
    const ada = await app.signedIn('Ada')
    const { status, body } = await ada.call(totpApi.begin)
    expect([status, body.secret]).toEqual([200, expect.stringMatching(/^[A-Z2-7]{32}$/)])
    const off = { enabled: false, since: null, recovery_codes_left: 0 }
    expect((await ada.call(totpApi.get)).body).toEqual(off)
    expect((await app.signIn(ada)).body).toMatchObject({ user: { email: ada.email } })
    const code = codeAt(body.secret, app.clock.now())
    const confirmed = await ada.call(totpApi.confirm, { body: { code } })
    expect(confirmed.status).toBe(200)
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10)
    expect((await ada.call(totpApi.get)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    expect(lastMail(app.mails, ada.email).subject).toContain('Two-factor authentication is on')
  })

  it('400 for a wrong code and none, 409 before it was begun, for a replaced secret too, and while it is on', async () => {
    const ada = await app.signedIn('Ada')
    const confirm = (code: string) => ada.call(totpApi.confirm, { body: { code } })
    expect(await confirm('123456')).toMatchObject({ status: 409, body: { message: totpTexts.notBegun } })
    const first = (await ada.call(totpApi.begin)).body
    const second = (await ada.call(totpApi.begin)).body
    expect(await confirm(codeAt(first.secret, app.clock.now()))).toMatchObject(wrong)
    expect(await confirm(' ')).toMatchObject({ status: 400, body: { message: totpTexts.codeMissing } })
    expect((await confirm(codeAt(second.secret, app.clock.now()))).status).toBe(200)
    for (const again of [await confirm('123456'), await ada.call(totpApi.begin)])
      expect(again).toMatchObject({ status: 409, body: { message: totpTexts.alreadyOn } })
  })

  it('stores neither the secret nor the recovery codes as they are', async () => {
    const { totp } = await adaWithTotp()
    const rows = JSON.stringify([
      await app.db.selectFrom('totp').selectAll().execute(),
      await app.db.selectFrom('recovery_code').selectAll().execute(),
    ])
    expect(rows).not.toContain(totp.secret)
    for (const code of totp.recovery_codes) expect(rows).not.toContain(code.replaceAll('-', ''))
  })
})

describe('signing in', () => {
  it('200 without a session after the password, and with one after the code', async () => {
    const { ada, totp } = await adaWithTotp()
    const first = await app.signIn(ada)
    expect(first).toMatchObject({ status: 200, cookie: undefined })
    expect(first.body).not.toHaveProperty('user')
    const second = await enter((first.body as CodeNeeded).code_needed.token, totp.next())
    expect(second).toMatchObject({ status: 200, body: { user: { email: ada.email } } })
    expect((await app.client(second.cookie).call(accountApi.me)).status).toBe(200)
  })

  it('400 for a code that was used already, also one that set it up', async () => {
    const { ada, totp } = await adaWithTotp()
    expect(await enter(await pendingOf(ada), totp.used)).toMatchObject(wrong)
    const code = totp.next()
    expect((await enter(await pendingOf(ada), code)).status).toBe(200)
    expect(await enter(await pendingOf(ada), code)).toMatchObject(wrong)
  })

  it('lets one in of two that enter the same code at once', async () => {
    const { ada, totp } = await adaWithTotp()
    const tokens = [await pendingOf(ada), await pendingOf(ada)]
    const answers = await Promise.all(tokens.map((token) => enter(token, totp.next())))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('200 with each recovery code once, and a mail says how many are left', async () => {
    const { ada, totp } = await adaWithTotp()
    const [code = ''] = totp.recovery_codes
    expect((await enter(await pendingOf(ada), code.toUpperCase())).status).toBe(200)
    expect(lastMail(app.mails, ada.email).text).toContain('9 are left')
    expect(await enter(await pendingOf(ada), code)).toMatchObject(wrong)
    expect((await ada.call(totpApi.get)).body.recovery_codes_left).toBe(9)
  })

  it('403 for a pending sign-in that was used, has expired, had too many codes, or is none', async () => {
    const { ada, totp } = await adaWithTotp()
    const used = await pendingOf(ada)
    expect((await enter(used, totp.next())).status).toBe(200)
    await nextStep()
    expect(await enter(used, totp.next())).toMatchObject(over)
    expect(await enter('nothing', totp.next())).toMatchObject(over)

    const tried = await pendingOf(ada)
    for (let i = 0; i < secondStep.tries; i++) expect(await enter(tried, '000000')).toMatchObject(wrong)
    expect(await enter(tried, totp.next())).toMatchObject(over)

    const late = await pendingOf(ada)
    await app.clock.advance(secondStep.lastsMs)
    expect(await enter(late, totp.next())).toMatchObject(over)
  })

  it('403 for a pending sign-in whose password was reset; the factor stays on', async () => {
    const { ada, totp } = await adaWithTotp()
    const pending = await pendingOf(ada)
    const token = await app.resetToken(ada.email)
    const password = 'Brand-new-horse-2'
    await app.client().call(accountApi.resetPassword, { body: { token, password } })
    expect(await enter(pending, totp.next())).toMatchObject(over)
    expect((await app.signIn({ email: ada.email, password })).body).toHaveProperty('code_needed')
  })

  it('403 for an account that was disabled meanwhile', async () => {
    const { ada, totp } = await adaWithTotp()
    const pending = await pendingOf(ada)
    await app.db.updateTable('account').set({ disabled_at: 'now' }).where('email', '=', ada.email).execute()
    expect(await enter(pending, totp.next())).toMatchObject({
      status: 403,
      body: { message: accountTexts.disabled },
    })
  })

  it('429 for more codes than ten from one address, whatever sign-in they belong to', async () => {
    const { ada, totp } = await adaWithTotp()
    for (let i = 0; i < 10; i++) expect((await enter(await pendingOf(ada), '000000')).status).toBe(400)
    expect(await enter(await pendingOf(ada), totp.next())).toMatchObject({
      status: 429,
      body: { message: messages.tooManyAttempts },
    })
  })

  it('503 when the secret cannot be read, and nobody gets in but with a recovery code', async () => {
    const { ada, totp } = await adaWithTotp()
    await app.db.updateTable('totp').set({ secret: 'v1.AAAA.AAAA.AAAA' }).execute()
    const pending = await pendingOf(ada)
    expect(await enter(pending, totp.next())).toMatchObject({
      status: 503,
      body: { message: totpTexts.unreadable },
    })
    expect((await enter(pending, totp.recovery_codes[1] ?? '')).status).toBe(200)
  })

  it('remembers for as long as was asked with the password', async () => {
    const { ada, totp } = await adaWithTotp()
    const { cookie } = await enter(await pendingOf(ada, { remember_me: true }), totp.next())
    await app.clock.advance(13 * 60 * 60_000)
    expect((await app.client(cookie).call(accountApi.me)).status).toBe(200)
  })
})

describe('turning it off', () => {
  it('204, signing in needs the password only, and a mail says so; 409 when it is off', async () => {
    const { ada } = await adaWithTotp()
    expect((await ada.call(totpApi.remove)).status).toBe(204)
    expect(lastMail(app.mails, ada.email).subject).toContain('Two-factor authentication is off')
    expect((await app.signIn(ada)).body).toHaveProperty('user')
    for (const endpoint of [totpApi.remove, totpApi.renewCodes])
      expect(await ada.call(endpoint)).toMatchObject({ status: 409, body: { message: totpTexts.notOn } })
  })

  it('stops sign-ins that wait for a code', async () => {
    const { ada, totp } = await adaWithTotp()
    const pending = await pendingOf(ada)
    await ada.call(totpApi.remove)
    expect((await enter(pending, totp.next())).status).toBe(400)
  })
})

describe('new recovery codes', () => {
  it('200, and the earlier ones stop working', async () => {
    const { ada, totp } = await adaWithTotp()
    const { body } = await ada.call(totpApi.renewCodes)
    expect(body.recovery_codes).toHaveLength(10)
    expect(await enter(await pendingOf(ada), totp.recovery_codes[0] ?? '')).toMatchObject(wrong)
    expect((await enter(await pendingOf(ada), body.recovery_codes[0] ?? '')).status).toBe(200)
  })
})

describe('confirming who one is', () => {
  const needed = { status: 403, body: { message: proofTexts.needed, code: proofNeeded } }
  const token = (person: Pick<Person, 'call'>) =>
    person.call(apiTokenApi.create, { body: { name: 'ci', access: 'read', project_ids: null } })
  const give = (person: Person, body: object) => person.call(proofApi.give, { body })

  it('204 with the password, a code or a recovery code, and counts for that session', async () => {
    const { ada, totp } = await adaWithTotp()
    expect((await ada.call(proofApi.ways)).body).toEqual({ password: true, code: true, passkey: false })
    const other = await enter(await pendingOf(ada), totp.next())
    const proofs = [
      () => ({ password: ada.password }),
      () => ({ code: codeAt(totp.secret, app.clock.now()) }),
      () => ({ code: totp.recovery_codes[2] }),
    ]
    for (const proof of proofs) {
      await app.clock.advance(proofLastsMs)
      expect(await token(ada)).toMatchObject(needed)
      expect((await give(ada, proof())).status).toBe(204)
      expect((await token(ada)).status).toBe(201)
      expect(await token(app.client(other.cookie))).toMatchObject(needed)
    }
  })

  it('400 for what is wrong, was used, is nothing or more than one', async () => {
    const { ada, totp } = await adaWithTotp()
    await app.clock.advance(proofLastsMs)
    expect(await give(ada, { password: 'Wrong-horse-1' })).toMatchObject({
      status: 400,
      body: { fields: { password: accountTexts.wrongPassword } },
    })
    expect(await give(ada, { code: totp.used })).toMatchObject(wrong)
    expect(await give(ada, {})).toMatchObject({ status: 400, body: { message: proofTexts.missing } })
    expect((await give(ada, { password: ada.password, code: totp.next() })).status).toBe(400)
    expect(await token(ada)).toMatchObject(needed)
  })

  it('429 for guesses of one who found a browser open, as for those of a sign-in', async () => {
    const ada = await app.signedIn('Ada')
    const guess = () =>
      ada.raw('POST', proofApi.give.path, { password: 'Wrong' }, { 'x-forwarded-for': '203.0.113.7' })
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(400)
    expect(await guess()).toMatchObject({ status: 429, body: { message: messages.tooManyAttempts } })
  })
})
