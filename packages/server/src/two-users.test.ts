import {
  type BatchObject,
  batchActions,
  type Endpoint,
  endpoints,
  fillPath,
  isOfProject,
  roleMay,
  unknownIds,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, newPublicKey, testApp } from './app.test-kit.ts'
import type { Schema } from './db/schema.ts'
import { tablesOf } from './db/tables.ts'

const app = await testApp()
const ada = await app.signedIn('Ada')
const bob = await app.signedIn('Bob')
const accountIdOf = async (person: typeof ada) =>
  ((await person.raw('GET', '/api/auth/me')).body as { id: string }).id

async function belongings(person: typeof ada, guest: typeof ada): Promise<Record<string, string>> {
  const make = async (url: string, body: object) =>
    ((await person.raw('POST', url, body)).body as { id: string }).id
  const projectId = await make('/api/projects', { name: 'p' })
  const sshKeyId = await make('/api/user/ssh-keys', { key_name: 'k', ssh_public_key: newPublicKey() })
  const tokenBody = { name: 't', access: 'read', project_ids: [projectId] }
  const apiTokenId = await make('/api/user/tokens', tokenBody)
  const vmId = await make(`/api/projects/${projectId}/vms`, {
    name: 'v',
    template_id: 'starter',
    ssh_key_id: sshKeyId,
  })
  const diskId = await make(`/api/projects/${projectId}/disks`, { name: 'd', size: '1Gi', source: 'EMPTY' })
  await app.clock.advance(10_000)
  const diskSnapshotId = await make(`/api/projects/${projectId}/disksnapshots`, {
    name: 's',
    snapshot_type: 'full',
    retention_days: 1,
    disk_id: diskId,
  })
  const snapshotId = await make(`/api/projects/${projectId}/vms/${vmId}/snapshots`, {
    name: 's',
    snapshot_type: 'full',
    retention_days: 1,
  })
  const itemId = await make(`/api/projects/${projectId}/disks`, {
    name: 'gone',
    size: '1Gi',
    source: 'EMPTY',
  })
  await app.clock.advance(5_000)
  await person.raw('DELETE', `/api/projects/${projectId}/disks/${itemId}`)
  const group = { name: 'g', template_id: 'starter', ssh_key_id: sshKeyId }
  const uploadId = await make(`/api/projects/${projectId}/uploads`, {
    name: 'u',
    size: '1Gi',
    file_name: 'u.img',
    file_bytes: 1024,
  })
  const poolId = await make(`/api/projects/${projectId}/vmpools`, group)
  const setId = await make(`/api/projects/${projectId}/vmsets`, { ...group, replicas: 1 })
  const shareId = await make(`/api/projects/${projectId}/vms/${vmId}/shares`, { port: 3000 })
  const batchId = await make(`/api/projects/${projectId}/batches`, { action: 'vm.start', ids: [vmId] })
  const hook = { url: 'https://hooks.invalid/', paused: true }
  const webhookId = await make(`/api/projects/${projectId}/webhooks`, hook)
  const deliveryId = await make(`/api/projects/${projectId}/webhooks/${webhookId}/test`, {})
  await person.raw('POST', `/api/projects/${projectId}/invitations`, { email: guest.email, role: 'viewer' })
  const token = /token=(\S+)/.exec(lastMail(app.mails, guest.email)?.link ?? '')?.[1]
  await guest.raw('POST', '/api/invitations/accept', { token })
  const memberId = ((await guest.raw('GET', '/api/auth/me')).body as { id: string }).id
  const invitation = { email: 'somebody@slipway.test', role: 'viewer' }
  const invitationId = await make(`/api/projects/${projectId}/invitations`, invitation)
  const sessions = (await person.raw('GET', '/api/user/sessions')).body as { id: string }[]
  const sessionId = sessions[0]?.id ?? ''
  const identityId = `identity-of-${person.email}`
  await app.db
    .insertInto('identity')
    .values({
      id: identityId,
      account_id: await accountIdOf(person),
      issuer: 'https://id.slipway.test',
      subject: person.email,
      email: person.email,
      linked_at: '2026-01-01T00:00:00.000Z',
      last_used_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  const passkeyId = `passkey-of-${person.email}`
  // An authenticator would have to make it.
  await app.db
    .insertInto('passkey')
    .values({
      id: passkeyId,
      account_id: await accountIdOf(person),
      name: 'phone',
      credential_id: passkeyId,
      public_key: '',
      counter: 0,
      transports: '[]',
      created_at: new Date(0).toISOString(),
      last_used_at: null,
    })
    .execute()
  return {
    passkeyId,
    memberId,
    invitationId,
    projectId,
    sessionId,
    identityId,
    sshKeyId,
    apiTokenId,
    vmId,
    diskId,
    snapshotId,
    diskSnapshotId,
    uploadId,
    poolId,
    setId,
    shareId,
    batchId,
    webhookId,
    deliveryId,
    itemId,
  }
}
/** What belongs to nobody. */
const everybodys: Record<string, string> = { templateId: 'starter', provider: 'office' }
/** A download that goes on for as long as the clock stands still. */
async function downloadOf(person: typeof ada, projectId: string | undefined): Promise<string> {
  const body = { name: 'o', size: '1Gi', source: 'HTTP', image_url: 'https://images.test/o.img' }
  const answer = await person.raw('POST', `/api/projects/${projectId}/disks`, body)
  return (answer.body as { id: string }).id
}
const adas = await belongings(ada, await app.signedIn('A viewer'))
const bobs = await belongings(bob, await app.signedIn('Another viewer'))
await app.clock.advance(60_000)
adas.operationId = await downloadOf(ada, adas.projectId)
bobs.operationId = await downloadOf(bob, bobs.projectId)
adas.accountId = await accountIdOf(ada)
bobs.accountId = await accountIdOf(bob)
// Mails are the installation's, and for administrators only.
const mail = await app.db.selectFrom('mail_queue').select('id').executeTakeFirstOrThrow()
adas.mailId = mail.id
bobs.mailId = mail.id
await app.clock.advance(0)
/** Whoever is no operator is not told what exists. */
const isForOperators = (endpoint: Endpoint) =>
  endpoint.path.startsWith('/api/admin/') && namesOf(endpoint).length > 0

/** A body that the endpoint would take if the ids were one's own. */
const bodies: Record<string, (own: Record<string, string>) => object> = {
  'projectMember.update': () => ({ role: 'operator' }),
  'projectMember.invite': () => ({ email: 'new@slipway.test', role: 'viewer' }),
  'vm.create': (own) => ({ name: 'x', template_id: 'starter', ssh_key_id: own.sshKeyId }),
  'vm.update': () => ({ suspend_after_minutes: 30 }),
  'vmSnapshot.create': () => ({ name: 'x', snapshot_type: 'disk', retention_days: 1 }),
  'vmSnapshotSchedule.set': () => ({ daily: { time: '03:00', keep: 7 } }),
  'diskSnapshotSchedule.set': () => ({ daily: { time: '03:00', keep: 7 } }),
  'vm.fork': () => ({ name: 'x' }),
  'vmSnapshot.createVms': () => ({ name: 'x' }),
  'vmSnapshot.restore': (own) => ({ vm_id: own.vmId }),
  'disk.create': () => ({ name: 'x', size: '1Gi', source: 'EMPTY' }),
  'upload.create': () => ({ name: 'x', size: '1Gi', file_name: 'x.img', file_bytes: 1 }),
  'disk.update': () => ({ name: 'x', size: '20Gi' }),
  'disk.attach': (own) => ({ vm_id: own.vmId }),
  'diskSnapshot.create': (own) => ({
    name: 'x',
    snapshot_type: 'full',
    retention_days: 1,
    disk_id: own.diskId,
  }),
  'vmPool.create': (own) => ({ name: 'x', template_id: 'starter', ssh_key_id: own.sshKeyId }),
  'vmPool.update': () => ({ desired_size: 2 }),
  'vmPool.rollOut': () => ({ cpu: 2, delete_disks: true }),
  'vmSet.create': (own) => ({ name: 'x', template_id: 'starter', ssh_key_id: own.sshKeyId, replicas: 1 }),
  'vmSet.update': () => ({ replicas: 2 }),
  'vmSet.rollOut': () => ({ cpu: 2, delete_disks: true }),
  'webhook.create': () => ({ url: 'https://hooks.invalid/' }),
  'webhook.update': () => ({ description: 'x' }),
  'template.update': () => ({ name: 'x', description: 'x', default_cpu: 1, default_memory_mb: 512 }),
  'adminAccount.setLimits': () => ({ vms: 1 }),
  'passkey.rename': () => ({ name: 'x' }),
  'network.update': () => ({ internet: false }),
  'diskSnapshot.createDisk': () => ({ name: 'x', size_gb: 1 }),
  'share.create': () => ({ port: 4000 }),
  'share.update': () => ({ audience: 'everybody' }),
  'batch.create': (own) => ({ action: 'vm.stop', ids: [own.vmId] }),
  'apiToken.create': (own) => ({ name: 'x', access: 'read', project_ids: [own.projectId] }),
  'bin.empty': () => ({ ids: ['nobody'] }),
  'bin.preview': () => ({ ids: ['nobody'] }),
  'projectBin.empty': (own) => ({ ids: [own.projectId] }),
}

/** Whose id a batch takes. */
const batchIds: Record<BatchObject, string> = {
  vm: 'vmId',
  disk: 'diskId',
  vm_snapshot: 'snapshotId',
  disk_snapshot: 'diskSnapshotId',
  vm_pool: 'poolId',
  vm_set: 'setId',
}

const namesOf = (endpoint: Endpoint) => [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
/** What a refused request may leave: when a session was last seen, and notes of requests. */
const unwatched = ['idempotency_key', 'mail_token', 'passkey_challenge', 'session']
const watched = (await tablesOf(app.db))
  .map(({ name }) => name as keyof Schema)
  .filter((name) => !unwatched.includes(name))
const state = async () =>
  JSON.stringify(await Promise.all(watched.map((table) => app.db.selectFrom(table).selectAll().execute())))

const behindSession = endpoints.filter((endpoint) => endpoint.auth === 'session')
const withIds = behindSession.filter((endpoint) => namesOf(endpoint).length > 0 && !isForOperators(endpoint))

describe("another user's objects", () => {
  it('covers every id there is in any path', () => {
    const names = new Set(withIds.flatMap(namesOf))
    expect([...names].filter((name) => !(name in adas || name in everybodys))).toEqual([])
  })

  for (const endpoint of withIds) {
    const names = namesOf(endpoint)
    // Every mix of own and foreign ids that is not all one's own, and ids nobody has.
    for (let mask = 1; mask < 2 ** names.length; mask++) {
      const foreign = names.filter((_, i) => mask & (1 << i))
      for (const kind of ['foreign', 'unknown'] as const) {
        if (kind === 'foreign' && foreign.some((name) => name in everybodys)) continue
        it(`${endpoint.method} ${endpoint.path} is 404 with ${kind} ${foreign.join(' and ')}, and nothing changes`, async () => {
          const params = Object.fromEntries(
            names.map((name) => [
              name,
              foreign.includes(name)
                ? kind === 'foreign'
                  ? adas[name]
                  : 'nobody-has-this'
                : (bobs[name] ?? everybodys[name]),
            ]),
          ) as Record<string, string>
          const before = await state()
          const answer = await bob.raw(
            endpoint.method,
            fillPath(endpoint.path, params),
            bodies[endpoint.id]?.(bobs),
          )
          expect(answer.status).toBe(404)
          expect((answer.body as { message: string }).message).toMatch(/not found/i)
          expect(await state()).toBe(before)
        })
      }
    }
  }

  for (const endpoint of behindSession.filter(isForOperators)) {
    it(`${endpoint.method} ${endpoint.path} is 403 for everybody else, and nothing changes`, async () => {
      const before = await state()
      const answer = await bob.raw(
        endpoint.method,
        fillPath(endpoint.path, { ...adas, ...everybodys }),
        bodies[endpoint.id]?.(bobs),
      )
      expect(answer.status).toBe(403)
      expect(await state()).toBe(before)
    })
  }

  for (const endpoint of behindSession.filter(({ id }) => (bodies[id]?.length ?? 0) > 0)) {
    it(`${endpoint.method} ${endpoint.path} with foreign ids in its body changes nothing`, async () => {
      const before = await state()
      const url = fillPath(endpoint.path, bobs)
      const answer = await bob.raw(endpoint.method, url, bodies[endpoint.id]?.(adas))
      // What is not in one's bin is gone from it.
      expect(endpoint.id === 'projectBin.empty' ? [200] : [400, 404]).toContain(answer.status)
      expect(await state()).toBe(before)
    })
  }

  for (const [action, kind] of Object.entries(batchActions))
    it(`400 for a batch of ${action} with a foreign id, and nothing changes`, async () => {
      const ids = [adas[batchIds[kind]] ?? '']
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
      for (const id of Object.values(adas)) expect(text).not.toContain(id)
    }
  })
})

const roles = ['viewer', 'operator', 'owner'] as const
/** They end what the others need. */
const last = ['projectMember.leave', 'project.delete']
const members = Object.fromEntries(
  await Promise.all(
    roles.map(async (role) => {
      if (role === 'owner') return [role, bob] as const
      const person = await app.signedIn(role)
      await bob.raw('POST', `/api/projects/${bobs.projectId}/invitations`, { email: person.email, role })
      const token = /token=(\S+)/.exec(lastMail(app.mails, person.email)?.link ?? '')?.[1]
      await person.raw('POST', '/api/invitations/accept', { token })
      return [role, person] as const
    }),
  ),
)

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
        const url = fillPath(endpoint.path, bobs)
        expect(await person?.raw(endpoint.method, url, bodies[id]?.(bobs))).toMatchObject({
          status: 403,
          body: { message: allowed },
        })
        expect(await state()).toBe(before)
      })
    }
  }
})

describe('without a session', () => {
  for (const endpoint of behindSession) {
    it(`${endpoint.method} ${endpoint.path} is 401`, async () => {
      const answer = await app
        .client()
        .raw(endpoint.method, fillPath(endpoint.path, { ...adas, ...everybodys }))
      expect(answer).toMatchObject({ status: 401, body: { message: 'Not authenticated' } })
    })
  }
})

describe('requests that are not what they should be', () => {
  const writing = endpoints.filter((endpoint) => endpoint.method !== 'GET')
  const url = (endpoint: Endpoint) => fillPath(endpoint.path, { ...bobs, ...everybodys })
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
        const isRead = endpoint.method === 'GET'
        // Whoever reads does so from what is there; what is changed is nothing, so that it stays for others to try.
        const nothing = Object.fromEntries(namesOf(endpoint).map((name) => [name, 'nothing']))
        const url = fillPath(endpoint.path, {
          ...(isRead ? bobs : nothing),
          projectId: bobs.projectId ?? '',
        })
        const answer = await person?.raw(endpoint.method, url, bodies[id]?.(isRead ? bobs : {}))
        if (isRead) expect(answer?.status).toBe(200)
        else if (namesOf(endpoint).length > 1)
          expect(JSON.stringify(answer?.body)).not.toContain('Project not found')
        else expect(answer?.status).not.toBe(404)
        expect(answer?.status).not.toBe(403)
      })
    }
  }
})
