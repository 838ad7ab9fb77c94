import {
  accessTexts,
  accountApi,
  type BatchCreate,
  type BatchItem,
  batchApi,
  batchDays,
  batchTexts,
  binApi,
  deleteProtected,
  mayWhileFrozen,
  messages,
  projectMemberApi,
  vmApi,
  vmPoolApi,
  vmPoolTexts,
  vmSetApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, tokenOf } from '../app.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import { atDesk, type Desk, openDesk } from '../desk.test-kit.ts'

const create = ({ ada, params }: Desk, body: BatchCreate) => ada.call(batchApi.create, { params, body })
const get = async ({ ada, params }: Desk, batchId: string) =>
  (await ada.call(batchApi.get, { params: { ...params, batchId } })).body
const cancel = ({ ada, params }: Desk, batchId: string) =>
  ada.call(batchApi.cancel, { params: { ...params, batchId } })

const inBin = async ({ ada, params }: Desk) =>
  (await ada.call(binApi.list, { params })).body.map(({ name }) => name)

/** Requests a batch and waits until it has ended. */
async function done(desk: Desk, body: BatchCreate) {
  const answer = await create(desk, body)
  expect(answer).toMatchObject({ status: 201, body: { action: body.action, ended_at: null } })
  await desk.app.idle()
  return get(desk, answer.body.id)
}

const states = ({ items }: { items: readonly BatchItem[] }) => items.map(({ state }) => state)
const reasons = ({ items }: { items: readonly BatchItem[] }) => items.map(({ message }) => message)

const make = async (desk: Desk, name: string, more: object = {}) => (await desk.createVm(name, more)).body.id

/** A pool or set with one VM, which has a disk of its own. */
async function makeGroup(desk: Desk, kind: 'vmPool' | 'vmSet', name = 'web'): Promise<string> {
  const { ada, params, keyId } = desk
  const wish = { name, template_id: 'starter', ssh_key_id: keyId, disks: [{ name: 'data', size: '1Gi' }] }
  const sizes = { min_size: 1, desired_size: 1, max_size: 1, auto_scaling: false }
  const { body } =
    kind === 'vmPool'
      ? await ada.call(vmPoolApi.create, { params, body: { ...wish, ...sizes } })
      : await ada.call(vmSetApi.create, { params, body: { ...wish, replicas: 1 } })
  await desk.pass(60_000)
  return body.id
}

/** The tables that nothing is left in once one of these was deleted for good. */
const emptied: Record<
  'vm' | 'disk' | 'vmSnapshot' | 'diskSnapshot' | 'vmPool' | 'vmSet',
  readonly ('vm' | 'disk' | 'vm_snapshot' | 'disk_snapshot' | 'vm_group')[]
> = {
  vm: ['vm'],
  disk: ['disk'],
  vmSnapshot: ['vm_snapshot'],
  diskSnapshot: ['disk_snapshot'],
  vmPool: ['vm_group', 'vm', 'disk'],
  vmSet: ['vm_group', 'vm', 'disk'],
}

async function running(desk: Desk, names: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) ids.push(await make(desk, name))
  await desk.pass()
  return ids
}

const wishes = async ({ app: { db } }: Desk, action: string) =>
  (
    await db
      .selectFrom('activity')
      .select(['object_name', 'actor_name'])
      .where('kind', '=', 'wish')
      .where('action', '=', action)
      .orderBy('id')
      .execute()
  ).map(({ object_name, actor_name }) => `${actor_name}: ${object_name}`)

/** Somebody who joins the project in a role. */
async function member({ app, ada, params }: Desk, role: 'viewer' | 'operator', name = 'Bob') {
  const bob = await app.signedIn(name)
  await ada.call(projectMemberApi.invite, { params, body: { email: bob.email, role } })
  await bob.call(projectMemberApi.accept, { body: { token: tokenOf(lastMail(app.mails, bob.email)) } })
  return { ...bob, id: (await bob.call(accountApi.me)).body.id }
}

describe('a batch', () => {
  it(
    'makes the single call for each object in order, and says what came of it',
    atDesk(async (desk) => {
      const [web, db] = await running(desk, ['web', 'db'])
      if (!web || !db) return
      const batch = await done(desk, { action: 'vm.stop', ids: [web, db] })
      expect(batch).toMatchObject({
        requested_by: { name: 'Ada Lovelace' },
        counts: { total: 2, waiting: 0, done: 2, failed: 0, left_out: 0 },
        items: [
          { id: web, name: 'web', state: 'done', message: null, created_id: null },
          { id: db, name: 'db', state: 'done' },
        ],
      })
      expect(batch.ended_at).not.toBeNull()
      expect((await desk.vm(web)).status).toBe('stopping')
      expect(await wishes(desk, 'vm.stop')).toEqual(['Ada Lovelace: web', 'Ada Lovelace: db'])
      expect((await desk.ada.call(batchApi.list, { params: desk.params })).body).toEqual([
        { ...batch, items: undefined },
      ])
    }),
  )

  it(
    'fails for an object in the words of the single call, and goes on',
    atDesk(async (desk) => {
      const [web, db] = await running(desk, ['web', 'db'])
      if (!web || !db) return
      await desk.act('stop', db)
      await desk.pass()
      const started = await done(desk, { action: 'vm.start', ids: [web, db] })
      expect(states(started)).toEqual(['failed', 'done'])
      expect(reasons(started)).toEqual(['VM cannot be started while it is running', null])
      await desk.ada.call(vmApi.update, {
        params: { ...desk.params, vmId: web },
        body: { delete_protection: true },
      })
      const deleted = await done(desk, { action: 'vm.delete', ids: [web, db] })
      expect(reasons(deleted)).toEqual([deleteProtected, null])
    }),
  )

  it(
    'takes a snapshot of each VM under its own name, and names what was created',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web', 'db'])
      const { items } = await done(desk, { action: 'vmSnapshot.create', ids, name: 'Before {name} changes' })
      const snapshots = await desk.vmSnapshots()
      expect(snapshots.map(({ name }) => name)).toEqual(['Before web changes', 'Before db changes'])
      expect(items.map(({ created_id }) => created_id)).toEqual(snapshots.map(({ id }) => id))
      await desk.pass()
      const gone = await done(desk, {
        action: 'vmSnapshot.delete',
        ids: snapshots.map(({ id }) => id),
      })
      expect(states(gone)).toEqual(['done', 'done'])
      expect(await desk.vmSnapshots()).toEqual([])
    }),
  )

  it(
    'adds and removes tags beside those a VM has, and tells of changes only',
    atDesk(async (desk) => {
      const web = await make(desk, 'web', { tags: ['old', 'shop'] })
      const db = await make(desk, 'db', { tags: ['new'] })
      const full = await make(desk, 'full', { tags: Array.from({ length: 16 }, (_, i) => `t${i}`) })
      await desk.pass()
      const batch = await done(desk, {
        action: 'vm.update',
        ids: [web, db, full],
        add_tags: ['new'],
        remove_tags: ['old'],
      })
      expect(states(batch)).toEqual(['done', 'done', 'failed'])
      expect(reasons(batch)[2]).toBe('Use at most 16 tags')
      expect((await desk.vm(web)).tags).toEqual(['new', 'shop'])
      expect(await wishes(desk, 'vm.update')).toEqual(['Ada Lovelace: web'])
    }),
  )

  it(
    'takes snapshots of disks and deletes disks and their snapshots',
    atDesk(async (desk) => {
      const ids = [await desk.readyDisk({ name: 'a' }), await desk.readyDisk({ name: 'b' })]
      const taken = await done(desk, { action: 'diskSnapshot.create', ids, name: '{name}-1' })
      expect(states(taken)).toEqual(['done', 'done'])
      await desk.pass()
      const snapshots = (await desk.diskSnapshots()).map(({ id }) => id)
      expect(states(await done(desk, { action: 'disk.delete', ids }))).toEqual(['done', 'done'])
      expect(await desk.disks()).toEqual([])
      await desk.pass()
      const gone = await done(desk, { action: 'diskSnapshot.delete', ids: snapshots })
      expect(states(gone)).toEqual(['done', 'done'])
    }),
  )

  for (const kind of ['vmPool', 'vmSet'] as const)
    it(
      `puts groups into the bin with their VMs and disks, and tells of each: ${kind}`,
      atDesk(async (desk) => {
        const ids = [await makeGroup(desk, kind, 'web'), await makeGroup(desk, kind, 'ci')]
        const kept = await makeGroup(desk, kind, 'kept')
        const batch = await done(desk, { action: `${kind}.delete`, ids })
        expect(batch.items).toMatchObject([
          { id: ids[0], name: 'web', state: 'done' },
          { id: ids[1], name: 'ci', state: 'done' },
        ])
        expect(await wishes(desk, `${kind}.delete`)).toEqual(['Ada Lovelace: web', 'Ada Lovelace: ci'])
        expect((await inBin(desk)).sort()).toEqual(['ci', 'web'])
        const { ada, params } = desk
        const left = (await ada.call(vmApi.list, { params })).body
        expect(left.map(({ vmpool_id, vmset_id }) => vmpool_id ?? vmset_id)).toEqual([kept])
        expect((await desk.disks()).map(({ vm_id }) => vm_id)).toEqual(left.map(({ id }) => id))
      }),
    )

  it(
    'fails for a pool of which a snapshot needs a VM, and deletes the others',
    atDesk(async (desk) => {
      const ids = [await makeGroup(desk, 'vmPool', 'busy'), await makeGroup(desk, 'vmPool', 'web')]
      const { ada, params } = desk
      const { body } = await ada.call(vmPoolApi.get, { params: { ...params, poolId: ids[0] ?? '' } })
      await desk.snapshotVm(body.vms[0]?.id ?? '')
      const deleted = await done(desk, { action: 'vmPool.delete', ids })
      expect(states(deleted)).toEqual(['failed', 'done'])
      expect(reasons(deleted)).toEqual([vmPoolTexts.inUse, null])
    }),
  )

  for (const kind of ['vm', 'disk', 'vmSnapshot', 'diskSnapshot', 'vmPool', 'vmSet'] as const)
    it(
      `keeps nothing in the bin when it deletes for good: ${kind}`,
      atDesk(async (desk) => {
        const made = {
          vm: () => desk.stoppedVm(),
          disk: () => desk.readyDisk(),
          vmSnapshot: async () => desk.readyVmSnapshot(await desk.stoppedVm()),
          diskSnapshot: async () => desk.readyDiskSnapshot(await desk.readyDisk()),
          vmPool: () => makeGroup(desk, 'vmPool'),
          vmSet: () => makeGroup(desk, 'vmSet'),
        }
        const ids = [await made[kind]()]
        const action = `${kind}.delete` as const
        // It is stored with the batch, so a server that was killed in between goes on with it.
        const undo = await refuse(desk.app.db, 'update', 'batch_item')
        const { body } = await create(desk, { action, ids, for_good: true })
        expect(body).toMatchObject({ for_good: true })
        await desk.app.restart()
        await undo()
        await desk.pass(60_000)
        expect(states(await get(desk, body.id))).toEqual(['done'])
        expect(await inBin(desk)).toEqual([])
        for (const table of emptied[kind])
          expect(await desk.app.db.selectFrom(table).select('id').execute(), table).toEqual([])
        const [title] = await wishes(desk, 'batch.create')
        expect(title).toMatch(/^Ada Lovelace: Delete 1 (VM|disk|snapshot|pool|set) for good$/)
      }),
    )

  it(
    'puts what it deletes into the bin otherwise, also one that was stored before for_good was there',
    atDesk(async (desk) => {
      const ids = [await desk.stoppedVm('web')]
      expect(await done(desk, { action: 'vm.delete', ids })).toMatchObject({ for_good: false })
      const undo = await refuse(desk.app.db, 'update', 'batch_item')
      const { body } = await create(desk, { action: 'disk.delete', ids: [await desk.readyDisk()] })
      await desk.app.idle()
      const request = JSON.stringify({ action: 'disk.delete' })
      await desk.app.db.updateTable('batch').set({ request }).where('id', '=', body.id).execute()
      await undo()
      await desk.pass()
      expect(await get(desk, body.id)).toMatchObject({ for_good: false, items: [{ state: 'done' }] })
      expect((await inBin(desk)).sort()).toEqual(['data', 'web'])
    }),
  )

  it(
    'does not say that it deleted for good what somebody put into the bin meanwhile',
    atDesk(async (desk) => {
      const ids = [await desk.readyDisk({ name: 'kept' }), await desk.readyDisk({ name: 'gone' })]
      const [kept = '', gone = ''] = ids
      const undo = await refuse(desk.app.db, 'update', 'batch_item')
      const { body } = await create(desk, { action: 'disk.delete', ids, for_good: true })
      await desk.app.idle()
      await desk.deleteDisk(kept)
      const { projectId } = desk.params
      await desk.ada.raw('DELETE', `/api/projects/${projectId}/disks/${gone}?for_good=true`)
      await undo()
      await desk.pass()
      const batch = await get(desk, body.id)
      expect(states(batch)).toEqual(['failed', 'done'])
      expect(reasons(batch)).toEqual([batchTexts.keptInBin, null])
      expect(await inBin(desk)).toEqual(['kept'])
    }),
  )

  it(
    'does not say so of a pool either that somebody put into the bin meanwhile',
    atDesk(async (desk) => {
      const ids = [await makeGroup(desk, 'vmPool', 'kept'), await makeGroup(desk, 'vmPool', 'gone')]
      const undo = await refuse(desk.app.db, 'update', 'batch_item')
      const { body } = await create(desk, { action: 'vmPool.delete', ids, for_good: true })
      await desk.app.idle()
      const url = `/api/projects/${desk.params.projectId}/vmpools`
      await desk.ada.raw('DELETE', `${url}/${ids[0]}`)
      await desk.ada.raw('DELETE', `${url}/${ids[1]}?for_good=true`)
      await undo()
      await desk.pass()
      const batch = await get(desk, body.id)
      expect(states(batch)).toEqual(['failed', 'done'])
      expect(reasons(batch)).toEqual([batchTexts.keptInBin, null])
      expect(await inBin(desk)).toEqual(['kept'])
    }),
  )

  it(
    'counts what is gone already as deleted',
    atDesk(async (desk) => {
      const [web = ''] = await running(desk, ['web'])
      const { app } = desk
      // It is deleted between the request and its turn.
      const undo = await refuse(app.db, 'update', 'batch_item')
      const { body } = await create(desk, { action: 'vm.delete', ids: [web] })
      await app.idle()
      await desk.deleteVm(web)
      await undo()
      await desk.pass()
      expect(states(await get(desk, body.id))).toEqual(['done'])
      expect(await wishes(desk, 'vm.delete')).toEqual(['Ada Lovelace: web'])
    }),
  )

  it(
    'is one object for a request that is sent twice',
    atDesk(async (desk) => {
      const ids = [await make(desk, 'web')]
      const send = () =>
        desk.ada.raw(
          'POST',
          `/api/projects/${desk.params.projectId}/batches`,
          { action: 'vm.stop', ids },
          { 'idempotency-key': '6f1c1c1e-6f5e-4b63-8f0a-0d9f3f2a1b11' },
        )
      const [first, second] = [await send(), await send()]
      expect(second).toMatchObject({ status: 201, body: { id: (first.body as { id: string }).id } })
      expect((await desk.ada.call(batchApi.list, { params: desk.params })).body).toHaveLength(1)
    }),
  )

  it(
    'tells whoever listens how far it is',
    atDesk(async (desk) => {
      const heard: unknown[] = []
      desk.app.subscribe(desk.params.projectId, (name, data) => name === 'batch' && heard.push(data))
      const ids = await running(desk, ['web', 'db'])
      await done(desk, { action: 'vm.stop', ids })
      expect(heard.at(-1)).toMatchObject({ action: 'vm.stop', counts: { total: 2, done: 2 } })
      expect(heard.at(-1)).not.toHaveProperty('items')
    }),
  )

  it(
    'is deleted a week after it has ended',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web'])
      const old = await done(desk, { action: 'vm.stop', ids })
      const { id } = await done(desk, { action: 'vm.delete', ids })
      const { db, clock } = desk.app
      const ended_at = new Date(clock.now() - batchDays * 24 * 60 * 60_000).toISOString()
      await db.updateTable('batch').set({ ended_at }).where('id', '=', old.id).execute()
      await desk.pass(61 * 60_000)
      expect(await db.selectFrom('batch_item').select('batch_id').execute()).toEqual([{ batch_id: id }])
    }),
  )

  it(
    'goes with its project',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web'])
      await done(desk, { action: 'vm.delete', ids })
      await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}?for_good=true`)
      expect(await desk.app.db.selectFrom('batch_item').selectAll().execute()).toEqual([])
    }),
  )
})

describe('a batch is refused, and nothing is changed', () => {
  it(
    'when an id is not of the project, which it names',
    atDesk(async (desk) => {
      const ids = [await make(desk, 'web'), 'nobody']
      const refused = await create(desk, { action: 'vm.delete', ids })
      const sentence = 'Not found in this project: nobody'
      expect(refused).toMatchObject({ status: 400, body: { message: sentence, fields: { ids: sentence } } })
      const asDisk = await create(desk, { action: 'disk.delete', ids: ids.slice(0, 1) })
      expect(asDisk.status).toBe(400)
      const pool = await makeGroup(desk, 'vmPool')
      const asSet = await create(desk, { action: 'vmSet.delete', ids: [pool] })
      expect(asSet).toMatchObject({ status: 400, body: { message: `Not found in this project: ${pool}` } })
      await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/vmpools/${pool}`)
      expect((await create(desk, { action: 'vmPool.delete', ids: [pool] })).status).toBe(400)
      expect(await desk.app.db.selectFrom('batch').selectAll().execute()).toEqual([])
      expect((await desk.vm(ids[0] ?? '')).name).toBe('web')
    }),
  )

  for (const [body, field, sentence] of [
    [{ action: 'vm.explode', ids: ['a'] }, 'action', batchTexts.actionInvalid],
    [{ ids: ['a'] }, 'action', batchTexts.actionInvalid],
    [{ action: 'vm.start' }, 'ids', batchTexts.idsMissing],
    [{ action: 'vm.start', ids: [] }, 'ids', batchTexts.idsMissing],
    [{ action: 'vm.start', ids: ['a', 'a'] }, 'ids', batchTexts.idTwice],
    [
      { action: 'vm.start', ids: Array.from({ length: 1001 }, (_, i) => `v${i}`) },
      'ids',
      batchTexts.tooManyIds,
    ],
    [{ action: 'vm.update', ids: ['a'] }, 'add_tags', batchTexts.noTags],
    [
      { action: 'vm.update', ids: ['a'], add_tags: ['x'], remove_tags: ['x'] },
      'remove_tags',
      batchTexts.tagBoth,
    ],
    [{ action: 'vm.delete', ids: ['a'], for_good: 'true' }, 'for_good', batchTexts.forGoodInvalid],
    [{ action: 'vmSnapshot.create', ids: ['a'], name: ' ' }, 'name', 'Please enter a snapshot name'],
  ] as const)
    it(
      `when ${JSON.stringify(body).slice(0, 60)} is sent`,
      atDesk(async ({ ada, params }) => {
        expect(await ada.call(batchApi.create, { params, body })).toMatchObject({
          status: 400,
          body: { message: sentence, fields: { [field]: sentence } },
        })
      }),
    )
})

describe('cancelling a batch', () => {
  it(
    'leaves out what waits, and keeps what was done',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web', 'db'])
      const undo = await refuse(desk.app.db, 'update', 'vm')
      const { body } = await create(desk, { action: 'vm.stop', ids })
      await desk.app.idle()
      const answer = await cancel(desk, body.id)
      expect(answer).toMatchObject({ status: 200, body: { counts: { left_out: 2, waiting: 0 } } })
      expect(answer.body.ended_at).not.toBeNull()
      await undo()
      await desk.pass()
      expect(states(await get(desk, body.id))).toEqual(['left_out', 'left_out'])
      expect((await desk.vm(ids[0] ?? '')).status).toBe('running')
      expect(await cancel(desk, body.id)).toMatchObject({ status: 409, body: { message: batchTexts.ended } })
    }),
  )

  it(
    'is 404 for one that is not there, as is looking at it',
    atDesk(async (desk) => {
      expect(await cancel(desk, 'nobody')).toMatchObject({
        status: 404,
        body: { message: messages.batchNotFound },
      })
      expect(await get(desk, 'nobody')).toEqual({ message: messages.batchNotFound })
    }),
  )
})

describe('who may', () => {
  it(
    'a viewer may look and nothing else',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web'])
      const { id } = await done(desk, { action: 'vm.stop', ids })
      const bob = await member(desk, 'viewer')
      const params = { ...desk.params, batchId: id }
      expect((await bob.call(batchApi.get, { params })).status).toBe(200)
      expect((await bob.call(batchApi.list, { params })).body).toHaveLength(1)
      const refused = { status: 403, body: { message: accessTexts.operator } }
      expect(await bob.call(batchApi.create, { params, body: { action: 'vm.start', ids } })).toMatchObject(
        refused,
      )
      expect(await bob.call(batchApi.cancel, { params })).toMatchObject(refused)
    }),
  )

  for (const [what, act, sentence] of [
    [
      'left the project',
      (desk: Desk, bob: { id: string }) =>
        desk.ada.call(projectMemberApi.remove, { params: { ...desk.params, memberId: bob.id } }),
      batchTexts.notMember,
    ],
    [
      'became a viewer',
      (desk: Desk, bob: { id: string }) =>
        desk.ada.call(projectMemberApi.update, {
          params: { ...desk.params, memberId: bob.id },
          body: { role: 'viewer' as const },
        }),
      accessTexts.operator,
    ],
    [
      'was disabled',
      ({ app }: Desk, bob: { id: string }) =>
        app.db.updateTable('account').set({ disabled_at: 'now' }).where('id', '=', bob.id).execute(),
      batchTexts.accountGone,
    ],
    [
      'deleted their account',
      ({ app }: Desk, bob: { id: string }) =>
        app.db.updateTable('batch').set({ account_id: null }).where('account_id', '=', bob.id).execute(),
      batchTexts.accountGone,
    ],
    [
      'sees the owner delete their account',
      (desk: Desk) => desk.ada.raw('POST', '/api/user/deletion'),
      mayWhileFrozen({ id: 'vm.stop', method: 'POST' }),
    ],
  ] as const)
    it(
      `what waits is refused when whoever requested it meanwhile ${what}`,
      atDesk(async (desk) => {
        const ids = await running(desk, ['web'])
        const bob = await member(desk, 'operator')
        const undo = await refuse(desk.app.db, 'update', 'batch_item')
        await bob.call(batchApi.create, { params: desk.params, body: { action: 'vm.stop', ids } })
        await desk.app.idle()
        await act(desk, bob)
        await undo()
        await desk.pass()
        const items = await desk.app.db.selectFrom('batch_item').select(['state', 'message']).execute()
        expect(items).toEqual([{ state: 'failed', message: sentence }])
        expect(await wishes(desk, 'vm.stop')).toEqual([])
      }),
    )
})

describe('whatever happens to the server', () => {
  it(
    'a call and its result are stored together or not at all',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web'])
      const undo = await refuse(desk.app.db, 'update', 'batch_item')
      const { body } = await create(desk, { action: 'vmSnapshot.create', ids, name: 'a' })
      await desk.app.idle()
      expect(await desk.vmSnapshots()).toEqual([])
      await undo()
      await desk.pass()
      expect(states(await get(desk, body.id))).toEqual(['done'])
      expect(await desk.vmSnapshots()).toHaveLength(1)
    }),
  )

  it(
    'a server that is closed in the middle leaves the rest to the next one, and nothing is done twice',
    atDesk(async (desk) => {
      const names = Array.from({ length: 45 }, (_, i) => `vm-${i}`)
      const ids: string[] = []
      for (const name of names) ids.push(await make(desk, name))
      const { body } = await create(desk, { action: 'vm.delete', ids })
      await desk.app.restart()
      await desk.pass()
      expect((await get(desk, body.id)).counts).toMatchObject({ total: 45, done: 45 })
      expect(await wishes(desk, 'vm.delete')).toEqual(names.map((name) => `Ada Lovelace: ${name}`))
    }),
  )

  it(
    'an item that only the server can be blamed for does not hold up the others',
    atDesk(async (desk) => {
      const ids = await running(desk, ['web'])
      const undo = await refuse(desk.app.db, 'update', 'vm')
      const { body } = await create(desk, { action: 'vm.stop', ids })
      await desk.pass(5 * 60_000)
      expect(reasons(await get(desk, body.id))).toEqual([batchTexts.broken])
      await undo()
    }),
  )

  it('one that is requested at another server is done by the one that drives', async () => {
    const desk = await openDesk()
    const ids = await running(desk, ['web', 'db'])
    const there = (await desk.app.serverBeside()).client(desk.ada.cookie)
    const { status, body } = await there.call(batchApi.create, {
      params: desk.params,
      body: { action: 'vm.stop', ids },
    })
    expect(status).toBe(201)
    await desk.pass()
    const params = { ...desk.params, batchId: body.id }
    expect(states((await there.call(batchApi.get, { params })).body)).toEqual(['done', 'done'])
    await desk.close()
  })
})
