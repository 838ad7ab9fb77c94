import { activityApi, webhookApi, webhookLimit, webhookObjects, webhookTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type Desk, deskWith } from '../desk.test-kit.ts'

const listed = { privateWebhooks: ['127.0.0.1'] }
const url = 'https://hooks.invalid/slipway'

const create = ({ ada, params }: Desk, more: object = {}) =>
  ada.call(webhookApi.create, { params, body: { url, paused: true, ...more } })

async function created(desk: Desk, more: object = {}) {
  const { body } = await create(desk, more)
  return { ...body, at: { params: { ...desk.params, webhookId: body.id } } }
}

describe('creating a webhook', () => {
  it('201 has all of it, with the secret, which no other answer has', async () => {
    const desk = await deskWith()
    const asked = { description: 'chat', kinds: ['failure'], actions: ['vm.error'] }
    const { status, body } = await create(desk, asked)
    expect(status).toBe(201)
    const fresh = { objects: null, paused: true, paused_reason: null, failing_since: null, waiting: 0 }
    expect(body).toMatchObject({ project_id: desk.params.projectId, url, ...asked, ...fresh })
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { secret: _, ...rest } = body
    const { body: list } = await desk.ada.call(webhookApi.list, { params: desk.params })
    expect(list).toEqual([rest])
    const at = { params: { ...desk.params, webhookId: body.id } }
    expect((await desk.ada.call(webhookApi.get, at)).body).toEqual(rest)
    const { secret } = await desk.app.db.selectFrom('webhook').select('secret').executeTakeFirstOrThrow()
    expect(secret).not.toContain(body.secret.slice(6))
    expect(secret).not.toContain(Buffer.from(body.secret.slice(6), 'base64').toString('base64url'))
  })

  it.each([
    ['url', {}, webhookTexts.urlMissing],
    ['url', { url: 'hooks.example.com' }, webhookTexts.urlInvalid],
    ['url', { url: 'http://example.com/' }, webhookTexts.urlHttps],
    ['url', { url: 'https://169.254.169.254/latest/meta-data' }, webhookTexts.urlPrivate],
    ['url', { url: 'https://2130706433/' }, webhookTexts.urlPrivate],
    ['description', { url, description: 'x'.repeat(201) }, webhookTexts.descriptionTooLong],
    ['objects', { url, objects: [] }, webhookTexts.objectsMissing],
    ['kinds', { url, kinds: [] }, webhookTexts.kindsMissing],
    ['actions', { url, actions: [] }, webhookTexts.actionsMissing],
    ['actions', { url, actions: ['everything'] }, webhookTexts.actionInvalid],
    ['paused', { url, paused: 'no' }, webhookTexts.pausedInvalid],
  ])('400 names %s of %j', async (field, body, message) => {
    const { ada, params } = await deskWith()
    const refused = { status: 400, body: { fields: { [field]: message } } }
    expect(await ada.call(webhookApi.create, { params, body })).toMatchObject(refused)
  })

  it('201 for a private host and plain http where the operator lists the host', async () => {
    const desk = await deskWith(listed)
    expect((await create(desk, { url: 'http://127.0.0.1:9/' })).status).toBe(201)
    expect((await create(desk, { url: 'https://127.0.0.1:9/' })).status).toBe(201)
    expect((await create(desk, { url: 'http://127.0.0.2:9/' })).status).toBe(400)
  })

  it('409 beyond as many as a project may have, also for many at once', async () => {
    const desk = await deskWith()
    const answers = await Promise.all(Array.from({ length: webhookLimit + 3 }, () => create(desk)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(webhookLimit)
    const refused = answers.filter(({ status }) => status === 409)
    const tooMany = { body: { message: webhookTexts.tooMany } }
    expect(refused).toMatchObject([tooMany, tooMany, tooMany])
  })

  it('offers every kind of object that the log of a project can be about', async () => {
    const desk = await deskWith()
    const body = await created(desk, { objects: [...webhookObjects, 'vm'] })
    expect(body.objects).toEqual(webhookObjects)
  })
})

describe('changing a webhook', () => {
  it('200 changes what is named, and leaves the rest', async () => {
    const desk = await deskWith()
    const webhook = await created(desk, { description: 'chat', objects: ['vm'] })
    const change = { kinds: ['failure' as const], paused: false }
    const { status, body } = await desk.ada.call(webhookApi.update, { ...webhook.at, body: change })
    expect(status).toBe(200)
    expect(body).toMatchObject({ description: 'chat', objects: ['vm'], kinds: ['failure'], paused: false })
    expect(body).not.toHaveProperty('secret')
    const all = await desk.ada.call(webhookApi.update, { ...webhook.at, body: { objects: null } })
    expect(all.body.objects).toBeNull()
    const ofWebhooks = `/api/projects/${desk.params.projectId}/activity?object_type=webhook`
    const { body: log } = await desk.ada.raw('GET', ofWebhooks)
    const messages = (log as { entries: { message: string }[] }).entries.map(({ message }) => message)
    expect(messages).toEqual(['Changed webhook chat', 'Resumed webhook chat', 'Created webhook chat'])
  })

  it('400 without any change, and for what creation refuses too', async () => {
    const desk = await deskWith()
    const { at } = await created(desk)
    for (const body of [{}, { url: 'https://10.0.0.1/' }, { url: '' }, { kinds: ['bang'] }])
      expect((await desk.ada.call(webhookApi.update, { ...at, body })).status).toBe(400)
  })

  it('200 has a new secret, and says how long the old one signs as well', async () => {
    const desk = await deskWith()
    const webhook = await created(desk)
    const { status, body } = await desk.ada.call(webhookApi.renewSecret, webhook.at)
    expect(status).toBe(200)
    expect(body.secret).not.toBe(webhook.secret)
    expect(Date.parse(body.old_secret_until ?? '') - desk.app.clock.now()).toBe(24 * 60 * 60_000)
    const { body: read } = await desk.ada.call(webhookApi.get, webhook.at)
    expect(body.old_secret_until).toBe(read.old_secret_until)
  })

  it('204 deletes it with its deliveries, and then there is none', async () => {
    const desk = await deskWith()
    const { at } = await created(desk)
    await desk.ada.call(webhookApi.test, at)
    expect((await desk.ada.call(webhookApi.delete, at)).status).toBe(204)
    expect(await desk.ada.call(webhookApi.delete, at)).toMatchObject({
      status: 404,
      body: { message: webhookTexts.notFound },
    })
    expect(await desk.app.db.selectFrom('webhook_delivery').selectAll().execute()).toEqual([])
  })
})

describe('what an entry of the log about webhooks has', () => {
  it('is the description as the name, or the host, and never the path of the URL', async () => {
    const desk = await deskWith()
    await create(desk, { description: 'chat' })
    await create(desk, { url: 'https://hooks.invalid/T0/secret-token' })
    const { body } = await desk.ada.call(activityApi.ofProject, { params: desk.params })
    const told = body.entries.filter(({ object }) => object.type === 'webhook')
    expect(told.map(({ object }) => object.name)).toEqual(['hooks.invalid', 'chat'])
    expect(JSON.stringify(body)).not.toContain('secret-token')
  })
})
