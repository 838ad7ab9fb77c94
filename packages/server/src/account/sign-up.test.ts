/** Who may create an account, by the sign-up policy of the installation. */
import {
  accountApi,
  accountTexts,
  hostApi,
  invitationDays,
  openSignUp,
  projectApi,
  projectMemberApi,
  type SignUpRule,
  signUpCondition,
} from '@slipway/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { lastMail, makeTestApp, tokenOf } from '../app.test-kit.ts'

const password = 'Correct-horse-1'
const day = 86_400_000
const apps: Awaited<ReturnType<typeof makeTestApp>>[] = []
afterAll(async () => {
  for (const app of apps) await app.close()
})

/**
 * An installation that was open before, with Ada who owns a project, and with somebody who signed up and did not open the
 * link.
 */
async function installation(signUpRule: SignUpRule) {
  const rule = { ...openSignUp }
  const app = await makeTestApp({ signUp: rule })
  apps.push(app)
  const ada = await app.signedIn('Ada')
  const { body } = await ada.call(projectApi.create, { body: { name: 'shared' } })
  const open = app.client()
  const signUp = (email: string) =>
    open.call(accountApi.signUp, { body: { name: 'Bob Babbage', email, password } })
  const unverified = 'unverified@elsewhere.test'
  await signUp(unverified)
  const firstLink = tokenOf(lastMail(app.mails, unverified))
  Object.assign(rule, signUpRule)
  await app.restart()
  return {
    app,
    ada,
    open,
    signUp,
    unverified,
    firstLink,
    params: { projectId: body.id },
    invite: (email: string) =>
      ada.call(projectMemberApi.invite, {
        params: { projectId: body.id },
        body: { email, role: 'viewer' },
      }),
    accounts: async () => (await app.db.selectFrom('account').select('email').execute()).length,
  }
}

type Installation = Awaited<ReturnType<typeof installation>>

/** Refused, with nothing stored and nothing mailed. */
async function expectRefused({ app, signUp, accounts }: Installation, email: string, rule: SignUpRule) {
  await app.idle()
  const before = [await accounts(), app.mails.length]
  expect(await signUp(email)).toMatchObject({ status: 403, body: { message: signUpCondition(rule) } })
  await app.idle()
  expect([await accounts(), app.mails.length]).toEqual(before)
}

const domains: SignUpRule = { policy: 'domains', domains: ['example.com', 'example.org'] }
const invitation: SignUpRule = { policy: 'invitation', domains: [] }
const closed: SignUpRule = { policy: 'closed', domains: [] }
const rules = [openSignUp, invitation, closed, domains]

describe.each(rules)('under the policy $policy', (rule) => {
  const its = installation(rule)

  it('the host names it', async () => {
    expect((await (await its).open.call(hostApi.get)).body.sign_up).toEqual(rule)
  })

  it('somebody from anywhere gets 201 only where it is open', async () => {
    const there = await its
    if (rule.policy === 'open') expect((await there.signUp('any@elsewhere.test')).status).toBe(201)
    else await expectRefused(there, 'any@elsewhere.test', rule)
  })

  it('an address at one of the domains gets 201 where it is open or names them', async () => {
    const there = await its
    if (rule === openSignUp || rule === domains)
      expect((await there.signUp('Bob@Example.org')).status).toBe(201)
    else await expectRefused(there, 'bob@example.org', rule)
    if (rule !== openSignUp) await expectRefused(there, 'bob@sub.example.org', rule)
  })

  it('an invited address gets 201 unless it is closed', async () => {
    const there = await its
    await there.invite('guest@elsewhere.test')
    if (rule.policy === 'closed') await expectRefused(there, 'guest@elsewhere.test', rule)
    else expect((await there.signUp('Guest@Elsewhere.test')).status).toBe(201)
  })

  it('the email that invites somebody tells them to create an account unless it is closed', async () => {
    const { app, invite } = await its
    await invite('reader@elsewhere.test')
    const tells = lastMail(app.mails, 'reader@elsewhere.test').text.includes(
      'create one with this email address',
    )
    expect(tells).toBe(rule.policy !== 'closed')
  })

  it('the account that was not verified before is, by its link, by another and by a reset', async () => {
    const { app, open, unverified, firstLink } = await its
    const body = { email: unverified }
    expect((await open.call(accountApi.resendVerification, { body })).status).toBe(200)
    await app.idle()
    const token = tokenOf(lastMail(app.mails, unverified))
    expect(token).not.toBe(firstLink)
    expect((await open.call(accountApi.verifyEmail, { body: { token } })).status).toBe(200)
    expect((await open.call(accountApi.signIn, { body: { ...body, password } })).status).toBe(200)
    expect((await open.call(accountApi.forgotPassword, { body })).status).toBe(200)
    await app.idle()
    const reset = { token: tokenOf(lastMail(app.mails, unverified)), password: 'Different-horse-1' }
    expect((await open.call(accountApi.resetPassword, { body: reset })).status).toBe(200)
  })

  it('an address that has an account is told so only if it may sign up', async () => {
    const there = await its
    const taken = { status: 409, body: { message: accountTexts.emailTaken } }
    if (rule.policy === 'open') expect(await there.signUp(there.unverified)).toMatchObject(taken)
    else await expectRefused(there, there.unverified, rule)
    await there.invite(there.unverified)
    if (rule.policy === 'closed') await expectRefused(there, there.unverified, rule)
    else expect(await there.signUp(there.unverified)).toMatchObject(taken)
  })
})

describe.each([invitation, domains])('under the policy $policy an invitation', (rule) => {
  it('is good for nothing once it is withdrawn or too old', async () => {
    const there = await installation(rule)
    const { body } = await there.invite('withdrawn@elsewhere.test')
    await there.ada.call(projectMemberApi.withdraw, {
      params: { ...there.params, invitationId: body.id },
    })
    await expectRefused(there, 'withdrawn@elsewhere.test', rule)
    await there.invite('late@elsewhere.test')
    await there.app.clock.suspend(invitationDays * day + 1)
    await expectRefused(there, 'late@elsewhere.test', rule)
  })

  it('is good for nothing after it was accepted', async () => {
    const there = await installation(rule)
    await there.invite('gone@elsewhere.test')
    await there.app.db
      .updateTable('project_invitation')
      .set({ accepted_at: '2026-01-01T00:00:00.000Z' })
      .execute()
    await expectRefused(there, 'gone@elsewhere.test', rule)
  })

  it('lets in who signs up while it is open, and then verifies, signs in and accepts it', async () => {
    const { app, invite, signUp, open } = await installation(rule)
    const email = 'guest@elsewhere.test'
    await invite(email)
    const invited = /token=(\S+)/.exec(lastMail(app.mails, email).link ?? '')?.[1] ?? ''
    expect((await signUp(email)).status).toBe(201)
    const token = tokenOf(lastMail(app.mails, email))
    await open.call(accountApi.verifyEmail, { body: { token } })
    const { cookie } = await open.call(accountApi.signIn, { body: { email, password } })
    const accepted = await app.client(cookie).call(projectMemberApi.accept, { body: { token: invited } })
    expect(accepted.status).toBe(200)
  })
})
