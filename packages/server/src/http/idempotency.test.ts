// @module-tag both-databases
import { randomUUID } from 'node:crypto'
import { type EndpointId, endpoints, messages } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { type Desk, it } from '../desk.test-kit.ts'
import { bodyOf, endpointOf, pathOf, prepareExample } from '../example-requests.test-kit.ts'

type Table =
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

/** Where each call that creates an object stores it, and what makes its example another request. */
const creations: Partial<Record<EndpointId, { table: Table; other: object }>> = {
  'project.create': { table: 'project', other: { name: 'other' } },
  'sshKey.create': { table: 'ssh_key', other: { key_name: 'other' } },
  'template.create': { table: 'template', other: { name: 'other' } },
  'vm.create': { table: 'vm', other: { name: 'other' } },
  'vmPool.create': { table: 'vm_group', other: { name: 'other' } },
  'vmSet.create': { table: 'vm_group', other: { name: 'other' } },
  'disk.create': { table: 'disk', other: { name: 'other' } },
  'upload.create': { table: 'disk', other: { name: 'other' } },
  'vmSnapshot.create': { table: 'vm_snapshot', other: { name: 'other' } },
  'diskSnapshot.create': { table: 'disk_snapshot', other: { name: 'other' } },
  'share.create': { table: 'share', other: { port: 3001 } },
  'batch.create': { table: 'batch', other: { action: 'vm.start' } },
  'diskSnapshot.createDisk': { table: 'disk', other: { name: 'other' } },
}

/** One creation at a desk: how it is sent, and how many objects there are. */
async function prepare(desk: Desk, id: EndpointId) {
  const creation = creations[id]
  if (!creation) return expect.fail(`say in the table of this test where ${id} stores what it creates`)
  const { table, other } = creation
  const { made } = await prepareExample(desk, id)
  const path = pathOf(endpointOf(id), made)
  const body = bodyOf(id, made)
  const send = (key: string, change: object = {}, person: Pick<Desk['ada'], 'raw'> = desk.ada) =>
    person.raw('POST', path, { ...body, ...change }, { 'idempotency-key': key })
  const rows = async () => (await desk.app.db.selectFrom(table).select('id').execute()).map((row) => row.id)
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
  for (const { id } of creating) {
    it(`makes ${id} create one object and answer the same again, also after a restart, and refuses another body`, async ({
      desk,
    }) => {
      const { send, rows, before, other } = await prepare(desk, id)
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
    })

    it(`makes ${id} create one object when two requests come at once`, async ({ desk }) => {
      const { send, rows, before } = await prepare(desk, id)
      const key = randomUUID()
      const [one, two] = await Promise.all([send(key), send(key)])
      expect([one.status, two.status]).toEqual([201, 201])
      expect(two.body).toEqual(one.body)
      expect((await rows()).filter((id) => !before.includes(id))).toEqual([idOf(one)])
    })

    it(`makes ${id} create one object when the server ends before the answer is stored`, async ({ desk }) => {
      const { send, rows, before } = await prepare(desk, id)
      const key = randomUUID()
      // What a killed server leaves: the object and its key, and no answer.
      await refuse(desk.app.db, 'update', 'idempotency_key')
      const first = await send(key)
      await desk.app.restart()
      const again = await send(key)
      expect(again.status).toBe(201)
      expect(idOf(again)).toBe(idOf(first))
      expect((await rows()).filter((id) => !before.includes(id))).toEqual([idOf(first)])
    })
  }

  const atDisk =
    (test: (desk: Desk, disk: Awaited<ReturnType<typeof prepare>>) => Promise<void>) =>
    async ({ desk }: { desk: Desk }) =>
      test(desk, await prepare(desk, 'disk.create'))

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

  it('of another account is another key, and so is that of another call', async ({ desk }) => {
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
  })

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
