/** What people change of their own accounts. */
import { accountApi, accountSettingsApi, accountTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp, tokenOf } from '../app.test-kit.ts'

const app = await testApp({ trustedProxies: ['127.0.0.1'] })
const password = 'Brand-new-horse-2'
let n = 0
const newAddress = () => `new-${++n}@slipway.test`

type Person = Awaited<ReturnType<typeof app.signedIn>>
const signIn = (email: string, word: string, agent = 'test') =>
  app.client().raw('POST', '/api/auth/signin', { email, password: word }, { 'user-agent': agent })
const isIn = async (cookie: string | undefined) =>
  (await app.client(cookie).call(accountApi.me)).status === 200
const again = async ({ email, password }: Person, agent?: string) =>
  (await signIn(email, password, agent)).cookie

describe('the name', () => {
  it('200 with the new one, which every answer has from then on', async () => {
    const ada = await app.signedIn('Ada')
    const answer = await ada.call(accountSettingsApi.update, { body: { name: ' Countess Ada ' } })
    expect(answer).toMatchObject({ status: 200, body: { name: 'Countess Ada', email: ada.email } })
    expect((await ada.call(accountApi.me)).body.name).toBe('Countess Ada')
  })

  it('400 without one', async () => {
    const ada = await app.signedIn('Ada')
    const answer = await ada.call(accountSettingsApi.update, { body: { name: ' ' } })
    expect(answer).toMatchObject({ status: 400, body: { fields: { name: accountTexts.nameMissing } } })
  })
})

describe('the password', () => {
  const change = (person: Person, body: object) =>
    person.call(accountSettingsApi.changePassword, { body: { password, ...body } })

  it('204, ends all other sessions, and an email says what was kept', async () => {
    const ada = await app.signedIn('Ada')
    const other = await again(ada)
    expect((await change(ada, {})).status).toBe(204)
    expect([await isIn(ada.cookie), await isIn(other)]).toEqual([true, false])
    expect((await signIn(ada.email, ada.password)).status).toBe(401)
    expect((await signIn(ada.email, password)).status).toBe(200)
    expect(lastMail(app.mails, ada.email).subject).toBe('Your Slipway password was changed')
  })

  it('400 for a weak new one', async () => {
    const ada = await app.signedIn('Ada')
    expect(await change(ada, { password: 'short' })).toMatchObject({
      status: 400,
      body: { fields: { password: accountTexts.weakPassword } },
    })
  })

  it('ends reset links that are under way', async () => {
    const ada = await app.signedIn('Ada')
    const body = { token: await app.resetToken(ada.email), password: ada.password }
    await change(ada, {})
    expect(await app.client().call(accountApi.resetPassword, { body })).toMatchObject({
      status: 400,
      body: { message: accountTexts.resetExpired },
    })
  })
})

describe('the email address', () => {
  const change = (person: Person, body: object) =>
    person.call(accountSettingsApi.changeEmail, { body: { email: '', ...body } })
  const confirm = (token: string) => app.client().call(accountSettingsApi.confirmEmail, { body: { token } })
  const linkTo = (email: string) => tokenOf(lastMail(app.mails, email))

  it('202, and is the new one once the link there is opened; the old one is told twice', async () => {
    const ada = await app.signedIn('Ada')
    const email = newAddress()
    expect(await change(ada, { email: email.toUpperCase() })).toMatchObject({
      status: 202,
      body: { message: accountTexts.emailChangeSent },
    })
    expect((await ada.call(accountApi.me)).body.email).toBe(ada.email)
    const asked = lastMail(app.mails, ada.email)
    expect(asked.subject).toBe('A new email address for your Slipway account')
    expect(asked.text).not.toContain('token=')
    expect(await confirm(linkTo(email))).toMatchObject({ status: 200, body: { email } })
    expect((await ada.call(accountApi.me)).body.email).toBe(email)
    expect(lastMail(app.mails, ada.email).subject).toContain('was changed')
    expect((await signIn(ada.email, ada.password)).status).toBe(401)
    expect((await signIn(email, ada.password)).status).toBe(200)
    expect((await confirm(linkTo(email))).status).toBe(400)
  })

  it('400 for the same address and none', async () => {
    const ada = await app.signedIn('Ada')
    for (const [email, message] of [
      [ada.email, accountTexts.sameEmail],
      ['none', accountTexts.invalidEmail],
    ])
      expect(await change(ada, { email })).toMatchObject({
        status: 400,
        body: { fields: { email: message } },
      })
  })

  it('409 for one that has an account, also when it got one meanwhile', async () => {
    const [ada, bob] = [await app.signedIn('Ada'), await app.signedIn('Bob')]
    expect(await change(ada, { email: bob.email })).toMatchObject({
      status: 409,
      body: { message: accountTexts.emailTaken },
    })
    const email = newAddress()
    await change(ada, { email })
    const token = linkTo(email)
    await app.client().call(accountApi.signUp, { body: { name: 'Eve', email, password } })
    expect((await confirm(token)).status).toBe(409)
    expect((await ada.call(accountApi.me)).body.email).toBe(ada.email)
  })

  it('400 for a link that expired, was replaced, or was cancelled by a new password', async () => {
    const ada = await app.signedIn('Ada')
    const [first, second] = [newAddress(), newAddress()]
    await change(ada, { email: first })
    await change(ada, { email: second })
    expect((await confirm(linkTo(first))).status).toBe(400)
    const token = await app.resetToken(ada.email)
    await app.client().call(accountApi.resetPassword, { body: { token, password } })
    expect(await confirm(linkTo(second))).toMatchObject({
      status: 400,
      body: { message: accountTexts.emailChangeExpired },
    })
  })
})

describe('the sessions', () => {
  const list = async (cookie: string | undefined) =>
    (await app.client(cookie).call(accountSettingsApi.sessions)).body

  it('are listed with where and since when, the one that asks marked', async () => {
    const ada = await app.signedIn('Ada')
    const other = await again(ada, `Firefox ${'x'.repeat(1000)}`)
    const sessions = await list(other)
    expect(sessions).toHaveLength(2)
    const mine = sessions.find(({ current }) => current)
    expect(mine?.user_agent).toMatch(/^Firefox x{292}$/)
    expect(mine?.ip).toBe('127.0.0.1')
    const text = JSON.stringify(sessions)
    for (const cookie of [ada.cookie, other]) expect(text).not.toContain(cookie?.split('=')[1])
  })

  it('204 ends one, 404 one that has ended', async () => {
    const ada = await app.signedIn('Ada')
    const other = await again(ada)
    const sessionId = (await list(ada.cookie)).find(({ current }) => !current)?.id ?? ''
    const end = () => ada.call(accountSettingsApi.endSession, { params: { sessionId } })
    expect((await end()).status).toBe(204)
    expect([await isIn(ada.cookie), await isIn(other)]).toEqual([true, false])
    expect(await end()).toMatchObject({ status: 404, body: { message: accountTexts.sessionNotFound } })
  })

  it('204 ends all others', async () => {
    const ada = await app.signedIn('Ada')
    const others = [await again(ada), await again(ada)]
    expect((await ada.call(accountSettingsApi.endOtherSessions)).status).toBe(204)
    expect(await list(ada.cookie)).toHaveLength(1)
    for (const other of others) expect(await isIn(other)).toBe(false)
  })
})
