import { apiTokenApi, apiTokenLimit, apiTokenTexts, hostApi, messages, projectApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { apiTokenHash, newApiToken } from './api-token.secret.ts'

const app = await testApp()
const day = 24 * 60 * 60_000
const readAll = { name: 'ci', access: 'read', project_ids: null } as const
const writeAll = { ...readAll, access: 'write' } as const

type Person = Awaited<ReturnType<typeof app.signedIn>>
const createBy = async (person: Person, body: object = readAll) =>
  (await person.call(apiTokenApi.create, { body })).body
const expireIn = (ms: number) =>
  app.db
    .updateTable('api_token')
    .set({ expires_at: new Date(app.clock.now() + ms).toISOString() })
    .execute()
/** Calls with a token and nothing else, as programs do. */
const asProgram = (token: string, more: Record<string, string> = {}) => ({
  get: (url: string) =>
    app.client().raw('GET', url, undefined, { authorization: `Bearer ${token}`, ...more }),
  post: (url: string, body: object) =>
    app.client().raw('POST', url, body, { authorization: `Bearer ${token}`, ...more }),
})

describe('the token itself', () => {
  it('has a prefix to know it by, and a checksum', () => {
    const token = newApiToken()
    expect(token).toMatch(/^slipway_[0-9a-f]{56}$/)
    expect(newApiToken()).not.toBe(token)
    expect(apiTokenHash(token)).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ['another digit', (token: string) => token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['one digit less', (token: string) => token.slice(0, -1)],
    ['another prefix', (token: string) => token.replace('slipway_', 'slipwax_')],
    ['capitals', (token: string) => token.replace(/[0-9a-f]+$/, 'A'.repeat(56))],
    ['nothing', () => ''],
  ])('with %s is none', (_, change) => {
    expect(apiTokenHash(change(newApiToken()))).toBe(null)
  })
})

describe('creating one', () => {
  it('201 with the token, which is in no other answer and is stored as a hash', async () => {
    const ada = await app.signedIn()
    const { status, body } = await ada.call(apiTokenApi.create, {
      body: { ...writeAll, name: 'Terraform', expires_in_days: 30 },
    })
    expect(status).toBe(201)
    const { token, ...rest } = body
    expect(rest).toMatchObject({ name: 'Terraform', access: 'write', project_ids: null, last_used_at: null })
    expect(Date.parse(rest.expires_at) - Date.parse(rest.created_at)).toBe(30 * day)
    expect((await ada.call(apiTokenApi.list)).body).toEqual([rest])
    const rows = await app.db.selectFrom('api_token').selectAll().where('id', '=', rest.id).execute()
    expect(JSON.stringify(rows)).not.toContain(token.slice(8, 20))
    const told = await app.db.selectFrom('activity').selectAll().where('object_id', '=', rest.id).execute()
    expect(JSON.stringify(told)).not.toContain(token.slice(8, 20))
  })

  it.each([
    [{ ...readAll, name: ' ' }, 'name', apiTokenTexts.nameMissing],
    [{ ...readAll, access: 'all' }, 'access', apiTokenTexts.accessMissing],
    [{ name: 'ci', access: 'read' }, 'project_ids', apiTokenTexts.projectsMissing],
    [{ ...readAll, project_ids: [] }, 'project_ids', apiTokenTexts.projectsMissing],
    [{ ...readAll, project_ids: ['none'] }, 'project_ids', apiTokenTexts.unknownProject],
    [{ ...readAll, expires_in_days: 0 }, 'expires_in_days', apiTokenTexts.invalidExpiry],
    [{ ...readAll, expires_in_days: 367 }, 'expires_in_days', apiTokenTexts.invalidExpiry],
  ])('400 for %j', async (body, field, message) => {
    const ada = await app.signedIn()
    expect(await ada.raw('POST', '/api/user/tokens', body)).toMatchObject({
      status: 400,
      body: { fields: { [field]: message } },
    })
    expect((await ada.call(apiTokenApi.list)).body).toEqual([])
  })

  it('409 when there are too many, also of many at once', async () => {
    const ada = await app.signedIn()
    const answers = await Promise.all(
      Array.from({ length: apiTokenLimit + 5 }, () => ada.raw('POST', '/api/user/tokens', readAll)),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409])
    expect(refused[0]?.body).toEqual({ message: apiTokenTexts.tooMany })
    expect((await ada.call(apiTokenApi.list)).body).toHaveLength(apiTokenLimit)
  })
})

describe('revoking one', () => {
  it('204, and 404 the second time', async () => {
    const ada = await app.signedIn()
    const params = { apiTokenId: (await createBy(ada)).id }
    expect((await ada.call(apiTokenApi.delete, { params })).status).toBe(204)
    expect(await ada.call(apiTokenApi.delete, { params })).toMatchObject({
      status: 404,
      body: { message: apiTokenTexts.notFound },
    })
  })
})

describe('signing in with one', () => {
  it('acts as its user, from anywhere, without a cookie and without the rules against other sites', async () => {
    const ada = await app.signedIn()
    const { token } = await createBy(ada, writeAll)
    const program = asProgram(token, { 'sec-fetch-site': 'cross-site', origin: 'https://ci.example.org' })
    expect((await program.get('/api/auth/me')).body).toMatchObject({ email: ada.email })
    expect((await program.post('/api/projects', { name: 'shop' })).status).toBe(201)
    expect((await ada.call(projectApi.list)).body).toMatchObject([{ name: 'shop' }])
    // The scheme is written in any case (RFC 9110).
    const lowerCase = asProgram(token, { authorization: `bearer ${token}` })
    expect((await lowerCase.get('/api/projects')).status).toBe(200)
  })

  it('401 for one that expired, and for a text that is none; a cookie beside it changes nothing', async () => {
    const ada = await app.signedIn()
    const { token } = await createBy(ada, { ...readAll, expires_in_days: 1 })
    await expireIn(1)
    expect((await asProgram(token).get('/api/projects')).status).toBe(200)
    await expireIn(0)
    for (const bad of [token, 'slipway_', newApiToken(), `${token}0`]) {
      const answer = await asProgram(bad, { cookie: ada.cookie ?? '' }).get('/api/projects')
      expect(answer).toMatchObject({ status: 401, body: { message: apiTokenTexts.invalid } })
    }
  })

  it('leaves bearer tokens of other programs to them', async () => {
    const ada = await app.signedIn()
    const headers = { authorization: 'Bearer of-a-proxy' }
    expect((await ada.raw('GET', '/api/projects', undefined, headers)).status).toBe(200)
    const crossSite = { ...headers, 'sec-fetch-site': 'cross-site' }
    expect(await ada.raw('POST', '/api/projects', { name: 'p' }, crossSite)).toMatchObject({
      status: 403,
      body: { message: messages.crossSite },
    })
    expect((await app.client().raw('GET', '/api/projects', undefined, headers)).body).toEqual({
      message: messages.notAuthenticated,
    })
  })

  it('is no way to the figures of the operator', async () => {
    const { token } = await createBy(await app.signedIn(), writeAll)
    const { path } = hostApi.metrics
    expect((await asProgram(token).get(path)).status).toBe(401)
  })

  it('notes its use, once a minute', async () => {
    const ada = await app.signedIn()
    const { token } = await createBy(ada)
    const used = async () => (await ada.call(apiTokenApi.list)).body[0]?.last_used_at
    const look = () => asProgram(token).get('/api/projects')
    await look()
    const first = await used()
    expect(first).not.toBe(null)
    await app.clock.advance(59_000)
    await look()
    expect(await used()).toBe(first)
    await app.clock.advance(2_000)
    await look()
    expect(Date.parse((await used()) ?? '') - Date.parse(first ?? '')).toBe(61_000)
  })
})

describe('the scope of one', () => {
  it('says in a refusal what would cover the call, and cuts down what lists have', async () => {
    const ada = await app.signedIn()
    const mine = await ada.make('/api/projects', { name: 'mine' })
    await ada.make('/api/projects', { name: 'other' })
    const { token } = await createBy(ada, { ...readAll, project_ids: [mine] })
    const program = asProgram(token)
    expect((await program.get('/api/projects')).body).toMatchObject([{ id: mine }])
    expect((await program.get('/api/search?q=other')).body).toEqual([])
    expect((await program.get('/api/user/activity')).body).toEqual({
      message: apiTokenTexts.needsAllProjects,
    })
    const disks = await program.post(`/api/projects/${mine}/disks`, {})
    expect(disks.body).toEqual({ message: apiTokenTexts.needsWrite })
  })

  it('does not grow when its project is deleted', async () => {
    const ada = await app.signedIn()
    const id = await ada.make('/api/projects', { name: 'brief' })
    const { token } = await createBy(ada, { ...readAll, project_ids: [id] })
    await ada.call(projectApi.delete, { params: { projectId: id } })
    await ada.call(projectApi.create, { body: { name: 'next' } })
    expect((await asProgram(token).get('/api/projects')).body).toEqual([])
  })
})

describe('tokens that expired long ago', () => {
  it('are forgotten', async () => {
    const ada = await app.signedIn()
    await createBy(ada, { ...readAll, expires_in_days: 1 })
    const sweptAfter = async (ms: number) => {
      await expireIn(-ms)
      await app.clock.advance(60 * 60_000)
      await app.idle()
      return (await ada.call(apiTokenApi.list)).body.length === 0
    }
    expect(await sweptAfter(29 * day)).toBe(false)
    expect(await sweptAfter(30 * day)).toBe(true)
  })
})
