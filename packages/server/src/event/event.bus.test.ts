// @module-tag both-databases
import { setImmediate as turn } from 'node:timers/promises'
import type { Disk, Project, Vm } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeNoPeers, type Peers } from '../lib/peers.ts'
import { type BusEvent, makeEventBus, type Topic } from './event.bus.ts'

const p: Topic = { projectId: 'p', by: null }

/** A bus over objects in memory. A read takes as many turns of the event loop as the test says. */
function makeWorld({
  turns = () => 1,
  peers = makeNoPeers('e'),
}: {
  turns?: () => number
  peers?: Peers
} = {}) {
  const vms = new Map<string, string>()
  const reads: (readonly string[])[] = []
  const failures: unknown[] = []
  const world = { fails: false }
  const bus = makeEventBus({ peers, onFailure: (error) => failures.push(error) })
  bus.reads('vm', async (ids) => {
    reads.push(ids)
    if (world.fails) throw new Error('no disk')
    const half = turns()
    for (let i = 0; i < half; i++) await turn()
    const found = ids.flatMap((id) => {
      const status = vms.get(id)
      // The other parts of a VM do not matter here.
      return status === undefined ? [] : [{ id, status } as unknown as Vm]
    })
    for (let i = 0; i < half; i++) await turn()
    return found
  })
  bus.reads('disk', async (ids) => ids.map((id) => ({ id }) as Disk))
  return { bus, vms, reads, failures, world }
}

function listener(bus: ReturnType<typeof makeEventBus>, topic: Topic, after: string | null = null) {
  const heard: BusEvent[] = []
  const stop = bus.subscribe(topic, after, (event) => heard.push(event))
  const said = () => heard.filter(({ name }) => name !== 'hello').map(({ data }) => data)
  const hello = () => heard.filter(({ name }) => name === 'hello').map(({ data }) => data)
  return { heard, said, hello, stop }
}

/** A world with somebody who listens to the project. */
async function listenedTo(options: Parameters<typeof makeWorld>[0] = {}) {
  const world = makeWorld(options)
  return { ...world, ...(await come(world.bus, p)) }
}

/** Somebody who comes, and has heard what there is to hear. */
async function come(...args: Parameters<typeof listener>) {
  const ear = listener(...args)
  await args[0].idle()
  return ear
}

const gone = (id: string, project = 'p') => ({ id, project_id: project, deleted: true })

describe('the bus', () => {
  it('says what an object is like now, whatever it was when it changed', async () => {
    const { bus, vms, said } = await listenedTo()
    vms.set('a', 'starting')
    bus.changed('vm', 'p', 'a')
    vms.set('a', 'running')
    await bus.idle()
    expect(said()).toEqual([{ id: 'a', status: 'running' }])
    vms.delete('a')
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    expect(said().at(-1)).toEqual(gone('a'))
  })

  it('has everybody fetch everything on request, also who was away meanwhile', async () => {
    const { bus, hello } = await listenedTo()
    bus.changed('vm', 'p', 'a')
    bus.haveAllRead()
    await bus.idle()
    const all = { revision: 'e-1', replayed: false }
    expect(hello().at(-1)).toEqual(all)
    const late = await come(bus, p, 'e-0')
    expect(late.hello()).toEqual([all])
  })

  it('reads an object once more that changed while it was read', async () => {
    const { bus, vms, reads, said } = await listenedTo({ turns: () => 3 })
    vms.set('a', 'starting')
    bus.changed('vm', 'p', 'a')
    for (let i = 0; i < 5; i++) await turn()
    // It was looked up already, and its event is not sent yet.
    vms.set('a', 'running')
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    expect(said()).toEqual([
      { id: 'a', status: 'starting' },
      { id: 'a', status: 'running' },
    ])
    expect(reads).toEqual([['a'], ['a']])
  })

  it('makes many changes at once one read', async () => {
    const { bus, vms, reads, said } = await listenedTo()
    const ids = Array.from({ length: 300 }, (_, i) => `v${i}`)
    for (const id of [...ids, ...ids]) {
      vms.set(id, 'running')
      bus.changed('vm', 'p', id)
    }
    await bus.idle()
    expect(reads).toEqual([ids])
    expect(said()).toHaveLength(300)
  })

  it('reads nothing that nobody listens to', async () => {
    const { bus, reads } = makeWorld()
    const { said, stop } = listener(bus, p)
    bus.changed('vm', 'another', 'a')
    await bus.idle()
    stop()
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    expect([reads, said(), bus.isWatched('p')]).toEqual([[], [], false])
  })

  it('tells an account of all its projects, also of those that come later, and of no other', async () => {
    const { bus, vms } = makeWorld()
    bus.reads('project', async () => [])
    const ada = await come(bus, { accountId: 'ada', roles: new Map([['p', 'owner']]) })
    vms.set('a', 'running').set('b', 'running').set('c', 'running')
    bus.changed('vm', 'p', 'a')
    bus.changed('vm', 'of-bob', 'b')
    bus.changed('project', 'later', 'later', { roles: { ada: 'owner' } })
    bus.changed('vm', 'later', 'c')
    await bus.idle()
    expect(ada.said()).toEqual([
      { id: 'a', status: 'running' },
      gone('later', 'later'),
      { id: 'c', status: 'running' },
    ])
  })
})

describe('a stream that is opened again', () => {
  it('gets what came after, as it is now, also what nobody listened to', async () => {
    const { bus, vms } = makeWorld()
    vms.set('a', 'starting').set('b', 'running')
    const before = bus.revision()
    bus.changed('vm', 'p', 'a')
    bus.changed('vm', 'p', 'b')
    bus.changed('vm', 'other', 'c')
    vms.set('a', 'running').delete('b')
    const again = await come(bus, p, before)
    expect(again.hello()).toEqual([{ revision: 'e-3', replayed: true }])
    expect(again.said()).toEqual([{ id: 'a', status: 'running' }, gone('b')])
    // A connection may break after any of them.
    expect(again.heard.map(({ revision }) => revision)).toEqual([null, 'e-1', 'e-2'])
  })

  it.each([
    ['of another server', 'f-0'],
    ['of the future', 'e-99'],
    ['that is none', 'nonsense'],
    ['of nothing at all', null],
  ])('is told to fetch its lists after a revision %s', async (_, after) => {
    const { bus } = makeWorld()
    bus.changed('vm', 'p', 'a')
    const again = await come(bus, p, after)
    expect(again.hello()).toEqual([{ revision: 'e-1', replayed: false }])
    expect(again.said()).toEqual([])
  })

  it('is told to fetch its lists when too much came after', async () => {
    const { bus } = makeWorld()
    const before = bus.revision()
    for (let i = 0; i < 1_001; i++) bus.changed('vm', 'p', `v${i}`)
    const again = await come(bus, p, before)
    expect(again.hello()).toMatchObject([{ replayed: false }])
    // What changed in another project does not count.
    const other = await come(bus, { projectId: 'q', by: null }, before)
    expect(other.hello()).toMatchObject([{ replayed: true }])
  })

  it.each([
    ['left', { roles: { bob: 'owner' }, moved: ['ada'] }],
    ['came into', { roles: { ada: 'viewer', bob: 'owner' }, moved: ['ada'] }],
  ] as const)(
    'is told to fetch its lists when its account %s a project while that is read',
    async (_, members) => {
      const { bus, vms } = makeWorld({ turns: () => 3 })
      vms.set('a', 'running')
      const before = bus.revision()
      bus.changed('vm', 'p', 'a')
      const again = listener(bus, { accountId: 'ada', roles: new Map([['p', 'viewer']]) }, before)
      for (let i = 0; i < 3; i++) await turn()
      const project = 'ada' in members.roles ? 'q' : 'p'
      bus.changed('project', project, project, members)
      await bus.idle()
      expect(again.hello().at(-1)).toMatchObject({ replayed: false })
    },
  )

  it('is told to fetch its lists when what came after is forgotten', async () => {
    const { bus } = makeWorld()
    const before = bus.revision()
    for (let i = 0; i < 20_001; i++) bus.changed('vm', 'q', `v${i}`)
    const again = await come(bus, p, before)
    expect(again.hello()).toMatchObject([{ replayed: false }])
  })
})

it('what could not be read makes everybody fetch their lists, now and when they come back', async () => {
  const { bus, world, failures, hello, said } = await listenedTo()
  const before = bus.revision()
  world.fails = true
  bus.changed('vm', 'p', 'a')
  await bus.idle()
  expect(failures).toHaveLength(1)
  expect(hello().at(-1)).toEqual({ revision: 'e-1', replayed: false })
  world.fails = false
  const again = await come(bus, p, before)
  expect([again.hello(), said()]).toEqual([[{ revision: 'e-1', replayed: false }], []])
})

it('says nothing more of a project after its end, also of what changes at the same moment', async () => {
  const { bus, vms } = makeWorld()
  const everything = listener(bus, { accountId: 'ada', roles: new Map([['p', 'owner']]) })
  const one = await come(bus, { projectId: 'p', by: { accountId: 'ada', role: 'owner' } })
  for (const id of ['a', 'b']) vms.set(id, 'running')
  bus.changed('vm', 'p', 'a')
  bus.changed('project', 'p', 'p', { roles: { ada: 'owner' }, ends: true })
  // Its VMs are suspended now.
  bus.changed('vm', 'p', 'b')
  await bus.idle()
  for (const { said } of [everything, one])
    expect(said()).toEqual([{ id: 'a', status: 'running' }, gone('p')])
  // It is restored.
  bus.changed('project', 'p', 'p', { roles: { ada: 'owner' }, moved: ['ada'] })
  await bus.idle()
  bus.changed('vm', 'p', 'b')
  await bus.idle()
  expect(everything.said().at(-1)).toEqual({ id: 'b', status: 'running' })
})

it('says the end of a project that is deleted for good before it was said that it is in the bin', async () => {
  const { bus } = makeWorld()
  bus.reads('project', async () => [])
  const everything = listener(bus, { accountId: 'ada', roles: new Map([['p', 'owner']]) })
  const one = listener(bus, { projectId: 'p', by: { accountId: 'ada', role: 'owner' } })
  await bus.idle()
  bus.changed('project', 'p', 'p', { roles: { ada: 'owner' }, ends: true })
  bus.changed('project', 'p', 'p', { roles: {}, ends: true })
  await bus.idle()
  for (const { said } of [everything, one]) expect(said()).toEqual([gone('p')])
  expect(bus.isWatched('p')).toBe(false)
})

it('says the end of a project that comes while an earlier change of it is read', async () => {
  const { bus } = makeWorld()
  const projects = new Set(['p'])
  bus.reads('project', async (ids) => {
    const found = ids.flatMap((id) => (projects.has(id) ? [{ id } as Project] : []))
    for (let i = 0; i < 3; i++) await turn()
    return found
  })
  const ada = listener(bus, { accountId: 'ada', roles: new Map([['p', 'owner']]) })
  await bus.idle()
  bus.changed('project', 'p', 'p')
  await turn()
  projects.delete('p')
  bus.changed('project', 'p', 'p', { roles: { ada: 'owner' }, ends: true })
  await bus.idle()
  expect(ada.said()).toEqual([{ id: 'p' }, gone('p')])
  expect(bus.isWatched('p')).toBe(false)
})

it('whoever listens, leaves and comes back with its last revision ends with the last states', async () => {
  const id = fc.constantFrom('a', 'b', 'c')
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), id }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('come' as const) }) },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.infiniteStream(fc.nat(2)),
      async (steps, delays) => {
        const { bus, vms } = makeWorld({ turns: () => delays.next().value ?? 0 })
        const picture = new Map<string, unknown>()
        let last = bus.revision()
        let stop = () => {}
        const come = () => {
          stop()
          stop = bus.subscribe(p, last, ({ name, revision, data }) => {
            if (revision !== null) last = revision
            if (name === 'hello') return expect(data).toMatchObject({ replayed: true })
            const object = data as { id: string; deleted?: true; status?: string }
            if (object.deleted) picture.delete(object.id)
            else picture.set(object.id, object.status)
          })
        }
        let version = 0
        for (const one of steps) {
          if (one.do === 'turn') await turn()
          if (one.do === 'leave') stop()
          if (one.do === 'come') come()
          if (one.do === 'delete') vms.delete(one.id)
          if (one.do === 'change') vms.set(one.id, `${++version}`)
          if ('id' in one) bus.changed('vm', 'p', one.id)
        }
        come()
        await bus.idle()
        expect(picture).toEqual(vms)
      },
    ),
    { numRuns: 300 },
  )
})

describe('a listener hears no change that a hello included', () => {
  const revisions = (heard: readonly BusEvent[]) => heard.map(({ name, revision }) => [name, revision])

  it('when messages were missed while one waited to be sent', async () => {
    const gaps: (() => void)[] = []
    const { bus, vms, heard } = await listenedTo({
      peers: { ...makeNoPeers('e'), onGap: (one) => void gaps.push(one) },
    })
    heard.length = 0
    vms.set('a', 'running')
    bus.changed('vm', 'p', 'a')
    for (const gap of gaps) gap()
    await bus.idle()
    expect(revisions(heard)).toEqual([['hello', 'e-1']])
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    expect(revisions(heard).at(-1)).toEqual(['vm', 'e-2'])
  })

  it('when it comes back while one waits to be sent', async () => {
    const { bus, vms } = makeWorld({ turns: () => 3 })
    listener(bus, p)
    await bus.idle()
    for (const id of ['a', 'b']) vms.set(id, 'running')
    bus.changed('vm', 'p', 'a')
    // That is being read when the next change comes.
    for (let i = 0; i < 3; i++) await turn()
    bus.changed('vm', 'p', 'b')
    const back = listener(bus, p, 'e-0')
    const late = await come(bus, p)
    expect(revisions(back.heard)).toEqual([
      ['hello', null],
      ['vm', 'e-1'],
      ['vm', 'e-2'],
    ])
    expect(revisions(late.heard)).toEqual([['hello', 'e-2']])
  })
})

describe('a revision after which something may have been stored and not told', () => {
  const back = async (bus: ReturnType<typeof makeEventBus>, after: string) =>
    (await come(bus, p, after)).hello()

  it('is none to go on from: neither the last one before messages were missed, nor before a server began', async () => {
    const gaps: (() => void)[] = []
    const peers = { ...makeNoPeers('e'), onGap: (one: () => void) => void gaps.push(one) }
    const { bus } = makeWorld({ peers })
    expect(await back(bus, 'e-0')).toEqual([{ revision: 'e-0', replayed: true }])
    for (const gap of gaps) gap()
    await bus.idle()
    expect(await back(bus, 'e-0')).toEqual([{ revision: 'e-0', replayed: false }])

    const { bus: next } = makeWorld({ peers: { ...makeNoPeers('e'), position: () => 7 } })
    expect(await back(next, 'e-7')).toEqual([{ revision: 'e-7', replayed: false }])
  })
})

describe('who listens', () => {
  it('to all projects of an account takes nothing from the streams of others', async () => {
    const { bus, vms } = makeWorld()
    bus.reads('project', async () => [])
    vms.set('a', 'running')
    // The server has just started: nobody told it of the members of a project yet.
    const owner = listener(bus, { projectId: 'p', by: { accountId: 'ada', role: 'owner' } })
    const all = listener(bus, { accountId: 'bob', roles: new Map([['p', 'viewer']]) })
    const other = await come(bus, { projectId: 'p', by: { accountId: 'cy', role: 'operator' } })
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    for (const { said } of [owner, all, other]) expect(said()).toEqual([{ id: 'a', status: 'running' }])
    bus.changed('project', 'p', 'p', { roles: { ada: 'owner' }, moved: ['bob', 'cy'] })
    await bus.idle()
    bus.changed('vm', 'p', 'a')
    await bus.idle()
    expect([all.said().length, other.said().length, owner.said().length]).toEqual([1, 1, 3])
  })

  it('and cannot take an event takes nothing from the others', async () => {
    const { bus, vms, failures } = makeWorld()
    vms.set('a', 'running')
    bus.subscribe(p, null, () => {
      throw new Error('the connection broke')
    })
    const { said } = listener(bus, p)
    for (const _ of [1, 2]) {
      bus.changed('vm', 'p', 'a')
      await bus.idle()
    }
    const late = await come(bus, p, 'e-0')
    expect([said().length, late.said().length, failures.length]).toEqual([1, 1, 1])
  })
})
