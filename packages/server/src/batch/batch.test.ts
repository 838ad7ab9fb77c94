import {
  accessTexts,
  accountApi,
  type BatchCreate,
  type BatchItem,
  batchApi,
  batchDays,
  batchTexts,
  deleteProtected,
  mayWhileFrozen,
  projectMemberApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, tokenOf } from '../app.test-kit.ts'
import { binOf } from '../bin/bin.test-kit.ts'
import { refuse } from '../db/database.test-kit.ts'
import type { Desk } from '../desk.test-kit.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

type Person = Pick<Desk['ada'], 'call'>
type BatchDesk = Awaited<ReturnType<typeof batchDesk>>

async function batchDesk() {
  const desk = await groupDesk()
  const { app, ada, params, at } = desk
  const batches = {
    create: (body: BatchCreate, by: Person = ada) => by.call(batchApi.create, { params, body }),
    get: async (id: string) => (await ada.call(batchApi.get, at('batchId', id))).body,
    list: async () => (await ada.call(batchApi.list, { params })).body,
    cancel: (id: string) => ada.call(batchApi.cancel, at('batchId', id)),
    /** Requests a batch and waits until it has ended. */
    async done(body: BatchCreate) {
      const answer = await batches.create(body)
      expect(answer).toMatchObject({ status: 201, body: { action: body.action, ended_at: null } })
      await app.idle()
      return batches.get(answer.body.id)
    },
    /** Requests a batch and waits until it has ended; something else comes before its first item. */
    async doneAfter(body: BatchCreate, act: (id: string) => Promise<unknown>, by: Person = ada) {
      const undo = await refuse(app.db, 'update', 'batch_item')
      const { id } = (await batches.create(body, by)).body
      await app.idle()
      await act(id)
      await undo()
      await desk.pass(60_000)
      return batches.get(id)
    },
  }
  const make = async (name: string, more: object = {}) => (await desk.createVm(name, more)).body.id
  const disks = [{ name: 'data', size: '1Gi' }]
  return {
    ...desk,
    ...{ batches, make },
    inBin: async () => (await binOf(desk).list()).map(({ name }) => name).sort(),
    /** A pool or set with one VM, which has a disk of its own. */
    makeGroup: async (kind: 'vmPool' | 'vmSet', name = 'web'): Promise<string> =>
      kind === 'vmPool'
        ? (await desk.pools.made({ name, max_size: 1, auto_scaling: false, disks })).id
        : (await desk.sets.made({ name, replicas: 1, disks })).id,
    async running<T extends readonly string[]>(...names: T) {
      const ids: string[] = []
      for (const name of names) ids.push(await make(name))
      await desk.pass()
      // As many as there are names.
      return ids as { [K in keyof T]: string }
    },
    /** Who requested an action, of what. */
    async wishes(action: string) {
      const wish = app.db.selectFrom('activity').where('kind', '=', 'wish').where('action', '=', action)
      const entries = await wish.select(['object_name', 'actor_name']).orderBy('id').execute()
      return entries.map(({ object_name, actor_name }) => `${actor_name}: ${object_name}`)
    },
  }
}

const states = ({ items }: { items: readonly BatchItem[] }) => items.map(({ state }) => state)
const reasons = ({ items }: { items: readonly BatchItem[] }) => items.map(({ message }) => message)

/** An operator of the project. */
async function operator({ app, ada, params }: BatchDesk) {
  const bob = await app.signedIn('Bob')
  await ada.call(projectMemberApi.invite, { params, body: { email: bob.email, role: 'operator' } })
  await bob.call(projectMemberApi.accept, { body: { token: tokenOf(lastMail(app.mails, bob.email)) } })
  return { ...bob, id: (await bob.call(accountApi.me)).body.id }
}

describe('a batch', () => {
  it('makes the single call for each object in order, and says what came of it', async () => {
    const desk = await batchDesk()
    const [web, db] = await desk.running('web', 'db')
    const batch = await desk.batches.done({ action: 'vm.stop', ids: [web, db] })
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
    expect(await desk.wishes('vm.stop')).toEqual(['Ada Lovelace: web', 'Ada Lovelace: db'])
    expect(await desk.batches.list()).toEqual([{ ...batch, items: undefined }])
  })

  it('fails for an object in the words of the single call, and goes on', async () => {
    const desk = await batchDesk()
    const [web, db] = await desk.running('web', 'db')
    await desk.act('stop', db)
    await desk.pass()
    const started = await desk.batches.done({ action: 'vm.start', ids: [web, db] })
    expect(states(started)).toEqual(['failed', 'done'])
    expect(reasons(started)).toEqual(['VM cannot be started while it is running', null])
    await desk.protect(web, true)
    const deleted = await desk.batches.done({ action: 'vm.delete', ids: [web, db] })
    expect(reasons(deleted)).toEqual([deleteProtected, null])
  })

  it('takes a snapshot of each VM under its own name, and names what was created', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web', 'db')
    const { items } = await desk.batches.done({
      action: 'vmSnapshot.create',
      ids,
      name: 'Before {name} changes',
    })
    const snapshots = await desk.vmSnapshots()
    expect(snapshots.map(({ name }) => name)).toEqual(['Before web changes', 'Before db changes'])
    expect(items.map(({ created_id }) => created_id)).toEqual(snapshots.map(({ id }) => id))
    await desk.pass()
    const gone = await desk.batches.done({ action: 'vmSnapshot.delete', ids: snapshots.map(({ id }) => id) })
    expect(states(gone)).toEqual(['done', 'done'])
    expect(await desk.vmSnapshots()).toEqual([])
  })

  it('adds and removes tags beside those a VM has, and tells of changes only', async () => {
    const desk = await batchDesk()
    const web = await desk.make('web', { tags: ['old', 'shop'] })
    const db = await desk.make('db', { tags: ['new'] })
    const full = await desk.make('full', { tags: Array.from({ length: 16 }, (_, i) => `t${i}`) })
    await desk.pass()
    const tags = { add_tags: ['new'], remove_tags: ['old'] }
    const batch = await desk.batches.done({ action: 'vm.update', ids: [web, db, full], ...tags })
    expect(states(batch)).toEqual(['done', 'done', 'failed'])
    expect(reasons(batch)[2]).toBe('Use at most 16 tags')
    expect((await desk.vm(web)).tags).toEqual(['new', 'shop'])
    expect(await desk.wishes('vm.update')).toEqual(['Ada Lovelace: web'])
  })

  it('takes snapshots of disks and deletes disks and their snapshots', async () => {
    const desk = await batchDesk()
    const ids = [await desk.readyDisk({ name: 'a' }), await desk.readyDisk({ name: 'b' })]
    const taken = await desk.batches.done({ action: 'diskSnapshot.create', ids, name: '{name}-1' })
    expect(states(taken)).toEqual(['done', 'done'])
    await desk.pass()
    const snapshots = (await desk.diskSnapshots()).map(({ id }) => id)
    expect(states(await desk.batches.done({ action: 'disk.delete', ids }))).toEqual(['done', 'done'])
    expect(await desk.disks()).toEqual([])
    await desk.pass()
    const gone = await desk.batches.done({ action: 'diskSnapshot.delete', ids: snapshots })
    expect(states(gone)).toEqual(['done', 'done'])
  })

  for (const kind of ['vmPool', 'vmSet'] as const)
    it(`puts groups into the bin, and tells of each: ${kind}`, async () => {
      const desk = await batchDesk()
      const ids = [await desk.makeGroup(kind, 'web'), await desk.makeGroup(kind, 'ci')]
      await desk.makeGroup(kind, 'kept')
      const batch = await desk.batches.done({ action: `${kind}.delete`, ids })
      expect(batch.items).toMatchObject([
        { id: ids[0], name: 'web', state: 'done' },
        { id: ids[1], name: 'ci', state: 'done' },
      ])
      expect(await desk.wishes(`${kind}.delete`)).toEqual(['Ada Lovelace: web', 'Ada Lovelace: ci'])
      expect(await desk.inBin()).toEqual(['ci', 'web'])
    })

  it.each([
    ['vm', ['vm'], (desk: BatchDesk) => desk.stoppedVm()],
    ['disk', ['disk'], (desk: BatchDesk) => desk.readyDisk()],
    ['vmSnapshot', ['vm_snapshot'], async (desk: BatchDesk) => desk.readyVmSnapshot(await desk.stoppedVm())],
    [
      'diskSnapshot',
      ['disk_snapshot'],
      async (desk: BatchDesk) => desk.readyDiskSnapshot(await desk.readyDisk()),
    ],
    ['vmPool', ['vm_group', 'vm', 'disk'], (desk: BatchDesk) => desk.makeGroup('vmPool')],
    ['vmSet', ['vm_group', 'vm', 'disk'], (desk: BatchDesk) => desk.makeGroup('vmSet')],
  ] as const)('keeps nothing in the bin when it deletes for good: %s', async (kind, emptied, makeOne) => {
    const desk = await batchDesk()
    const ids = [await makeOne(desk)]
    const action = `${kind}.delete` as const
    // It is stored with the batch, so a server that was killed in between goes on with it.
    const batch = await desk.batches.doneAfter({ action, ids, for_good: true }, () => desk.app.restart())
    expect(batch).toMatchObject({ for_good: true, items: [{ state: 'done' }] })
    expect(await desk.inBin()).toEqual([])
    for (const table of emptied)
      expect(await desk.app.db.selectFrom(table).select('id').execute(), table).toEqual([])
    const [title] = await desk.wishes('batch.create')
    expect(title).toMatch(/^Ada Lovelace: Delete 1 (VM|disk|snapshot|pool|set) for good$/)
  })

  it('puts what it deletes into the bin otherwise, also one that was stored before for_good was there', async () => {
    const desk = await batchDesk()
    const ids = [await desk.stoppedVm('web')]
    expect(await desk.batches.done({ action: 'vm.delete', ids })).toMatchObject({ for_good: false })
    const disks = [await desk.readyDisk()]
    const request = JSON.stringify({ action: 'disk.delete' })
    const old = await desk.batches.doneAfter({ action: 'disk.delete', ids: disks }, (id) =>
      desk.app.db.updateTable('batch').set({ request }).where('id', '=', id).execute(),
    )
    expect(old).toMatchObject({ for_good: false, items: [{ state: 'done' }] })
    expect(await desk.inBin()).toEqual(['data', 'web'])
  })

  it.each([
    ['disk', 'disks', (desk: BatchDesk, name: string) => desk.readyDisk({ name })],
    ['vmPool', 'vmpools', (desk: BatchDesk, name: string) => desk.makeGroup('vmPool', name)],
  ] as const)(
    'does not say that it deleted for good what somebody put into the bin meanwhile: %s',
    async (kind, path, makeOne) => {
      const desk = await batchDesk()
      const ids = [await makeOne(desk, 'kept'), await makeOne(desk, 'gone')]
      const action = `${kind}.delete` as const
      const batch = await desk.batches.doneAfter({ action, ids, for_good: true }, async () => {
        const url = `/api/projects/${desk.params.projectId}/${path}`
        await desk.ada.raw('DELETE', `${url}/${ids[0]}`)
        await desk.ada.raw('DELETE', `${url}/${ids[1]}?for_good=true`)
      })
      expect(states(batch)).toEqual(['failed', 'done'])
      expect(reasons(batch)).toEqual([batchTexts.keptInBin, null])
      expect(await desk.inBin()).toEqual(['kept'])
    },
  )

  it('counts what is gone already as deleted', async () => {
    const desk = await batchDesk()
    const [web] = await desk.running('web')
    const batch = await desk.batches.doneAfter({ action: 'vm.delete', ids: [web] }, () => desk.deleteVm(web))
    expect(states(batch)).toEqual(['done'])
    expect(await desk.wishes('vm.delete')).toEqual(['Ada Lovelace: web'])
  })

  it('tells whoever listens how far it is', async () => {
    const desk = await batchDesk()
    const heard: unknown[] = []
    desk.app.subscribe(desk.params.projectId, (name, data) => name === 'batch' && heard.push(data))
    const ids = await desk.running('web', 'db')
    await desk.batches.done({ action: 'vm.stop', ids })
    expect(heard.at(-1)).toMatchObject({ action: 'vm.stop', counts: { total: 2, done: 2 } })
    expect(heard.at(-1)).not.toHaveProperty('items')
  })

  it('is deleted a week after it has ended', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web')
    const old = await desk.batches.done({ action: 'vm.stop', ids })
    const { id } = await desk.batches.done({ action: 'vm.delete', ids })
    const { db, clock } = desk.app
    const ended_at = new Date(clock.now() - batchDays * 24 * 60 * 60_000).toISOString()
    await db.updateTable('batch').set({ ended_at }).where('id', '=', old.id).execute()
    await desk.pass(61 * 60_000)
    expect(await db.selectFrom('batch_item').select('batch_id').execute()).toEqual([{ batch_id: id }])
  })

  it('goes with its project', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web')
    await desk.batches.done({ action: 'vm.delete', ids })
    await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}?for_good=true`)
    expect(await desk.app.db.selectFrom('batch_item').selectAll().execute()).toEqual([])
  })
})

describe('a batch is refused, and nothing is changed', () => {
  it('when an id is that of another kind, or of what is in the bin', async () => {
    const desk = await batchDesk()
    const web = await desk.make('web')
    const pool = await desk.makeGroup('vmPool')
    for (const [action, id] of [
      ['disk.delete', web],
      ['vmSet.delete', pool],
    ] as const) {
      const sentence = `Not found in this project: ${id}`
      expect(await desk.batches.create({ action, ids: [id] })).toMatchObject({
        status: 400,
        body: { message: sentence, fields: { ids: sentence } },
      })
    }
    await desk.pools.remove(pool)
    expect((await desk.batches.create({ action: 'vmPool.delete', ids: [pool] })).status).toBe(400)
    expect(await desk.batches.list()).toEqual([])
  })

  const tooMany = Array.from({ length: 1001 }, (_, i) => `v${i}`)
  const bothTags = { add_tags: ['x'], remove_tags: ['x'] }
  it.each([
    [{ action: 'vm.explode', ids: ['a'] }, 'action', batchTexts.actionInvalid],
    [{ ids: ['a'] }, 'action', batchTexts.actionInvalid],
    [{ action: 'vm.start' }, 'ids', batchTexts.idsMissing],
    [{ action: 'vm.start', ids: [] }, 'ids', batchTexts.idsMissing],
    [{ action: 'vm.start', ids: ['a', 'a'] }, 'ids', batchTexts.idTwice],
    [{ action: 'vm.start', ids: tooMany }, 'ids', batchTexts.tooManyIds],
    [{ action: 'vm.update', ids: ['a'] }, 'add_tags', batchTexts.noTags],
    [{ action: 'vm.update', ids: ['a'], ...bothTags }, 'remove_tags', batchTexts.tagBoth],
    [{ action: 'vm.delete', ids: ['a'], for_good: 'true' }, 'for_good', batchTexts.forGoodInvalid],
    [{ action: 'vmSnapshot.create', ids: ['a'], name: ' ' }, 'name', 'Please enter a snapshot name'],
  ])('when it makes no sense (%#)', async (body, field, sentence) => {
    const { ada, params } = await batchDesk()
    expect(await ada.call(batchApi.create, { params, body })).toMatchObject({
      status: 400,
      body: { message: sentence, fields: { [field]: sentence } },
    })
  })
})

describe('cancelling a batch', () => {
  it('leaves out what waits, and keeps what was done', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web', 'db')
    const undo = await refuse(desk.app.db, 'update', 'vm')
    const { body } = await desk.batches.create({ action: 'vm.stop', ids })
    await desk.app.idle()
    const answer = await desk.batches.cancel(body.id)
    expect(answer).toMatchObject({ status: 200, body: { counts: { left_out: 2, waiting: 0 } } })
    expect(answer.body.ended_at).not.toBeNull()
    await undo()
    await desk.pass()
    expect(states(await desk.batches.get(body.id))).toEqual(['left_out', 'left_out'])
    expect((await desk.vm(ids[0] ?? '')).status).toBe('running')
    expect(await desk.batches.cancel(body.id)).toMatchObject({
      status: 409,
      body: { message: batchTexts.ended },
    })
  })
})

describe('what waits is refused when whoever requested it meanwhile', () => {
  for (const [what, act, sentence] of [
    [
      'left the project',
      (desk: BatchDesk, bob: { id: string }) =>
        desk.ada.call(projectMemberApi.remove, desk.at('memberId', bob.id)),
      batchTexts.notMember,
    ],
    [
      'became a viewer',
      (desk: BatchDesk, bob: { id: string }) =>
        desk.ada.call(projectMemberApi.update, { ...desk.at('memberId', bob.id), body: { role: 'viewer' } }),
      accessTexts.operator,
    ],
    [
      'was disabled',
      ({ app }: BatchDesk, bob: { id: string }) =>
        app.db.updateTable('account').set({ disabled_at: 'now' }).where('id', '=', bob.id).execute(),
      batchTexts.accountGone,
    ],
    [
      'deleted their account',
      ({ app }: BatchDesk, bob: { id: string }) =>
        app.db.updateTable('batch').set({ account_id: null }).where('account_id', '=', bob.id).execute(),
      batchTexts.accountGone,
    ],
    [
      'sees the owner delete their account',
      (desk: BatchDesk) => desk.ada.raw('POST', '/api/user/deletion'),
      mayWhileFrozen({ id: 'vm.stop', method: 'POST' }),
    ],
  ] as const)
    it(what, async () => {
      const desk = await batchDesk()
      const ids = await desk.running('web')
      const bob = await operator(desk)
      await desk.batches.doneAfter({ action: 'vm.stop', ids }, () => act(desk, bob), bob)
      const items = await desk.app.db.selectFrom('batch_item').select(['state', 'message']).execute()
      expect(items).toEqual([{ state: 'failed', message: sentence }])
      expect(await desk.wishes('vm.stop')).toEqual([])
    })
})

describe('whatever happens to the server', () => {
  it('a call and its result are stored together or not at all', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web')
    const snapshot = { action: 'vmSnapshot.create', ids, name: 'a' } as const
    const batch = await desk.batches.doneAfter(snapshot, async () =>
      expect(await desk.vmSnapshots()).toEqual([]),
    )
    expect(states(batch)).toEqual(['done'])
    expect(await desk.vmSnapshots()).toHaveLength(1)
  })

  it('a server that is closed in the middle leaves the rest to the next one, and nothing is done twice', async () => {
    const desk = await batchDesk()
    const names = Array.from({ length: 45 }, (_, i) => `vm-${i}`)
    const ids: string[] = []
    for (const name of names) ids.push(await desk.make(name))
    const { body } = await desk.batches.create({ action: 'vm.delete', ids })
    await desk.app.restart()
    await desk.pass()
    expect((await desk.batches.get(body.id)).counts).toMatchObject({ total: 45, done: 45 })
    expect(await desk.wishes('vm.delete')).toEqual(names.map((name) => `Ada Lovelace: ${name}`))
  })

  it('an item that only the server can be blamed for does not hold up the others', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web')
    const undo = await refuse(desk.app.db, 'update', 'vm')
    const { body } = await desk.batches.create({ action: 'vm.stop', ids })
    await desk.pass(5 * 60_000)
    expect(reasons(await desk.batches.get(body.id))).toEqual([batchTexts.broken])
    await undo()
  })

  it('one that is requested at another server is done by the one that drives', async () => {
    const desk = await batchDesk()
    const ids = await desk.running('web', 'db')
    const there = (await desk.app.serverBeside()).client(desk.ada.cookie)
    const { status, body } = await desk.batches.create({ action: 'vm.stop', ids }, there)
    expect(status).toBe(201)
    await desk.pass()
    expect(states((await there.call(batchApi.get, desk.at('batchId', body.id))).body)).toEqual([
      'done',
      'done',
    ])
  })
})
