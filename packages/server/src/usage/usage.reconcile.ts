/** Measures what living guests use: every ten seconds into the book, every five minutes their mean into the database. */
import type { Engine, MachineUsage } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { everyMs, keptMs, meanOf, type Owner, spanMs, type UsageBook, type Used } from './usage.book.ts'
import type { UsageRepo } from './usage.repo.ts'

/** What was read of a machine at one look, and what it had used since the one before. */
export type Reading = MachineUsage & { at: number; used: Used | null }

export interface UsageSamplerOptions {
  repo: UsageRepo
  book: UsageBook
  engine: Pick<Engine, 'usage'>
  clock: Clock
  log: Log
}

export function makeUsageSampler({ repo, book, engine, clock, log }: UsageSamplerOptions) {
  let readings = new Map<string, Reading>()
  let living: Owner[] = []
  /** What was used in the present span. */
  let span = new Map<string, { owner: Owner; used: Used[] }>()
  let spanEnds = clock.now() + spanMs
  let cancel: (() => void) | null = null
  let stopped = false
  let working: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const [owners, usage] = await Promise.all([repo.living(), engine.usage('everything')])
    const now = clock.now()
    const before = readings
    readings = new Map([...usage].map(([id, one]) => [id, { ...one, at: now, used: null }]))
    living = owners
    const all = owners.flatMap((owner) => {
      const reading = readings.get(owner.vmId)
      if (!reading) return []
      reading.used = usedSince(before.get(owner.vmId), reading, owner.processors)
      return reading.used ? [[owner, reading.used] as const] : []
    })
    book.add(now, all)
    for (const [owner, used] of all) {
      const kept = span.get(owner.vmId) ?? { owner, used: [] }
      span.set(owner.vmId, kept)
      kept.owner = owner
      kept.used.push(used)
    }
    if (now >= spanEnds) await closeSpan(now)
  }

  async function closeSpan(now: number): Promise<void> {
    const ended = [...span.values()].map(({ owner, used }) => [owner, meanOf(used)] as const)
    span = new Map()
    spanEnds = now + spanMs
    if (ended.length > 0) await repo.insert(now, ended)
    await repo.forgetBefore(now - keptMs)
  }

  function next(): void {
    if (stopped) return
    cancel = clock.after(everyMs, () => {
      working = look()
        .catch((error: unknown) => log.error({ err: error }, 'VMs could not be measured'))
        .then(next)
    })
  }

  return {
    start: next,
    /** The VMs that ran at the last look. */
    living: (): readonly Owner[] => living,
    /** What was read at the last look, counted from the beginning of each run. */
    readings: (): ReadonlyMap<string, Reading> => readings,
    /** Resolves when the look under way has ended; for tests. */
    idle: () => working,
    async stop() {
      stopped = true
      cancel?.()
      await working
    },
  }
}

/** Bytes a second between two counts. */
const rate = (ms: number, from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : (Math.max(0, to - from) / ms) * 1000

/**
 * What was used between two readings; null when they are not of one run. A guest is asked for its network more
 * rarely: until it has told again, what it last told goes on.
 */
export function usedSince(before: Reading | undefined, now: Reading, processors: number): Used | null {
  if (!before || before.run !== now.run || now.at <= before.at) return null
  const ms = now.at - before.at
  const [then, told] = [before.network, now.network]
  const netMs = told && then ? told.at - then.at : 0
  return {
    cpu: Math.min(100, (Math.max(0, now.cpuMs - before.cpuMs) / ms / processors) * 100),
    memoryMb: now.memoryMb,
    diskRead: rate(ms, before.disk?.read, now.disk?.read),
    diskWrite: rate(ms, before.disk?.written, now.disk?.written),
    netIn: netMs > 0 ? rate(netMs, then?.received, told?.received) : told && (before.used?.netIn ?? null),
    netOut: netMs > 0 ? rate(netMs, then?.sent, told?.sent) : told && (before.used?.netOut ?? null),
  }
}
