/** The way of a mail from the change that it tells of to the mail server. */
import { type AdminMail, adminMailApi, adminMailTexts, fillPath, healthApi } from '@slipway/contract'
import { it as base, describe, expect } from 'vitest'
import { makeTestApp, type TestApp, tokenOf } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import type { Mail } from '../mail/mail.ts'
import { sendAgain } from '../mail-queue/mail-queue.writes.ts'
import { makeMailDeliveryRepo } from './mail-delivery.repo.ts'

const person = { name: 'Ada', email: 'ada@slipway.test', password: 'Correct-horse-1' }
const minute = 60_000
const hour = 60 * minute

/** A server, whose administrator is the first to sign up, and a mail server that does what `answer` says at the moment. */
const it = base
  .extend('mailServer', (): { answer: (mail: Mail) => Promise<void> } => ({ answer: async () => {} }))
  .extend('app', async ({ mailServer }, { onCleanup }) => {
    const mails = (mail: Mail) => mailServer.answer(mail)
    const app = await makeTestApp({ admins: ['person-1@slipway.test'], mailServer: mails })
    onCleanup(() => app.close())
    return app
  })

const down = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNECTION' })
}
const signUp = (app: TestApp, more: Partial<typeof person> = {}) =>
  app.client().raw('POST', '/api/auth/signup', { ...person, ...more })
/** The same, and does not wait for its mail to be taken. */
const signUpAtOnce = (app: TestApp, email: string) =>
  app.app.inject({ method: 'POST', url: '/api/auth/signup', payload: { ...person, email } })
const rows = (app: TestApp) => app.db.selectFrom('mail_queue').selectAll().orderBy('id').execute()

describe('a mail', () => {
  it('that the mail server does not take is sent later, also after a restart', async ({
    app,
    mailServer,
  }) => {
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
  })

  it('is stored with what it tells of, or neither is', async ({ app }) => {
    const heal = await refuse(app.db, 'insert', 'mail_queue')
    expect((await signUp(app)).status).toBe(500)
    await heal()
    expect(await app.db.selectFrom('account').select('id').execute()).toEqual([])
    expect((await signUp(app)).status).toBe(201)
    expect(app.mails).toHaveLength(1)
  })

  it('is unreadable where it waits, and its content is gone once it was sent', async ({
    app,
    mailServer,
  }) => {
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
  })

  it('ends with its link, and nobody can send it again', async ({ app, mailServer }) => {
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
  })

  it('is sent once more, and no oftener, when a server is killed while it sends it', async ({
    app,
    mailServer,
  }) => {
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
  })

  it('is not sent a second time while it is being sent', async ({ app, mailServer }) => {
    const slow = Promise.withResolvers<void>()
    const asked: string[] = []
    let isDown = true
    mailServer.answer = async ({ to }) => {
      asked.push(to)
      if (to === person.email) await slow.promise
      else if (isDown) await down()
    }
    await signUpAtOnce(app, person.email)
    await signUpAtOnce(app, 'grace@slipway.test')
    await app.clock.advance(31_000)
    expect(asked).toContain('grace@slipway.test')
    expect(app.mails).toEqual([])
    isDown = false
    await app.clock.advance(30_000)
    expect(app.mails.map(({ to }) => to)).toEqual(['grace@slipway.test'])
    slow.resolve()
    await app.idle()
    expect(asked.filter((to) => to === person.email)).toHaveLength(1)
    expect(await rows(app)).toMatchObject([{ state: 'sent', tries: 1 }, { state: 'sent' }])
  })

  it('to a slow recipient holds up none that is queued after it', async ({ app, mailServer }) => {
    const slow = Promise.withResolvers<void>()
    mailServer.answer = async ({ to }) => {
      if (to === person.email) await slow.promise
    }
    await signUpAtOnce(app, person.email)
    await signUpAtOnce(app, 'grace@slipway.test')
    await expect.poll(() => app.mails.map(({ to }) => to)).toEqual(['grace@slipway.test'])
    slow.resolve()
    await app.idle()
    expect(app.mails).toHaveLength(2)
  })

  it('gets the outcome of the try that was claimed last, and of no other', async ({ app, mailServer }) => {
    mailServer.answer = down
    await signUp(app)
    const repo = makeMailDeliveryRepo(app.db)
    const at = (ms: number) => new Date(app.clock.now() + ms).toISOString()
    const id = (await rows(app))[0]?.id ?? ''
    const again = (now: string) => app.db.transaction().execute((tx) => sendAgain(tx, id, now))
    expect(await again(at(0))).toBe(true)
    const first = await repo.claim(at(minute), at(3 * minute))
    expect(await repo.claim(at(2 * minute), at(4 * minute))).toBeNull()
    expect(await again(at(2 * minute))).toBe(false)
    // The first is over, so somebody may ask for another, whose number is the same.
    expect(await again(at(3 * minute))).toBe(true)
    const second = await repo.claim(at(3 * minute), at(5 * minute))
    expect([first?.tries, second?.tries]).toEqual([1, 1])
    const sent = { state: 'sent', next_at: null, failure: null, content: null } as const
    expect(first && (await repo.settle(first, sent))).toBe(false)
    expect(second && (await repo.settle(second, sent))).toBe(true)
    expect(await rows(app)).toMatchObject([{ state: 'sent', claim: null }])
  })

  it('that is being sent when its link stops working is sent if the mail server takes it', async ({
    app,
    mailServer,
  }) => {
    await signUp(app)
    const payload = { email: person.email }
    mailServer.answer = down
    await app.app.inject({ method: 'POST', url: '/api/auth/forgot-password', payload })
    await app.idle()
    const slow = Promise.withResolvers<void>()
    mailServer.answer = () => slow.promise
    const [, reset] = await rows(app)
    // Its last try begins a moment before its link stops working.
    const before = new Date(Date.parse(reset?.expires_at ?? '') - 20_000).toISOString()
    await app.db
      .updateTable('mail_queue')
      .set({ next_at: before })
      .where('id', '=', reset?.id ?? '')
      .execute()
    await app.clock.advance(hour + 20_000)
    slow.resolve()
    await app.idle()
    expect((await rows(app)).map(({ state }) => state)).toEqual(['sent', 'sent'])
    expect(app.mails).toHaveLength(2)
  })

  it('is not given up when the clock alone says that its link has stopped working', async ({
    app,
    mailServer,
  }) => {
    mailServer.answer = down
    await signUp(app)
    const days = 3 * 24 * hour
    app.clock.set(app.clock.now() + days)
    await app.clock.advance(minute)
    expect(await rows(app)).toMatchObject([{ state: 'waiting', content: expect.any(String) }])
    app.clock.set(app.clock.now() - days)
    mailServer.answer = async () => {}
    await app.clock.advance(10 * minute)
    expect(app.mails).toHaveLength(1)
  })

  it('to one address that is refused for good does not hold up the others', async ({ app, mailServer }) => {
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
  })

  it('is sent by the server that drives, whichever was asked', async ({ app }) => {
    const beside = await app.serverBeside()
    await beside.client().raw('POST', '/api/auth/signup', person)
    expect(app.mails.map(({ to }) => to)).toEqual([person.email])
  })

  it('of an account that is deleted is forgotten with it, but for the last', async ({ app, mailServer }) => {
    // The only administrator may not go.
    await app.signedIn('Root')
    const ada = await app.signedIn()
    mailServer.answer = down
    await ada.raw('POST', '/api/user/deletion', {})
    await app.clock.suspend(30 * 24 * hour)
    await app.clock.advance(minute)
    const toAda = (await rows(app)).filter(({ recipient }) => recipient === ada.email)
    expect(toAda).toMatchObject([{ purpose: 'account-deleted', account_id: null }])
  })
})

describe('the mail server', () => {
  it('failed once when several tries fail that began before', async ({ app, mailServer }) => {
    const answers = Promise.withResolvers<void>()
    let begun = 0
    mailServer.answer = () => {
      begun++
      return answers.promise
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) await signUpAtOnce(app, `${name}@slipway.test`)
    await app.clock.advance(31_000)
    expect(begun).toBe(4)
    answers.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNECTION' }))
    await app.idle()
    mailServer.answer = async () => {}
    await app.clock.advance(10_000)
    expect(app.mails).toHaveLength(5)
  })

  it('is well again for all mails as soon as it takes one', async ({ app, mailServer }) => {
    const slow = Promise.withResolvers<void>()
    mailServer.answer = ({ to }) => (to === person.email ? slow.promise : down())
    await signUpAtOnce(app, person.email)
    await signUpAtOnce(app, 'grace@slipway.test')
    await app.clock.advance(30_000)
    expect(await rows(app)).toMatchObject([{ failure: null }, { failure: 'connect ECONNREFUSED' }])
    mailServer.answer = async () => {}
    slow.resolve()
    await app.idle()
    expect(app.mails).toHaveLength(2)
  })

  it('is not waited for any longer because the clock was ahead when it failed', async ({
    app,
    mailServer,
  }) => {
    await signUp(app, { email: 'grace@slipway.test' })
    mailServer.answer = down
    app.clock.set(app.clock.now() + 20 * hour)
    await signUp(app)
    app.clock.set(app.clock.now() - 20 * hour)
    mailServer.answer = async () => {}
    await signUp(app, { email: 'lena@slipway.test' })
    await app.clock.advance(10_000)
    expect(app.mails.map(({ to }) => to)).toEqual(['grace@slipway.test', 'lena@slipway.test', person.email])
  })
})

describe('administrators', () => {
  it('see what waits and what failed, and have it sent again', async ({ app, mailServer }) => {
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
    expect(health.problems.join()).toMatch(/1 mail waits to be sent.*connect ECONNREFUSED.*SLIPWAY_SMTP_URL/)
    mailServer.answer = async () => {}
    const params = { mailId: body.mails[0]?.id ?? '' }
    expect((await admin.call(adminMailApi.retry, { params })).status).toBe(200)
    expect(app.mails.at(-1)?.to).toBe(person.email)
    expect((await admin.call(healthApi.get)).body.problems).toEqual([])
    expect((await admin.call(adminMailApi.retry, { params })).body).toMatchObject({
      message: adminMailTexts.sent,
    })
  })

  it('cannot have a mail sent again while it is being sent', async ({ app, mailServer }) => {
    const { cookie = '' } = await app.signedIn('Root')
    const headers = { cookie }
    const list = async () =>
      (await app.app.inject({ url: adminMailApi.list.path, headers })).json().mails[0] as AdminMail
    const answers: ((error: Error) => void)[] = []
    mailServer.answer = () => new Promise((_, reject) => answers.push(reject))
    await signUpAtOnce(app, person.email)
    await app.clock.advance(0)
    const mail = await list()
    expect(mail).toMatchObject({
      state: 'waiting',
      is_being_sent: true,
      can_be_sent: false,
      next_try_at: null,
    })
    const url = fillPath(adminMailApi.retry.path, { mailId: mail.id })
    const refused = await app.app.inject({ method: 'POST', url, headers })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ message: adminMailTexts.beingSent })
    expect(answers).toHaveLength(1)
    answers[0]?.(new Error('421 come back later'))
    await app.mailsIdle()
    expect(await list()).toMatchObject({
      tries: 1,
      failure: '421 come back later',
      is_being_sent: false,
      can_be_sent: true,
    })
  })

  it('are the only ones who do', async ({ app }) => {
    const refused = { status: 403, body: { message: adminMailTexts.refused } }
    await app.signedIn('Root')
    expect(await (await app.signedIn('Ada')).call(adminMailApi.list)).toMatchObject(refused)
  })
})
