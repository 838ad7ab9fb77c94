import {
  accountApi,
  type BatchObject,
  batchActions,
  type Endpoint,
  type EndpointId,
  endpoints,
  isOfProject,
  messages,
  projectMemberApi,
  proofTexts,
  roleMay,
  unknownIds,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp, tokenOf } from './app.test-kit.ts'
import { everythingIn } from './db/everything.test-kit.ts'
import { type Desk, openDeskAt } from './desk.test-kit.ts'
import {
  bodyOf,
  type IdName,
  idNamesOf,
  type Made,
  pathOf,
  prepareExample,
  sendExample,
} from './example-requests.test-kit.ts'
import { testOrigin } from './passkey.test-kit.ts'

// Somebody is an administrator, and neither of the two.
const app = await testApp({ publicUrl: testOrigin, admins: ['root@slipway.test'] })
const openDesk = () => openDeskAt(app, (ms) => app.clock.advance(ms))

/** They take one of everything between them; where several take one of a kind, that of the last one counts. */
const takers: readonly EndpointId[] = [
  ...(['passkey.rename', 'apiToken.delete', 'oidc.unlink', 'account.endSession'] as const),
  ...(['projectMember.withdraw', 'projectMember.remove', 'webhook.retry', 'batch.cancel'] as const),
  ...(['bin.delete', 'upload.cancel', 'vmPool.update', 'vmSet.update', 'share.update'] as const),
  ...(['diskSnapshot.delete', 'vmSnapshot.restore'] as const),
]

async function belongings(of: Desk): Promise<Made> {
  const { id } = (await of.ada.call(accountApi.me)).body
  // Mails are the installation's, and for administrators only.
  const mail = await app.db.selectFrom('mail_queue').select('id').executeTakeFirstOrThrow()
  const made = { accountId: id, mailId: mail.id }
  for (const taker of takers) Object.assign(made, (await prepareExample(of, taker)).made)
  // The first test sees to it that nothing is missing.
  return made as Made
}

const otherDesk = await openDesk()
const adas = await belongings(otherDesk)
const desk = await openDesk()
const bob = desk.ada
const bobs = await belongings(desk)
// Both go on for as long as the clock stands still.
adas.operationId = (await prepareExample(otherDesk, 'operation.cancel')).made.operationId
bobs.operationId = (await prepareExample(desk, 'operation.cancel')).made.operationId

const isEverybodys = (name: IdName) => name === 'templateId'
/** Whoever is none is not told what exists. */
const isForAdministrators = ({ path }: Endpoint) => path.startsWith('/api/admin/')

/** Whose id a batch takes. */
const batchIds: Record<BatchObject, IdName> = {
  vm: 'vmId',
  disk: 'diskId',
  vm_snapshot: 'snapshotId',
  disk_snapshot: 'diskSnapshotId',
  vm_pool: 'poolId',
  vm_set: 'setId',
}

/** What a refused request may leave: when a session was last seen, and notes of requests. */
const unwatched = ['idempotency_key', 'mail_token', 'passkey_challenge', 'session'] as const
const state = async () => JSON.stringify(await everythingIn(app.db, unwatched))

const behindSession = endpoints.filter((endpoint) => endpoint.auth === 'session')
const withIds = behindSession.filter(
  (endpoint) => idNamesOf(endpoint).length > 0 && !isForAdministrators(endpoint),
)
/** Ada's, one of every kind that a path names. */
const adasIds = [...new Set(behindSession.flatMap(idNamesOf))]
  .filter((name) => !isEverybodys(name))
  .map((name) => adas[name])

describe("another user's objects", () => {
  it('covers every id there is in any path', () => {
    expect(adasIds).not.toContain(undefined)
  })

  for (const endpoint of withIds) {
    const names = idNamesOf(endpoint)
    // Every mix of own and foreign ids that is not all one's own, and ids nobody has.
    for (let mask = 1; mask < 2 ** names.length; mask++) {
      const foreign = names.filter((_, i) => mask & (1 << i))
      for (const kind of ['foreign', 'unknown'] as const) {
        if (kind === 'foreign' && foreign.some(isEverybodys)) continue
        it(`${endpoint.method} ${endpoint.path} is 404 with ${kind} ${foreign.join(' and ')}, and nothing changes`, async () => {
          const ids = foreign.map((name) => [name, kind === 'foreign' ? adas[name] : 'nobody-has-this'])
          const before = await state()
          const answer = await sendExample(bob, endpoint, { ...bobs, ...Object.fromEntries(ids) }, bobs)
          expect(answer.status).toBe(404)
          const { message } = answer.body as { message: string }
          expect(message).toMatch(/not found/i)
          expect(endpoint.errors?.[404]).toContain(message)
          expect(await state()).toBe(before)
        })
      }
    }
  }

  for (const endpoint of behindSession.filter(isForAdministrators)) {
    it(`${endpoint.method} ${endpoint.path} is 403 for everybody else, and nothing changes`, async () => {
      const before = await state()
      const answer = await sendExample(bob, endpoint, adas)
      expect(answer.status).toBe(403)
      const { message } = answer.body as { message: string }
      expect(endpoint.errors?.[403]?.filter((one) => one !== proofTexts.needed)).toContain(message)
      expect(await state()).toBe(before)
    })
  }

  for (const endpoint of behindSession) {
    const body = JSON.stringify(bodyOf(endpoint.id, adas)) ?? ''
    if (!adasIds.some((id) => body.includes(id))) continue
    it(`${endpoint.method} ${endpoint.path} with foreign ids in its body changes nothing`, async () => {
      const before = await state()
      const answer = await sendExample(bob, endpoint, bobs, adas)
      // What is not in one's bin is gone from it.
      expect(/bin\.(empty|preview)$/i.test(endpoint.id) ? [200] : [400, 404]).toContain(answer.status)
      expect(await state()).toBe(before)
    })
  }

  for (const [action, kind] of Object.entries(batchActions))
    it(`400 for a batch of ${action} with a foreign id, and nothing changes`, async () => {
      const ids = [adas[batchIds[kind]]]
      const before = await state()
      const answer = await bob.raw('POST', `/api/projects/${bobs.projectId}/batches`, {
        action,
        ids,
        name: 'x',
        add_tags: ['x'],
      })
      expect(answer).toMatchObject({ status: 400, body: { message: unknownIds(ids) } })
      expect(await state()).toBe(before)
    })

  it('400 for a foreign SSH key in a body', async () => {
    const answer = await bob.raw('POST', `/api/projects/${bobs.projectId}/vms`, {
      name: 'x',
      template_id: 'starter',
      ssh_key_id: adas.sshKeyId,
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'Please select an SSH key for secure access' },
    })
  })

  it('never shows up in lists', async () => {
    for (const url of ['/api/projects', '/api/user/ssh-keys', `/api/projects/${bobs.projectId}/vms`]) {
      const text = JSON.stringify((await bob.raw('GET', url)).body)
      for (const id of adasIds) expect(text).not.toContain(id)
    }
  })
})

const roles = ['viewer', 'operator', 'owner'] as const
/** They end what the others need. */
const last = ['projectMember.leave', 'project.delete']
async function join(role: 'viewer' | 'operator') {
  const person = await app.signedIn(role)
  await bob.call(projectMemberApi.invite, { params: desk.params, body: { email: person.email, role } })
  const token = tokenOf(lastMail(app.mails, person.email))
  await person.call(projectMemberApi.accept, { body: { token } })
  return person
}
const members = { viewer: await join('viewer'), operator: await join('operator'), owner: bob }

describe('members of a project', () => {
  for (const endpoint of endpoints) {
    const { id } = endpoint
    if (!isOfProject(id)) continue
    for (const role of roles) {
      const allowed = roleMay(role, id)
      const person = members[role]
      if (allowed === true) continue
      it(`${endpoint.method} ${endpoint.path} is 403 for a ${role}, and nothing changes`, async () => {
        const before = await state()
        const answer = await sendExample(person, endpoint, bobs)
        expect(answer).toMatchObject({ status: 403, body: { message: allowed } })
        expect(await state()).toBe(before)
      })
    }
  }
})

describe('without a session', () => {
  for (const endpoint of behindSession) {
    it(`${endpoint.method} ${endpoint.path} is 401`, async () => {
      const answer = await app.client().raw(endpoint.method, pathOf(endpoint, adas))
      expect(answer).toMatchObject({ status: 401, body: { message: 'Not authenticated' } })
    })
  }
})

describe('requests that are not what they should be', () => {
  const writing = endpoints.filter((endpoint) => endpoint.method !== 'GET')
  const url = (endpoint: Endpoint) => pathOf(endpoint, bobs)
  const json = { 'content-type': 'application/json' }

  for (const endpoint of writing) {
    it(`${endpoint.method} ${endpoint.path} from another site is 403, and nothing changes`, async () => {
      const before = await state()
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'http://evil.test' },
        { origin: 'null' },
      ]) {
        const answer = await bob.raw(
          endpoint.method,
          url(endpoint),
          undefined,
          headers as unknown as Record<string, string>,
        )
        expect(answer.status).toBe(403)
      }
      expect(await state()).toBe(before)
    })
  }

  for (const endpoint of writing.filter((one) => one.body)) {
    it(`${endpoint.method} ${endpoint.path} refuses malformed, oversized, foreign-typed and senseless bodies, and nothing changes`, async () => {
      const before = await state()
      const send = (payload: string, headers: Record<string, string> = json) =>
        bob.raw(endpoint.method, url(endpoint), payload, headers)
      expect(await send('{"name":')).toMatchObject({ status: 400, body: { message: 'Invalid request body' } })
      expect(await send('{"__proto__":{"x":1}}')).toMatchObject({ status: 400 })
      const tooLong = (endpoint.bodyBytes ?? 64 * 1024) + 5_000
      expect(await send(`{"name":"${'x'.repeat(tooLong)}"}`)).toMatchObject({ status: 413 })
      expect(await send('<name/>', { 'content-type': 'application/xml' })).toMatchObject({ status: 415 })
      for (const senseless of ['null', '[]', '7', '"text"', 'true']) {
        const answer = await send(senseless)
        expect([400, 422]).toContain(answer.status)
        expect((answer.body as { message: string }).message.length).toBeGreaterThan(5)
      }
      expect(await state()).toBe(before)
    })
  }

  it('answers unknown API addresses with a JSON 404', async () => {
    expect(await bob.raw('GET', '/api/nothing-here')).toMatchObject({
      status: 404,
      body: { message: 'Not found' },
    })
    expect(await bob.raw('POST', '/api/projects/x/y/z')).toMatchObject({ status: 404 })
  })

  it('takes ids of any shape without harm', async () => {
    for (const id of ['..%2f..%2fetc', '%00', "'%20or%201=1", 'x'.repeat(2000), '%F0%9F%9A%80']) {
      const answer = await bob.raw('GET', `/api/projects/${id}/vms`)
      expect([400, 404, 414]).toContain(answer.status)
    }
  })
})

describe('the contract', () => {
  it('has an id of its own for every endpoint', () => {
    expect(new Set(endpoints.map((endpoint) => endpoint.id)).size).toBe(endpoints.length)
  })

  it('is mounted whole', () => {
    for (const endpoint of endpoints) {
      expect(app.app.hasRoute({ method: endpoint.method, url: endpoint.path }), endpoint.id).toBe(true)
    }
  })
})

// At the end: what members create goes on to change by itself.
describe('members of a project, as far as they may', () => {
  const none = Object.keys(bobs).map((name) => [name, 'nothing'])
  const nothing = { ...bobs, ...Object.fromEntries(none), ...desk.params }
  for (const endpoint of endpoints) {
    const { id } = endpoint
    if (!isOfProject(id) || endpoint.answers) continue
    // None waits here; hand-over.test.ts has who may.
    if (id.startsWith('handOver.')) continue
    for (const role of roles) {
      const person = members[role]
      if (roleMay(role, id) !== true) continue
      it(`${endpoint.method} ${endpoint.path} is not refused for a ${role}`, async () => {
        if (last.includes(id)) return
        // Whoever reads does so from what is there; what is changed is nothing, so that it stays for others to try.
        if (endpoint.method === 'GET')
          return expect((await sendExample(person, endpoint, bobs)).status).toBe(200)
        const answer = await sendExample(person, endpoint, nothing)
        expect(answer.status).not.toBe(403)
        expect(answer.body).not.toMatchObject({ message: messages.projectNotFound })
      })
    }
  }
})
