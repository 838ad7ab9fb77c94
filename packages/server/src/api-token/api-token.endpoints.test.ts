/** Every endpoint with every kind of API token: what the contract says of tokens is what the server does. */
import { apiTokenApi, apiTokenMay, apiTokenTexts, type Endpoint, endpoints } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { pathInProject } from '../example-requests.test-kit.ts'

const app = await testApp()
const ada = await app.signedIn('Ada')
const gone = await app.signedIn('Gone')

async function tokenOf(person: typeof ada, body: object): Promise<{ id: string; token: string }> {
  const common = { name: 't', access: 'write', project_ids: null }
  return (await person.call(apiTokenApi.create, { body: { ...common, ...body } })).body
}

const shop = await ada.make('/api/projects', { name: 'p' })
const other = await ada.make('/api/projects', { name: 'p' })
const scopes = {
  'a token for reading': { access: 'read', project_ids: null },
  'a token for writing': { access: 'write', project_ids: null },
  'a token for reading in the project': { access: 'read', project_ids: [shop] },
  'a token for writing in the project': { access: 'write', project_ids: [shop] },
  'a token for writing in another project': { access: 'write', project_ids: [other] },
} as const
const tokens = new Map<string, string>()
for (const [name, scope] of Object.entries(scopes)) tokens.set(name, (await tokenOf(ada, scope)).token)

const expired = await tokenOf(ada, {})
await app.db
  .updateTable('api_token')
  .set({ expires_at: new Date(app.clock.now()).toISOString() })
  .where('id', '=', expired.id)
  .execute()
const revoked = await tokenOf(ada, {})
await ada.call(apiTokenApi.delete, { params: { apiTokenId: revoked.id } })
const ofDisabled = await tokenOf(gone, {})
await app.db.updateTable('account').set({ disabled_at: 'now' }).where('email', '=', gone.email).execute()

const things = ['account', 'project', 'ssh_key', 'template', 'vm', 'disk', 'vm_group', 'share'] as const
const state = async () =>
  JSON.stringify(
    await Promise.all(
      [...things, 'activity' as const].map((table) => app.db.selectFrom(table).selectAll().execute()),
    ),
  )

const ask = (endpoint: Endpoint, token: string | undefined) =>
  app
    .client()
    .raw(endpoint.method, pathInProject(endpoint, shop), undefined, { authorization: `Bearer ${token}` })

const behindSession = endpoints.filter(({ auth }) => auth === 'session')

for (const [name, scope] of Object.entries(scopes)) {
  describe(name, () => {
    for (const endpoint of behindSession) {
      const verdict = apiTokenMay(scope, endpoint, endpoint.path.includes(':projectId') ? shop : undefined)
      // It would not end by itself; that it comes, and ends with its token, is tested with streams.
      if (verdict === true && endpoint.answers === 'events') continue
      // Would leave nothing for the others.
      if (verdict === true && endpoint.id === 'project.delete') continue
      const expected = verdict === true ? 'is answered as its account is' : `is 403: ${verdict}`
      it(`${endpoint.method} ${endpoint.path} ${expected}`, async () => {
        const before = await state()
        const { status, body } = await ask(endpoint, tokens.get(name))
        if (verdict === true) {
          const bySession = await ada.raw(endpoint.method, pathInProject(endpoint, shop))
          expect(status).toBe(bySession.status)
          expect([401, 403]).not.toContain(status)
        } else {
          expect({ status, body }).toEqual({ status: 403, body: { message: verdict } })
          expect(await state()).toBe(before)
        }
      })
    }
  })
}

describe.each([
  ['an expired token', expired.token],
  ['a revoked token', revoked.token],
  ['the token of a disabled account', ofDisabled.token],
])('%s', (_, token) => {
  for (const endpoint of behindSession) {
    it(`${endpoint.method} ${endpoint.path} is 401`, async () => {
      const before = await state()
      expect(await ask(endpoint, token)).toMatchObject({
        status: 401,
        body: { message: apiTokenTexts.invalid },
      })
      expect(await state()).toBe(before)
    })
  }
})
