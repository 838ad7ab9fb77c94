/** The way of a mail from the change that it tells of to the mail server. */
import { accountApi, adminMailApi, adminMailTexts, healthApi, projectMemberApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { makeTestApp, type TestApp, type TestAppOptions, tokenOf } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import type { Mail } from '../mail/mail.ts'
import { makeMailDeliveryRepo } from './mail-delivery.repo.ts'

const person = { name: 'Ada', email: 'ada@slipway.test', password: 'Correct-horse-1' }
const minute = 60_000
const hour = 60 * minute

/** A server whose mail server does what `answer` says at the moment. */
async function atMailServer(
  test: (app: TestApp, mailServer: { answer: (mail: Mail) => Promise<void> }) => Promise<void>,
  options: TestAppOptions = {},
): Promise<void> {
  const mailServer: { answer: (mail: Mail) => Promise<void> } = { answer: async () => {} }
  const app = await makeTestApp({ ...options, mailServer: (mail) => mailServer.answer(mail) })
  try {
    await test(app, mailServer)
  } finally {
    await app.close()
  }
}

const down = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNECTION' })
}
const signUp = (app: TestApp, more: Partial<typeof person> = {}) =>
  app.client().raw('POST', '/api/auth/signup', { ...person, ...more })
const rows = (app: TestApp) => app.db.selectFrom('mail_queue').selectAll().orderBy('id').execute()

describe('a mail', () => {
  it('that the mail server does not take is sent later, also after a restart', () =>
    atMailServer(async (app, mailServer) => {
      mailServer.answer = down
      await signUp(app)
      await app.idle()
      expect(app.mails).toEqual([])
      await app.restart()
      mailServer.answer = async () => {}
      await app.clock.advance(10 * minute)
      expect(app.mails.map(({ to }) => to)).toEqual([person.email])
      await app.clock.advance(hour)
      expect(app.mails).toHaveLength(1)
    }))

  it('is stored with what it tells of, or neither is', () =>
    atMailServer(async (app) => {
      const heal = await refuse(app.db, 'insert', 'mail_queue')
      expect((await signUp(app)).status).toBe(500)
      await heal()
      expect(await app.db.selectFrom('account').select('id').execute()).toEqual([])
      expect((await signUp(app)).status).toBe(201)
      expect(app.mails).toHaveLength(1)
    }))

  it('is unreadable where it waits, and its content is gone once it was sent', () =>
    atMailServer(async (app, mailServer) => {
      mailServer.answer = down
      await signUp(app)
      const [waiting] = await rows(app)
      expect(waiting).toMatchObject({ state: 'waiting', recipient: person.email, tries: 1 })
      expect(waiting?.content).toMatch(/^v1\./)
      mailServer.answer = async () => {}
      await app.clock.advance(minute)
      const token = tokenOf(app.mails[0] as Mail)
      expect(waiting?.content).not.toContain(token)
      expect(await rows(app)).toMatchObject([{ state: 'sent', content: null, next_at: null }])
    }))

  it('ends with its link, and nobody can send it again', () =>
    atMailServer(
      async (app, mailServer) => {
        const admin = await app.signedIn('Root')
        await signUp(app)
        mailServer.answer = down
        await app.client().raw('POST', '/api/auth/forgot-password', { email: person.email })
        await app.idle()
        await app.clock.advance(2 * hour)
        mailServer.answer = async () => {}
        const { body } = await admin.call(adminMailApi.list)
        expect(body.mails[0]).toMatchObject({ purpose: 'reset', state: 'failed', can_be_sent: false })
        expect((await rows(app)).at(-1)?.content).toBeNull()
        const params = { mailId: body.mails[0]?.id ?? '' }
        expect(await admin.call(adminMailApi.retry, { params })).toMatchObject({
          status: 409,
          body: { message: adminMailTexts.over },
        })
      },
      { admins: ['person-1@slipway.test'] },
    ))

  it('is sent once more, and no oftener, when a server is killed while it sends it', () =>
    atMailServer(async (app, mailServer) => {
      mailServer.answer = down
      await signUp(app)
      await app.clock.advance(10_000)
      // What a server leaves that is killed after the claim, whether it had sent the mail or not.
      const repo = makeMailDeliveryRepo(app.db)
      const now = new Date(app.clock.now() + minute).toISOString()
      const later = new Date(app.clock.now() + 3 * minute).toISOString()
      const [one, other] = await Promise.all([repo.claim(now, later), repo.claim(now, later)])
      expect([one, other].filter((claimed) => claimed !== null)).toHaveLength(1)
      mailServer.answer = async () => {}
      await app.restart()
      expect(app.mails).toEqual([])
      await app.clock.advance(10 * minute)
      expect(app.mails).toHaveLength(1)
    }))

  it('to one address that is refused for good does not hold up the others', () =>
    atMailServer(async (app, mailServer) => {
      mailServer.answer = async ({ to }) => {
        if (to.startsWith('nobody'))
          throw Object.assign(new Error('550 no such user'), { code: 'EENVELOPE', responseCode: 550 })
      }
      await signUp(app, { email: 'nobody@slipway.test' })
      await signUp(app)
      expect(app.mails.map(({ to }) => to)).toEqual([person.email])
      expect(await rows(app)).toMatchObject([
        { state: 'failed', failure: '550 no such user', tries: 1 },
        { state: 'sent' },
      ])
    }))

  it('is sent by the server that drives, whichever was asked', () =>
    atMailServer(async (app) => {
      const beside = await app.serverBeside()
      await beside.client().raw('POST', '/api/auth/signup', person)
      expect(app.mails.map(({ to }) => to)).toEqual([person.email])
    }))

  it('of an account that is deleted is forgotten with it, but for the last', () =>
    atMailServer(async (app, mailServer) => {
      const ada = await app.signedIn()
      mailServer.answer = down
      await ada.raw('POST', '/api/user/deletion', {})
      await app.clock.suspend(30 * 24 * hour)
      await app.clock.advance(minute)
      expect(await rows(app)).toMatchObject([{ purpose: 'account-deleted', account_id: null }])
    }))
})

describe('administrators', () => {
  it('see what waits and what failed, and have it sent again', () =>
    atMailServer(
      async (app, mailServer) => {
        const admin = await app.signedIn('Root')
        mailServer.answer = down
        await signUp(app)
        await app.clock.advance(10 * minute)
        const { body } = await admin.call(adminMailApi.list)
        expect(body).toMatchObject({ waiting: 1, failed: 0, oldest_waiting_at: expect.any(String) })
        expect(body.mails[0]).toMatchObject({
          purpose: 'verify',
          recipient: person.email,
          state: 'waiting',
          failure: 'connect ECONNREFUSED',
          can_be_sent: true,
        })
        expect(JSON.stringify(body)).not.toContain('token=')
        const health = (await admin.call(healthApi.get)).body
        expect(health.problems.join()).toMatch(
          /1 mail waits to be sent.*connect ECONNREFUSED.*SLIPWAY_SMTP_URL/,
        )
        mailServer.answer = async () => {}
        const params = { mailId: body.mails[0]?.id ?? '' }
        expect((await admin.call(adminMailApi.retry, { params })).status).toBe(200)
        expect(app.mails.at(-1)?.to).toBe(person.email)
        expect((await admin.call(healthApi.get)).body.problems).toEqual([])
        expect((await admin.call(adminMailApi.retry, { params })).body).toMatchObject({
          message: adminMailTexts.sent,
        })
      },
      { admins: ['person-1@slipway.test'] },
    ))

  it('are the only ones who do', () =>
    atMailServer(async (app) => {
      const ada = await app.signedIn()
      const { id } = (await ada.call(accountApi.me)).body
      for (const answer of [
        await ada.call(adminMailApi.list),
        await ada.call(adminMailApi.retry, { params: { mailId: id } }),
      ])
        expect(answer).toMatchObject({ status: 403, body: { message: adminMailTexts.refused } })
    }))
})

it('a mail of an invitation that is refused is not queued', () =>
  atMailServer(async (app) => {
    const ada = await app.signedIn()
    const projectId = ((await ada.raw('POST', '/api/projects', { name: 'p' })).body as { id: string }).id
    const before = (await rows(app)).length
    const body = { email: ada.email, role: 'viewer' as const }
    expect((await ada.call(projectMemberApi.invite, { params: { projectId }, body })).status).toBe(409)
    expect(await rows(app)).toHaveLength(before)
  }))
