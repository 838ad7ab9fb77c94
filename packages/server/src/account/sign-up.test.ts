/** Who may create an account, by the sign-up policy of the installation; the contract's tests have every policy. */
import {
  accountApi,
  accountTexts,
  hostApi,
  invitationDays,
  openSignUp,
  projectMemberApi,
  type SignUpRule,
  signUpCondition,
} from '@slipway/contract'
import { expect, it } from 'vitest'
import { lastMail, testApp, tokenOf } from '../app.test-kit.ts'

const password = 'Correct-horse-1'
const day = 86_400_000

/**
 * An installation that was open before, with Ada who owns a project, and with somebody who signed up and did not open the
 * link.
 */
async function installation(signUpRule: SignUpRule) {
  const rule = { ...openSignUp }
  const app = await testApp({ signUp: rule })
  const ada = await app.signedIn('Ada')
  const params = { projectId: await ada.make('/api/projects', { name: 'shared' }) }
  const open = app.client()
  const signUp = (email: string) =>
    open.call(accountApi.signUp, { body: { name: 'Bob Babbage', email, password } })
  const unverified = 'unverified@elsewhere.test'
  await signUp(unverified)
  const firstLink = tokenOf(lastMail(app.mails, unverified))
  Object.assign(rule, signUpRule)
  await app.restart()
  const stored = async () => [
    (await app.db.selectFrom('account').select('email').execute()).length,
    app.mails.length,
  ]
  return {
    app,
    ada,
    open,
    signUp,
    unverified,
    firstLink,
    params,
    invite: (email: string) => ada.call(projectMemberApi.invite, { params, body: { email, role: 'viewer' } }),
    /** Refused, with nothing stored and nothing mailed. */
    async expectRefused(email: string) {
      await app.idle()
      const before = await stored()
      expect(await signUp(email)).toMatchObject({
        status: 403,
        body: { message: signUpCondition(signUpRule) },
      })
      await app.idle()
      expect(await stored()).toEqual(before)
    },
  }
}

const domains = await installation({ policy: 'domains', domains: ['example.com', 'example.org'] })
const closed = await installation({ policy: 'closed', domains: [] })
const invitation = await installation({ policy: 'invitation', domains: [] })

it('the host names the policy', async () => {
  const { sign_up } = (await domains.open.call(hostApi.get)).body
  expect(sign_up).toEqual({ policy: 'domains', domains: ['example.com', 'example.org'] })
})

it('201 for an address at one of the domains, and for an invited one; 403 for any other', async () => {
  expect((await domains.signUp('Bob@Example.org')).status).toBe(201)
  await domains.expectRefused('guest@elsewhere.test')
  await domains.invite('guest@elsewhere.test')
  expect((await domains.signUp('Guest@Elsewhere.test')).status).toBe(201)
})

it('403 for an invited address where sign-up is closed', async () => {
  await closed.invite('guest@elsewhere.test')
  await closed.expectRefused('guest@elsewhere.test')
})

it.each([
  ['tells them', domains, true],
  ['where sign-up is closed does not tell them', closed, false],
] as const)('the email that invites somebody %s to create an account', async (_, { app, invite }, tells) => {
  await invite('reader@elsewhere.test')
  const { text } = lastMail(app.mails, 'reader@elsewhere.test')
  expect(text.includes('create one with this email address')).toBe(tells)
})

it('the account that was not verified before is, by its link, by another and by a reset', async () => {
  const { app, open, unverified, firstLink } = closed
  const body = { email: unverified }
  expect((await open.call(accountApi.resendVerification, { body })).status).toBe(200)
  await app.idle()
  const token = tokenOf(lastMail(app.mails, unverified))
  expect(token).not.toBe(firstLink)
  expect((await open.call(accountApi.verifyEmail, { body: { token } })).status).toBe(200)
  expect((await app.signIn({ ...body, password })).status).toBe(200)
  const reset = { token: await app.resetToken(unverified), password: 'Different-horse-1' }
  expect((await open.call(accountApi.resetPassword, { body: reset })).status).toBe(200)
})

it('an address that has an account is told so only if it may sign up', async () => {
  const { unverified, signUp, invite, expectRefused } = domains
  await expectRefused(unverified)
  await invite(unverified)
  expect(await signUp(unverified)).toMatchObject({ status: 409, body: { message: accountTexts.emailTaken } })
})

it('an invitation is good for nothing once it is withdrawn, accepted or too old', async () => {
  const { app, ada, params, invite, expectRefused } = domains
  const { id: invitationId } = (await invite('withdrawn@elsewhere.test')).body
  await ada.call(projectMemberApi.withdraw, { params: { ...params, invitationId } })
  await expectRefused('withdrawn@elsewhere.test')
  await invite('gone@elsewhere.test')
  await app.db
    .updateTable('project_invitation')
    .set({ accepted_at: '2026-01-01T00:00:00.000Z' })
    .where('email', '=', 'gone@elsewhere.test')
    .execute()
  await expectRefused('gone@elsewhere.test')
  await invite('late@elsewhere.test')
  await app.clock.suspend(invitationDays * day + 1)
  await expectRefused('late@elsewhere.test')
})

it('who signs up while invited then verifies, signs in and accepts the invitation', async () => {
  const { app, open, signUp, invite } = invitation
  const email = 'guest@elsewhere.test'
  await invite(email)
  const invited = { token: tokenOf(lastMail(app.mails, email)) }
  expect((await signUp(email)).status).toBe(201)
  const verify = { token: tokenOf(lastMail(app.mails, email)) }
  await open.call(accountApi.verifyEmail, { body: verify })
  const guest = await app.again({ email, password })
  expect((await guest.call(projectMemberApi.accept, { body: invited })).status).toBe(200)
})
