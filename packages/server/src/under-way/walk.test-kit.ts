/**
 * Many VMs at once on the simulated engine, each with a change under way that is stopped at a point of its own: after a
 * call of the engine, or before a transaction of its reconciler. There the second change is requested.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import type { LongChange } from '@slipway/contract'
import { rhythm } from '../app/base.ts'
import { makeTestAppOver, newPublicKey } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'
import type { Engine, Work } from '../engine/engine.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import type { Clock } from '../lib/clock.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { newId } from '../lib/id.ts'
import { jobPlaces } from '../lib/jobs.ts'

/** What a VM is when the first change is requested. */
export type Base = 'running' | 'stopped' | 'suspended' | 'bare' | 'binned'

export interface Case {
  vmId: string
  /** Attached to the VM, unless it is `bare` or `binned`. */
  diskId: string
  /** On no VM. */
  freeId: string
  snapshotId: string
  /** How often it came by a point so far. */
  points: number
  /** Called at each point; the call of the engine, or the transaction, goes on when it resolves. */
  at: ((point: number, where: Where) => Promise<void>) | null
}

/** A call of the engine has ended and its outcome is not known yet, is in the middle, or something is about to be stored. */
export type Where = 'after a call' | 'during a call' | 'before a store'

export interface Answer {
  status: number
  body: { message?: string; id?: string } | { id: string }[] | undefined
}

/** The calls that tell of a case by an id of it, and not of the whole host. */
const ofOne = [
  ...['createMachine', 'copyMachine', 'startMachine', 'suspendMachine', 'changeKeys', 'growMachine'],
  ...['powerDown', 'powerOff', 'deleteMachine', 'inspect', 'createVolume', 'growVolume', 'growRoot'],
  ...['deleteVolume', 'inspectVolume', 'attachVolume', 'detachVolume', 'createMachineSnapshot'],
  ...['prepareRestore', 'switchDisks', 'dropRestore', 'deleteMachineSnapshot', 'createVolumeSnapshot'],
  ...['deleteVolumeSnapshot', 'inspectSnapshot'],
] as const

/** Enough for a request to be stored; nobody waits for the answer of one that waits itself. */
export async function breathe(turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate()
}

const never = new Promise<never>(() => {})

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld() {
  const handClock = makeHandClock()
  const simulated = makeSimulatedEngine({ clock: handClock, hostMemoryMb: 64 * 1024 * 1024 })
  await simulated.open()
  /** Raised when a server is killed: what was begun before does nothing any more. */
  let generation = 0
  const underWay = new Set<AbortController>()
  const caseOf = new Map<string, Case>()
  const looked = new AsyncLocalStorage<Case | null>()

  const clock: Clock = {
    ...handClock,
    after(ms, run) {
      const own = generation
      return handClock.after(ms, () => {
        if (own === generation) run()
      })
    },
  }

  const found = (args: readonly unknown[]): Case | undefined => {
    const ids = args.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one).flat() : [one],
    )
    return ids.flatMap((id) => (typeof id === 'string' ? (caseOf.get(id) ?? []) : []))[0]
  }

  async function pass(one: Case | null | undefined, where: Where): Promise<void> {
    if (one) await looked.exit(() => one.at?.(one.points++, where))
  }

  function gated(name: (typeof ofOne)[number]) {
    // Each takes what the port says; here it only matters whose they are.
    const call = simulated[name as 'inspect'] as (...args: unknown[]) => Promise<unknown>
    return (...args: unknown[]): Promise<unknown> => {
      const one = found(args)
      if (one && name.startsWith('inspect')) looked.enterWith(one)
      return through(call, args, one)
    }
  }

  /** Long work that ends with its server, and has a point in its middle. */
  function watched({ signal, onProgress }: Work, end: AbortSignal, one: Case | undefined): Work {
    let isInMiddle = false
    return {
      signal: AbortSignal.any([signal, end]),
      onProgress(fraction) {
        onProgress(fraction)
        if (isInMiddle || (fraction ?? 0) < 0.4) return
        isInMiddle = true
        void pass(one, 'during a call')
      },
    }
  }

  async function through(
    call: (...args: unknown[]) => Promise<unknown>,
    args: unknown[],
    one: Case | undefined,
  ): Promise<unknown> {
    const own = generation
    const end = new AbortController()
    underWay.add(end)
    const work = args.at(-1)
    const isWork = typeof work === 'object' && work !== null && 'signal' in work && 'onProgress' in work
    const given = isWork ? [...args.slice(0, -1), watched(work as Work, end.signal, one)] : args
    try {
      return await call(...given)
    } finally {
      underWay.delete(end)
      if (own !== generation) await never
      await pass(one, 'after a call')
      if (own !== generation) await never
    }
  }

  const engine = {
    ...simulated,
    ...Object.fromEntries(ofOne.map((name) => [name, gated(name)])),
    onChange(listener: (machineId: string) => void) {
      const own = generation
      return simulated.onChange((id) => {
        if (own === generation) listener(id)
      })
    },
  } as Engine & typeof simulated

  const before = { rhythm: { ...rhythm }, copy: { ...jobPlaces.copy }, plug: { ...jobPlaces.plug } }
  // Thousands of VMs do not wait for each other: each case is about one of them.
  Object.assign(rhythm, { parallel: 100_000 })
  Object.assign(jobPlaces.copy, { inAll: 1_000, ofOneKey: 1_000 })
  Object.assign(jobPlaces.plug, { inAll: 1_000, ofOneKey: 1_000 })

  const app = await makeTestAppOver(
    { clock, engine, passTime: () => handClock.advance(60_000) },
    { startsAtOnce: 100_000, callsPerAccount: 250 },
  )
  const begin = app.db.transaction.bind(app.db)
  app.db.transaction = () => {
    const builder = begin()
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      const own = generation
      await pass(looked.getStore(), 'before a store')
      return own === generation ? execute(work) : never
    }
    return builder
  }
  // Nobody listens: each event would tell of everything that thousands of VMs do.
  const desk = await openDeskAt({ ...app, subscribe: () => () => {} }, (ms) => handClock.advance(ms))
  const { projectId } = desk.params
  const otherKey = await desk.ada.raw('POST', '/api/user/ssh-keys', {
    key_name: 'other',
    ssh_public_key: newPublicKey(),
  })
  const otherKeyId = (otherKey.body as { id: string }).id

  /** A VM of each kind, made by the API: the others are copies of its rows. */
  async function template(base: Base) {
    const disk = await desk.readyDisk({ name: `disk of ${base}` })
    const freeId = await desk.readyDisk({ name: `free beside ${base}` })
    const isBare = base === 'bare' || base === 'binned'
    const vmId = await desk.runningVm(base, isBare ? {} : { disks: [{ disk_id: disk }] })
    const snapshotId = await desk.readyVmSnapshot(vmId, { snapshot_type: 'disk' })
    if (base === 'stopped') await desk.act('stop', vmId)
    if (base === 'suspended') await desk.act('suspend', vmId)
    await desk.pass()
    const { db } = app
    const diskRow = (id: string) =>
      db.selectFrom('disk').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    return {
      vm: await db.selectFrom('vm').selectAll().where('id', '=', vmId).executeTakeFirstOrThrow(),
      disk: await diskRow(disk),
      free: await diskRow(freeId),
      snapshot: await db
        .selectFrom('vm_snapshot')
        .selectAll()
        .where('id', '=', snapshotId)
        .executeTakeFirstOrThrow(),
      isBare,
    }
  }
  const templates = new Map<Base, Awaited<ReturnType<typeof template>>>()

  async function makeOne(base: Base): Promise<Case> {
    const like = templates.get(base)
    if (!like) throw new Error(`There is no template of a ${base} VM`)
    const ids = { vmId: newId(), diskId: newId(), freeId: newId(), snapshotId: newId() }
    const { vmId, diskId, freeId, snapshotId } = ids
    const work = { signal: new AbortController().signal, onProgress: () => {} }
    const blank = { projectId, source: { from: 'nothing' as const }, sizeBytes: 2 ** 30 }
    await simulated.createVolume({ ...blank, id: diskId }, work)
    await simulated.createVolume({ ...blank, id: freeId }, work)
    const volumeIds = like.isBare ? [] : [diskId]
    const vm = { ...like.vm, id: vmId, name: `${base} ${vmId}` }
    await simulated.createMachine({
      id: vmId,
      projectId,
      hostname: base,
      cpu: vm.cpu,
      memoryMb: vm.memory_mb,
      imageId: vm.image_id,
      sshPublicKeys: [vm.ssh_public_key],
      volumeIds,
      persistent: true,
    })
    simulated.poke({ machineId: vmId }, 'then')
    simulated.poke({ volumeId: diskId }, 'then')
    await simulated.createMachineSnapshot(snapshotId, { machineId: vmId, volumeIds, memory: false }, work)
    simulated.poke({ machineId: vmId }, 'now')
    simulated.poke({ volumeId: diskId }, 'now')
    simulated.poke({ volumeId: freeId }, 'now')
    await simulated.startMachine(vmId, { freshRoot: false, volumeIds })
    simulated.poke({ memoryOf: vmId }, 'now')
    if (base === 'stopped') await simulated.powerOff(vmId)
    if (base === 'suspended') await simulated.suspendMachine(vmId, work)
    const state = await simulated.inspect(vmId)
    const judged_run = base === 'stopped' && 'run' in state ? state.run : null
    const held = JSON.stringify(
      (JSON.parse(like.snapshot.disks) as { disk_id: string }[]).map((disk) => ({
        ...disk,
        disk_id: diskId,
      })),
    )
    await app.db
      .insertInto('vm')
      .values({ ...vm, judged_run })
      .execute()
    await app.db
      .insertInto('disk')
      .values([
        { ...like.disk, id: diskId, name: `disk ${diskId}`, vm_id: like.isBare ? null : vmId },
        { ...like.free, id: freeId, name: `free ${freeId}` },
      ])
      .execute()
    await app.db
      .insertInto('vm_snapshot')
      .values({ ...like.snapshot, id: snapshotId, vm_id: vmId, name: `then of ${vmId}`, disks: held })
      .execute()
    const made: Case = { ...ids, points: 0, at: null }
    for (const id of Object.values(ids)) caseOf.set(id, made)
    return made
  }

  const url = (path: string) => `/api/projects/${projectId}/${path}`
  const { ada } = desk
  let names = 0

  /** Requests a change of a case, of the disk that is named where it is one of a disk. */
  async function request(one: Case, change: LongChange, diskId: string): Promise<Answer> {
    const name = `n${++names}`
    const vm = url(`vms/${one.vmId}`)
    const asked: Record<Exclude<LongChange, 'replace' | 'backup'>, () => Promise<unknown>> = {
      start: () => ada.raw('POST', `${vm}/start`),
      resume: () => ada.raw('POST', `${vm}/start`),
      stop: () => ada.raw('POST', `${vm}/stop`),
      forceStop: () => ada.raw('POST', `${vm}/stop`, { force: true }),
      restart: () => ada.raw('POST', `${vm}/restart`),
      suspend: () => ada.raw('POST', `${vm}/suspend`),
      vmSnapshot: () => desk.snapshotVm(one.vmId, { name, snapshot_type: 'full' }),
      fork: () => ada.raw('POST', `${vm}/fork`, { name, count: 1 }),
      restore: () => desk.restore(one.snapshotId, one.vmId),
      resize: () => ada.raw('PUT', vm, { cpu: 3 }),
      growRoot: () => ada.raw('PUT', vm, { root_disk_gb: 20 }),
      changeKey: () => ada.raw('PUT', vm, { ssh_key_id: otherKeyId }),
      binVm: () => ada.raw('DELETE', vm),
      deleteVm: () => ada.raw('DELETE', `${vm}?for_good=true`),
      undoVm: () => ada.raw('POST', url(`bin/${one.vmId}/restore`)),
      diskSnapshot: () => desk.snapshotDisk(diskId, { name }),
      attach: () => desk.attach(diskId, one.vmId),
      detach: () => ada.raw('POST', url(`disks/${diskId}/detach`)),
      growDisk: () => desk.changeDisk(diskId, { size: '2Gi' }),
      deleteDisk: () => desk.deleteDisk(diskId),
      undoDisk: () => ada.raw('POST', url(`bin/${diskId}/restore`)),
    }
    const how = asked[change as keyof typeof asked]
    if (!how) throw new Error(`${change} is no request of a user`)
    // Each answers with a status and a body.
    const answer = (await how()) as Answer
    const made = [answer.body ?? []].flat().flatMap((body) => ('id' in body && body.id ? body.id : []))
    if (answer.status < 300) for (const id of made) if (!caseOf.has(id)) caseOf.set(id, one)
    return answer
  }

  return {
    app,
    desk,
    engine: simulated,
    clock: handClock,
    request,
    advance: (ms: number) => handClock.advance(ms),
    /** Does something whose first transaction begins when a moment has come. */
    hold: <T>(until: Promise<void>, act: () => Promise<T>): Promise<T> =>
      looked.run({ vmId: '', diskId: '', freeId: '', snapshotId: '', points: 0, at: () => until }, act),
    /** Requests the end of the restore of a VM, while that copies. */
    cancel: ({ vmId }: Case): Promise<Answer> =>
      ada.raw('POST', url(`operations/${vmId}/cancel`)) as Promise<Answer>,
    /** Whose a VM, disk or snapshot is. */
    caseOf: (id: string) => caseOf.get(id),

    /** So many VMs of a kind, with all they have, settled. */
    async make(base: Base, count: number): Promise<Case[]> {
      if (!templates.has(base)) templates.set(base, await template(base))
      const made = Promise.all(Array.from({ length: count }, () => makeOne(base)))
      await handClock.advance(10_000)
      const cases = await made
      await handClock.advance(40_000)
      if (base === 'binned') {
        for (const { vmId } of cases) await ada.raw('DELETE', url(`vms/${vmId}`))
        await handClock.advance(20_000)
      }
      return cases
    },

    /** The server is gone at once with all that it was doing, and another one takes over. */
    async kill(): Promise<void> {
      generation++
      for (const end of underWay) end.abort()
      underWay.clear()
      for (const one of caseOf.values()) one.at = null
      await app.startAnew()
    },

    async close(): Promise<void> {
      Object.assign(rhythm, before.rhythm)
      Object.assign(jobPlaces.copy, before.copy)
      Object.assign(jobPlaces.plug, before.plug)
      await app.close()
    },
  }
}
