import {
  activityApi,
  projectApi,
  webhookApi,
  webhookLimit,
  webhookObjects,
  webhookTexts,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, tokenOf } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

const listed = { privateWebhooks: ['127.0.0.1'] }
const url = 'https://hooks.invalid/slipway'

const create = ({ ada, params }: Desk, more: object = {}) =>
  ada.call(webhookApi.create, { params, body: { url, paused: true, ...more } })

async function created(desk: Desk, more: object = {}) {
  const { body } = await create(desk, more)
  return { ...body, at: { params: { ...desk.params, webhookId: body.id } } }
}

/** Somebody with a role in the project. */
async function member({ app, ada, params }: Desk, role: 'viewer' | 'operator') {
  const bob = await app.signedIn('Bob')
  await ada.raw('POST', `/api/projects/${params.projectId}/invitations`, { email: bob.email, role })
  await bob.raw('POST', '/api/invitations/accept', { token: tokenOf(lastMail(app.mails, bob.email)) })
  return bob
}

const unknown = ({ params }: Desk) => ({ params: { ...params, webhookId: 'unknown', deliveryId: 'unknown' } })

describe('creating a webhook', () => {
  it(
    '201 has all of it, with the secret, which no other answer has',
    atDesk(async (desk) => {
      const { status, body } = await create(desk, {
        description: 'chat',
        kinds: ['failure'],
        actions: ['vm.error'],
      })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        project_id: desk.params.projectId,
        url,
        description: 'chat',
        objects: null,
        kinds: ['failure'],
        actions: ['vm.error'],
        paused: true,
        paused_reason: null,
        failing_since: null,
        waiting: 0,
      })
      expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const { secret: _, ...rest } = body
      const { body: list } = await desk.ada.call(webhookApi.list, { params: desk.params })
      expect(list).toEqual([rest])
      const at = { params: { ...desk.params, webhookId: body.id } }
      expect((await desk.ada.call(webhookApi.get, at)).body).toEqual(rest)
      const { secret } = await desk.app.db.selectFrom('webhook').select('secret').executeTakeFirstOrThrow()
      expect(secret).not.toContain(body.secret.slice(6))
      expect(secret).not.toContain(Buffer.from(body.secret.slice(6), 'base64').toString('base64url'))
    }),
  )

  it.each([
    ['url', {}, webhookTexts.urlMissing],
    ['url', { url: 7 }, webhookTexts.urlMissing],
    ['url', { url: 'hooks.example.com' }, webhookTexts.urlInvalid],
    ['url', { url: 'ftp://example.com' }, webhookTexts.urlInvalid],
    ['url', { url: 'https://ada:pw@example.com/' }, webhookTexts.urlCredentials],
    ['url', { url: `https://example.com/${'x'.repeat(2048)}` }, webhookTexts.urlTooLong],
    ['url', { url: 'http://example.com/' }, webhookTexts.urlHttps],
    ['url', { url: 'https://127.0.0.1/' }, webhookTexts.urlPrivate],
    ['url', { url: 'https://169.254.169.254/latest/meta-data' }, webhookTexts.urlPrivate],
    ['url', { url: 'https://[::1]/' }, webhookTexts.urlPrivate],
    ['url', { url: 'https://[::ffff:10.0.0.1]/' }, webhookTexts.urlPrivate],
    ['url', { url: 'https://2130706433/' }, webhookTexts.urlPrivate],
    ['description', { url, description: 'x'.repeat(201) }, webhookTexts.descriptionTooLong],
    ['objects', { url, objects: [] }, webhookTexts.objectsMissing],
    ['kinds', { url, kinds: [] }, webhookTexts.kindsMissing],
    ['actions', { url, actions: [] }, webhookTexts.actionsMissing],
    ['actions', { url, actions: ['everything'] }, webhookTexts.actionInvalid],
    ['paused', { url, paused: 'no' }, webhookTexts.pausedInvalid],
  ])('400 names %s of %j', (field, body, message) =>
    atDesk(async (desk) => {
      const answer = await desk.ada.call(webhookApi.create, { params: desk.params, body })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ fields: { [field]: message } })
    })(),
  )

  it(
    '201 for a private host and plain http where the operator lists the host',
    atDesk(async (desk) => {
      expect((await create(desk, { url: 'http://127.0.0.1:9/' })).status).toBe(201)
      expect((await create(desk, { url: 'https://127.0.0.1:9/' })).status).toBe(201)
      expect((await create(desk, { url: 'http://127.0.0.2:9/' })).status).toBe(400)
    }, listed),
  )

  it(
    '409 beyond as many as a project may have, also for many at once',
    atDesk(async (desk) => {
      const answers = await Promise.all(Array.from({ length: webhookLimit + 3 }, () => create(desk)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(webhookLimit)
      const refused = answers.filter(({ status }) => status === 409)
      expect(refused.map(({ body }) => body)).toEqual(
        Array.from({ length: 3 }, () => expect.objectContaining({ message: webhookTexts.tooMany })),
      )
    }),
  )

  it(
    'offers every kind of object that the log of a project can be about',
    atDesk(async (desk) => {
      const body = await created(desk, { objects: [...webhookObjects, 'vm'] })
      expect(body.objects).toEqual(webhookObjects)
    }),
  )
})

describe('changing a webhook', () => {
  it(
    '200 changes what is named, and leaves the rest',
    atDesk(async (desk) => {
      const webhook = await created(desk, { description: 'chat', objects: ['vm'] })
      const { status, body } = await desk.ada.call(webhookApi.update, {
        ...webhook.at,
        body: { kinds: ['failure'], paused: false },
      })
      expect(status).toBe(200)
      expect(body).toMatchObject({ description: 'chat', objects: ['vm'], kinds: ['failure'], paused: false })
      expect(body).not.toHaveProperty('secret')
      const all = await desk.ada.call(webhookApi.update, { ...webhook.at, body: { objects: null } })
      expect(all.body.objects).toBeNull()
      const { body: log } = await desk.ada.raw(
        'GET',
        `/api/projects/${desk.params.projectId}/activity?object_type=webhook`,
      )
      const messages = (log as { entries: { message: string }[] }).entries.map(({ message }) => message)
      expect(messages).toEqual(['Changed webhook chat', 'Resumed webhook chat', 'Created webhook chat'])
    }),
  )

  it(
    '400 without any change, and for what creation refuses too',
    atDesk(async (desk) => {
      const { at } = await created(desk)
      for (const body of [{}, { url: 'https://10.0.0.1/' }, { url: '' }, { kinds: ['bang'] }])
        expect((await desk.ada.call(webhookApi.update, { ...at, body })).status).toBe(400)
    }),
  )

  it(
    '200 has a new secret, and says how long the old one signs as well',
    atDesk(async (desk) => {
      const webhook = await created(desk)
      const { status, body } = await desk.ada.call(webhookApi.renewSecret, webhook.at)
      expect(status).toBe(200)
      expect(body.secret).not.toBe(webhook.secret)
      expect(Date.parse(body.old_secret_until ?? '') - desk.app.clock.now()).toBe(24 * 60 * 60_000)
      expect(body.old_secret_until).toBe(
        (await desk.ada.call(webhookApi.get, webhook.at)).body.old_secret_until,
      )
    }),
  )

  it(
    '204 deletes it with its deliveries, and then there is none',
    atDesk(async (desk) => {
      const { at } = await created(desk)
      await desk.ada.call(webhookApi.test, at)
      expect((await desk.ada.call(webhookApi.delete, at)).status).toBe(204)
      expect((await desk.ada.call(webhookApi.delete, at)).status).toBe(404)
      expect(await desk.app.db.selectFrom('webhook_delivery').selectAll().execute()).toEqual([])
    }),
  )

  it(
    '404 for every call about one that is not there, or is of another project',
    atDesk(async (desk) => {
      const { id } = await created(desk)
      const { body: other } = await desk.ada.call(projectApi.create, { body: { name: 'other' } })
      const elsewhere = { params: { projectId: other.id, webhookId: id, deliveryId: 'unknown' } }
      for (const at of [unknown(desk), elsewhere]) {
        const answers = [
          await desk.ada.call(webhookApi.get, at),
          await desk.ada.call(webhookApi.update, { ...at, body: { paused: false } }),
          await desk.ada.call(webhookApi.renewSecret, at),
          await desk.ada.call(webhookApi.delete, at),
          await desk.ada.call(webhookApi.test, at),
          await desk.ada.call(webhookApi.deliveries, at),
          await desk.ada.call(webhookApi.retry, at),
        ]
        for (const { status, body } of answers)
          expect([status, body]).toEqual([404, expect.objectContaining({ message: webhookTexts.notFound })])
      }
    }),
  )
})

describe('who may see and change webhooks', () => {
  it(
    'operators see them and what was sent, and change nothing; viewers see none of it',
    atDesk(async (desk) => {
      const { at, id } = await created(desk)
      const statuses = async (role: 'viewer' | 'operator') => {
        const bob = await member(desk, role)
        const base = `/api/projects/${desk.params.projectId}/webhooks`
        const of = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
          (await bob.raw(method, `${base}${path}`, body)).status
        return [
          await of('GET', ''),
          await of('GET', `/${id}`),
          await of('GET', `/${id}/deliveries`),
          await of('POST', '', { url }),
          await of('PUT', `/${id}`, { paused: false }),
          await of('POST', `/${id}/secret`),
          await of('POST', `/${id}/test`),
          await of('DELETE', `/${id}`),
        ]
      }
      expect(await statuses('operator')).toEqual([200, 200, 200, 403, 403, 403, 403, 403])
      expect(await statuses('viewer')).toEqual([403, 403, 403, 403, 403, 403, 403, 403])
      expect((await desk.ada.call(webhookApi.get, at)).status).toBe(200)
    }),
  )
})

describe('what an entry of the log about webhooks has', () => {
  it(
    'is the description as the name, or the host, and never the path of the URL',
    atDesk(async (desk) => {
      await create(desk, { description: 'chat' })
      await create(desk, { url: 'https://hooks.invalid/T0/secret-token' })
      const { body } = await desk.ada.call(activityApi.ofProject, { params: desk.params })
      const told = body.entries.filter(({ object }) => object.type === 'webhook')
      expect(told.map(({ object }) => object.name)).toEqual(['hooks.invalid', 'chat'])
      expect(JSON.stringify(body)).not.toContain('secret-token')
    }),
  )
})
