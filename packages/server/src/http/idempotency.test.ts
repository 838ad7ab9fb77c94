import { randomUUID } from 'node:crypto'
import { type EndpointId, endpoints, fillPath, messages } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'

interface Creation {
  params?: Record<string, string>
  body: { name?: string; key_name?: string; port?: number }
  table:
    | 'project'
    | 'ssh_key'
    | 'template'
    | 'vm'
    | 'disk'
    | 'vm_snapshot'
    | 'disk_snapshot'
    | 'vm_group'
    | 'share'
    | 'batch'
}

const group = ({ keyId }: Desk) => ({ name: 'web', template_id: 'starter', ssh_key_id: keyId })
const snapshot = { name: 'nightly', snapshot_type: 'full', retention_days: 1 }

/** What each call that creates an object takes, in a project that is ready for it. */
const creations: Partial<Record<EndpointId, (desk: Desk) => Promise<Creation>>> = {
  'project.create': async () => ({ body: { name: 'shop' }, table: 'project' }),
  'sshKey.create': async () => {
    const body = { key_name: 'laptop', ssh_public_key: newPublicKey() }
    return { body, table: 'ssh_key' }
  },
  'template.create': async () => {
    const body = { name: 'Rust', description: 'Compiler', default_cpu: 2, default_memory_mb: 1024 }
    return { body, table: 'template' }
  },
  'vm.create': async (desk) => ({ params: desk.params, body: group(desk), table: 'vm' }),
  'vmPool.create': async (desk) => ({ params: desk.params, body: group(desk), table: 'vm_group' }),
  'vmSet.create': async (desk) => {
    return {
      params: desk.params,
      body: { ...group(desk), replicas: 1 } as Creation['body'],
      table: 'vm_group',
    }
  },
  'disk.create': async ({ params }) => {
    const body = { name: 'data', size: '1Gi', source: 'EMPTY' }
    return { params, body, table: 'disk' }
  },
  'upload.create': async ({ params }) => {
    const body = { name: 'data', size: '1Gi', file_name: 'data.raw', file_bytes: 1024 }
    return { params, body, table: 'disk' }
  },
  'vmSnapshot.create': async (desk) => {
    const vmId = await desk.runningVm('web')
    return { params: { ...desk.params, vmId }, body: snapshot, table: 'vm_snapshot' }
  },
  'diskSnapshot.create': async (desk) => {
    const body = { ...snapshot, disk_id: await desk.readyDisk() }
    return { params: desk.params, body, table: 'disk_snapshot' }
  },
  'share.create': async (desk) => {
    const vmId = await desk.runningVm('web')
    return { params: { ...desk.params, vmId }, body: { port: 3000 }, table: 'share' }
  },
  'batch.create': async (desk) => {
    const ids = [await desk.runningVm('web')]
    const body = { action: 'vmSnapshot.create', ids, name: 'nightly' } as Creation['body']
    return { params: desk.params, body, table: 'batch' }
  },
  'diskSnapshot.createDisk': async (desk) => {
    const diskSnapshotId = await desk.readyDiskSnapshot(await desk.readyDisk())
    const body = { name: 'copy', size_gb: 1 }
    return { params: { ...desk.params, diskSnapshotId }, body, table: 'disk' }
  },
}

/** One creation at a desk: how it is sent, and how many objects there are. */
async function prepare(desk: Desk, endpoint: (typeof endpoints)[number]) {
  const creation = await creations[endpoint.id]?.(desk)
  if (!creation) return expect.fail(`say in the table of this test how ${endpoint.id} is called`)
  const { params, body, table } = creation
  const path = fillPath(endpoint.path, params)
  const send = (key: string, other: object = {}, person: Pick<Desk['ada'], 'raw'> = desk.ada) =>
    person.raw('POST', path, { ...body, ...other }, { 'idempotency-key': key })
  const rows = async () => (await desk.app.db.selectFrom(table).select('id').execute()).map(({ id }) => id)
  const name = body.key_name === undefined ? 'name' : 'key_name'
  const other = body.port === undefined ? { [name]: 'other' } : { port: body.port + 1 }
  return { path, body, send, rows, other, before: await rows() }
}

const creating = endpoints.filter((endpoint) => 'idempotent' in endpoint)
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id

describe('calls that take an idempotency key', () => {
  it('are all that create an object', () => {
    // Nobody is known yet who signs up; the answer with an API token or the secret of a webhook must not be kept; an invitation takes the place
    // of the one before; and what a passkey is made of can be used once.
    const without = [
      'account.signUp',
      'apiToken.create',
      'webhook.create',
      'projectMember.invite',
      'passkey.create',
    ]
    const posts = endpoints.filter(({ id, status }) => status === 201 && !without.includes(id))
    expect(posts.map(({ id }) => id).sort()).toEqual(creating.map(({ id }) => id).sort())
    expect(Object.keys(creations).sort()).toEqual(creating.map(({ id }) => id).sort())
  })
})

describe('an idempotency key', () => {
  for (const endpoint of creating) {
    it(
      `makes ${endpoint.id} create one object and answer the same again, also after a restart, and refuses another body`,
      atDesk(async (desk) => {
        const { send, rows, before, other } = await prepare(desk, endpoint)
        const key = randomUUID()
        const first = await send(key)
        expect(first.status).toBe(201)
        expect(first.headers['idempotency-replayed']).toBeUndefined()
        await desk.pass()
        const again = await send(key.toUpperCase())
        expect([again.status, again.body]).toEqual([201, first.body])
        expect(again.headers['idempotency-replayed']).toBe('true')
        await desk.app.restart()
        expect((await send(key)).body).toEqual(first.body)
        const refused = await send(key, other)
        expect(refused).toMatchObject({ status: 422, body: { message: messages.idempotencyKeyReused } })
        const created = (await rows()).filter((id) => !before.includes(id))
        expect(created).toEqual([idOf(first)])
      }),
    )

    it(
      `makes ${endpoint.id} create one object when two requests come at once`,
      atDesk(async (desk) => {
        const { send, rows, before } = await prepare(desk, endpoint)
        const key = randomUUID()
        const [one, two] = await Promise.all([send(key), send(key)])
        expect([one.status, two.status]).toEqual([201, 201])
        expect(two.body).toEqual(one.body)
        expect((await rows()).filter((id) => !before.includes(id))).toEqual([idOf(one)])
      }),
    )

    it(
      `makes ${endpoint.id} create one object when the server ends before the answer is stored`,
      atDesk(async (desk) => {
        const { send, rows, before } = await prepare(desk, endpoint)
        const key = randomUUID()
        // What a killed server leaves: the object and its key, and no answer.
        await refuse(desk.app.db, 'update', 'idempotency_key')
        const first = await send(key)
        await desk.app.restart()
        const again = await send(key)
        expect(again.status).toBe(201)
        expect(idOf(again)).toBe(idOf(first))
        expect((await rows()).filter((id) => !before.includes(id))).toEqual([idOf(first)])
      }),
    )
  }

  const diskEndpoint = creating.find(({ id }) => id === 'disk.create')
  const atDisk = (test: (desk: Desk, disk: Awaited<ReturnType<typeof prepare>>) => Promise<void>) =>
    atDesk(async (desk) => {
      if (!diskEndpoint) return expect.fail('disk.create takes no key')
      await test(desk, await prepare(desk, diskEndpoint))
    })

  it(
    'is stored with the object or not at all',
    atDisk(async (desk, { send, rows, before }) => {
      const { db } = desk.app
      const allow = await refuse(db, 'insert', 'idempotency_key')
      const key = randomUUID()
      expect((await send(key)).status).toBe(500)
      expect(await rows()).toEqual(before)
      await allow()
      expect((await send(key)).status).toBe(201)
    }),
  )

  it(
    'of another account is another key, and so is that of another call',
    atDesk(async (desk) => {
      const bob = await desk.app.signedIn('Bob')
      const key = randomUUID()
      const headers = { 'idempotency-key': key }
      const body = { name: 'shop' }
      const adas = await desk.ada.raw('POST', '/api/projects', body, headers)
      const bobs = await bob.raw('POST', '/api/projects', body, headers)
      expect(bobs.status).toBe(201)
      expect(idOf(bobs)).not.toBe(idOf(adas))
      const sshKey = { key_name: 'k2', ssh_public_key: newPublicKey() }
      expect((await desk.ada.raw('POST', '/api/user/ssh-keys', sshKey, headers)).status).toBe(201)
    }),
  )

  it(
    'is not used up by a request that failed',
    atDisk(async (_, { send, rows, before }) => {
      const key = randomUUID()
      expect((await send(key, { size: '0Gi' })).status).toBe(400)
      expect((await send(key, { source: 'SNAPSHOT', disk_sansphot: 'none' })).status).toBe(400)
      expect((await send(key)).status).toBe(201)
      expect(await rows()).toHaveLength(before.length + 1)
    }),
  )

  it(
    'that is no UUID is refused by the name of the header',
    atDisk(async (_, { send, rows, before }) => {
      for (const key of ['', '1', 'not-a-uuid', `${randomUUID()}, ${randomUUID()}`]) {
        const answer = await send(key)
        expect(answer.status).toBe(400)
        expect(answer.body).toEqual({ message: 'The Idempotency-Key header must be a UUID' })
      }
      expect(await rows()).toEqual(before)
    }),
  )

  it(
    'says so when its object was deleted and its answer is not stored',
    atDisk(async (desk, { send }) => {
      const key = randomUUID()
      const first = await send(key)
      await desk.pass()
      await desk.deleteDisk(idOf(first))
      await desk.app.db.updateTable('idempotency_key').set({ answer: null }).execute()
      const again = await send(key)
      expect(again).toMatchObject({ status: 404, body: { message: messages.createdObjectDeleted } })
    }),
  )

  it(
    'is kept for a day',
    atDisk(async (desk, { send, rows, before }) => {
      const key = randomUUID()
      await send(key)
      const { db } = desk.app
      const hoursAgo = (hours: number) => new Date(desk.app.clock.now() - hours * 60 * 60_000).toISOString()
      const age = (hours: number) =>
        db
          .updateTable('idempotency_key')
          .set({ created_at: hoursAgo(hours) })
          .execute()
      await age(22)
      await desk.pass(61 * 60_000)
      await send(key)
      expect(await rows()).toHaveLength(before.length + 1)
      await age(24)
      await desk.pass(61 * 60_000)
      expect(await db.selectFrom('idempotency_key').selectAll().execute()).toEqual([])
    }),
  )

  it(
    'is no help to a request without one: each creates an object',
    atDisk(async (desk, { path, body, rows, before }) => {
      await desk.ada.raw('POST', path, body)
      await desk.ada.raw('POST', path, body)
      expect(await rows()).toHaveLength(before.length + 2)
    }),
  )
})
