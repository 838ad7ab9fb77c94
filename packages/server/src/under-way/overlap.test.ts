// @module-tag full
// @module-tag long
/**
 * Every pair of long changes, at every point of the first: the API answers what the table of the contract says, and once
 * everything has settled nothing is stuck, lost, doubled or left over.
 */
import {
  allowedByStatus,
  diskCan,
  type LongChange,
  longChanges,
  mayBegin,
  missing,
  type UnderWay,
} from '@slipway/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { onPostgres } from '../db/database.test-kit.ts'
import { leftovers, wrongIn } from './settled.test-kit.ts'
import { underWayOfDisk, underWayOfVm } from './under-way.conditions.ts'
import { type Answer, type Base, breathe, type Case, openWorld, type World } from './walk.test-kit.ts'

/** Long enough for everything that the engine does, and for every deadline of a stop. */
const settledMs = 90_000

/** The first change of a pair: what it begins from, and which disk it is about. */
const firsts: { change: LongChange; base: Base; of?: 'disk' | 'free' }[] = [
  { change: 'start', base: 'stopped' },
  { change: 'resume', base: 'suspended' },
  { change: 'stop', base: 'running' },
  { change: 'stop', base: 'suspended' },
  { change: 'forceStop', base: 'running' },
  { change: 'restart', base: 'running' },
  { change: 'suspend', base: 'running' },
  { change: 'vmSnapshot', base: 'running' },
  { change: 'vmSnapshot', base: 'stopped' },
  { change: 'fork', base: 'running' },
  { change: 'fork', base: 'stopped' },
  { change: 'restore', base: 'running' },
  { change: 'restore', base: 'stopped' },
  { change: 'resize', base: 'running' },
  { change: 'growRoot', base: 'running' },
  { change: 'changeKey', base: 'running' },
  { change: 'binVm', base: 'bare' },
  { change: 'binVm', base: 'running' },
  { change: 'deleteVm', base: 'running' },
  { change: 'undoVm', base: 'binned' },
  { change: 'diskSnapshot', base: 'running' },
  { change: 'diskSnapshot', base: 'stopped' },
  { change: 'attach', base: 'running', of: 'free' },
  { change: 'attach', base: 'stopped', of: 'free' },
  { change: 'detach', base: 'running' },
  { change: 'detach', base: 'stopped' },
  { change: 'growDisk', base: 'running' },
  { change: 'deleteDisk', base: 'running', of: 'free' },
]

/** A program asks for one, and the engine does the other without a request. */
const seconds = (Object.keys(longChanges) as LongChange[]).filter(
  (change) => change !== 'replace' && change !== 'backup',
)

const ofDisks: readonly LongChange[] = [
  'diskSnapshot',
  'attach',
  'detach',
  'growDisk',
  'deleteDisk',
  'undoDisk',
]

/** The disk that a second change is about: that of the first, where that is about one. */
function diskOf(one: Case, { change, of = 'disk' }: First, second: LongChange): string {
  if (ofDisks.includes(change)) return of === 'free' ? one.freeId : one.diskId
  return second === 'attach' || second === 'deleteDisk' ? one.freeId : one.diskId
}

const ruleOfDisk: Partial<Record<LongChange, (disk: Parameters<typeof diskCan.attach>[0]) => true | string>> =
  {
    diskSnapshot: diskCan.snapshot,
    attach: diskCan.attach,
    detach: diskCan.detach,
    growDisk: diskCan.grow,
    deleteDisk: diskCan.delete,
  }

/** What the contract says of a second change now: `true`, or the sentence it is refused with. */
async function expected(
  { app }: Pick<World, 'app'>,
  one: Case,
  second: LongChange,
  diskId: string,
): Promise<true | string> {
  const vm = await app.db.selectFrom('vm').selectAll().where('id', '=', one.vmId).executeTakeFirst()
  const disk = await app.db.selectFrom('disk').selectAll().where('id', '=', diskId).executeTakeFirst()
  const gone: UnderWay | null = !vm
    ? 'deleteVm'
    : vm.wanted_deleted === 0
      ? null
      : vm.bin_id
        ? 'binVm'
        : 'deleteVm'
  if (second === 'undoVm') return gone === 'binVm' || missing.binItemNotFound
  if (second === 'undoDisk') return disk?.bin_id === diskId || missing.binItemNotFound
  if (!ofDisks.includes(second))
    return gone
      ? mayBegin(second, [gone])
      : (allowedByStatus[second]?.({ status: vm?.status ?? '' }) ?? true) === true
        ? mayBegin(second, await underWayOfVm(app.db, one.vmId))
        : (allowedByStatus[second]?.({ status: vm?.status ?? '' }) ?? true)
  if (!disk || disk.status === 'deleting') return mayBegin(second, ['deleteDisk'])
  if (second === 'attach' && gone) return mayBegin(second, [gone])
  const own = ruleOfDisk[second]?.(disk) ?? true
  if (own !== true) return own
  const isAbout = second === 'attach' || (disk.vm_id === one.vmId && gone === null)
  const byStatus = isAbout ? (allowedByStatus[second]?.({ status: vm?.status ?? '' }) ?? true) : true
  if (byStatus !== true) return byStatus
  return mayBegin(second, await underWayOfDisk(app.db, diskId, isAbout ? one.vmId : disk.vm_id))
}

/** What tells one point from the one before. */
async function signatureOf({ app, engine }: World, one: Case): Promise<string> {
  const vm = await app.db.selectFrom('vm').selectAll().where('id', '=', one.vmId).executeTakeFirst()
  const disks = await app.db
    .selectFrom('disk')
    .selectAll()
    .where('id', 'in', [one.diskId, one.freeId])
    .orderBy('id')
    .execute()
  const vmSnapshots = await app.db
    .selectFrom('vm_snapshot')
    .select(['id', 'status'])
    .where('vm_id', '=', one.vmId)
    .execute()
  const diskSnapshots = await app.db
    .selectFrom('disk_snapshot')
    .select(['id', 'status'])
    .where('disk_id', '=', one.diskId)
    .execute()
  const { version: _, steps: __, status_message: ___, ...facts } = vm ?? {}
  const machine = await engine.inspect(one.vmId)
  const has = machine.power === 'absent' ? [] : engine.volumesOf(one.vmId)
  return JSON.stringify([
    facts,
    disks,
    vmSnapshots,
    diskSnapshots,
    machine,
    has,
    engine.hasPrepared(one.vmId),
  ])
}

type First = (typeof firsts)[number]

interface Accepted {
  first: First
  second: LongChange
  point: number
}

const titleOf = ({ first, second, point }: Accepted) =>
  `${first.change} of a ${first.base} VM, ${second} at point ${point}`

const figures = { points: 0, refused: 0, killed: 0 }

/** So many VMs one server has at once here. */
const atOnce = 300

/** Fires every second change that is to be refused at every point of a first one; says which are to be accepted. */
async function scout(world: World, first: First, one: Case, wrong: string[]): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  let last = ''
  one.points = 0
  one.at = async (point, where) => {
    const signature = `${where === 'after a call' ? '' : where}${await signatureOf(world, one)}`
    if (signature === last) return
    last = signature
    figures.points++
    for (const second of seconds) {
      const diskId = diskOf(one, first, second)
      const verdict = await expected(world, one, second, diskId)
      if (verdict === true) {
        accepted.push({ first, second, point })
        continue
      }
      figures.refused++
      const { status, body } = await world.request(one, second, diskId)
      const said = body && 'message' in body ? body.message : undefined
      if (status < 400 || said !== verdict)
        wrong.push(`${titleOf({ first, second, point })}: ${status} ${said}, not ${verdict}`)
    }
  }
  const answer = await world.request(one, first.change, diskOf(one, first, first.change))
  if (answer.status >= 300) wrong.push(`${first.change} of a ${first.base} VM: ${answer.status}`)
  return accepted
}

/** Requests a second change when the first has come to a point; says when both have been answered. */
async function carryOut(world: World, { first, second, point }: Accepted, one: Case): Promise<void> {
  one.points = 0
  let answered: Promise<Answer> | null = null
  one.at = async (now) => {
    if (now < point || answered) return
    answered = world.request(one, second, diskOf(one, first, second))
    await Promise.race([answered, breathe()])
  }
  await world.request(one, first.change, diskOf(one, first, first.change))
  await answered
}

async function casesFor(world: World, of: readonly First[]): Promise<Case[]> {
  const made = new Map<Base, Case[]>()
  for (const base of new Set(of.map((one) => one.base)))
    made.set(base, await world.make(base, of.filter((one) => one.base === base).length))
  return of.map(({ base }) => {
    const one = made.get(base)?.pop()
    if (!one) throw new Error(`No ${base} VM is left`)
    return one
  })
}

/** Does something with cases of one world after the other, each with so many; says what is wrong in the end. */
async function inWorlds(
  of: readonly Accepted[],
  act: (world: World, batch: readonly (Accepted & { one: Case })[]) => Promise<void>,
): Promise<string[]> {
  const wrong: string[] = []
  for (let from = 0; from < of.length; from += atOnce) {
    const world = await openWorld()
    const part = of.slice(from, from + atOnce)
    const cases = await casesFor(
      world,
      part.map(({ first }) => first),
    )
    const batch = part.flatMap((accepted, index) => {
      const one = cases[index]
      return one ? { ...accepted, one } : []
    })
    await act(world, batch)
    const named = batch.map((pair) => ({
      title: titleOf(pair),
      one: pair.one,
      isRestored: pair.first.change === 'restore',
    }))
    wrong.push(...(await wrongIn(world, named)), ...(await leftovers(world)))
    await world.close()
  }
  return wrong
}

// Three thousand interleavings take PostgreSQL minutes; writers wait for each other there as they do here.
describe.skipIf(onPostgres)('two long changes of one VM', () => {
  let accepted: Accepted[] = []
  const before = process.cpuUsage()
  afterAll(() => {
    const { user, system } = process.cpuUsage(before)
    const pairs = new Set(firsts.map(({ change }) => change)).size * seconds.length
    const { points, refused, killed } = figures
    const all = `${refused + accepted.length} interleavings (${refused} refused, ${accepted.length} accepted)`
    process.stdout.write(
      `${pairs} pairs, ${points} points, ${all}, ${killed} with a kill between them: ${Math.round((user + system) / 1e6)} s of processor\n`,
    )
  })

  it('answer at every point of the first what the table says, with its sentence', async () => {
    const world = await openWorld()
    const wrong: string[] = []
    const cases = await casesFor(world, firsts)
    const scouts = firsts.flatMap((first, index) => {
      const one = cases[index]
      return one ? scout(world, first, one, wrong) : []
    })
    await world.advance(settledMs)
    accepted = (await Promise.all(scouts)).flat()
    expect(wrong).toEqual([])
    expect(await leftovers(world)).toEqual([])
    await world.close()
  })

  it('leave nothing stuck, lost, doubled or left over, wherever the second comes', async () => {
    const wrong = await inWorlds(accepted, async (world, batch) => {
      const done = Promise.all(batch.map((pair) => carryOut(world, pair, pair.one)))
      await world.advance(settledMs)
      await done
    })
    expect(wrong).toEqual([])
  })

  it('leave nothing either when the server is killed between them', async () => {
    const byPair = Map.groupBy(accepted, ({ first, second }) => `${firsts.indexOf(first)} ${second}`)
    // One point of each pair, another one from pair to pair.
    const some = [...byPair.values()].flatMap((points, index) => points[index % points.length] ?? [])
    figures.killed = some.length
    const wrong = await inWorlds(some, async (world, batch) => {
      for (const { first, point, one } of batch) {
        one.points = 0
        one.at = (now) => (now < point ? Promise.resolve() : new Promise(() => {}))
        void world.request(one, first.change, diskOf(one, first, first.change))
      }
      await world.advance(50_000)
      await world.kill()
      for (const { first, second, one } of batch) void world.request(one, second, diskOf(one, first, second))
      await world.advance(settledMs)
    })
    expect(wrong).toEqual([])
  })
})
