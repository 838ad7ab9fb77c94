import { systemClock } from '../../lib/clock.ts'
import { withDeadline } from '../../lib/deadline.ts'
import type { MachineUsage } from '../engine.ts'
import { processorTime } from './cpu-usage.ts'
import { countOf, isRecord, sumOf } from './lines.ts'
import { residentMb } from './process.ts'
import type { Qmp } from './qmp.ts'

/** How often the guest's kernel is asked how much memory it uses, in seconds. */
const BALLOON_EVERY_S = 10
const BALLOON = '/machine/peripheral/balloon0'
const MIB = 1024 * 1024

/** Makes a guest tell of its memory regularly. QEMU manual, "virtio balloon memory statistics". */
export async function followMemory(qmp: Qmp): Promise<void> {
  const property = { path: BALLOON, property: 'guest-stats-polling-interval', value: BALLOON_EVERY_S }
  await qmp.execute('qom-set', property)
}

/** The part of a living guest that is measured. */
interface Measured {
  pid: number
  run: { run: string }
  /** The threads that run its processors. */
  processors: readonly number[]
  qmp: Qmp
  agent: { traffic: () => Promise<MachineUsage['network']> }
  isReady: () => boolean
}

type Figures = Pick<MachineUsage, 'memoryMb' | 'disk' | 'network'>

/** A guest that answers at all does so in a few milliseconds; one that does not must not keep others waiting. */
const LATE_MS = 2000

/** Measures guests, each on its own: one that hangs is measured from outside, and delays nobody. */
export function makeUsage(deps: {
  guests: () => ReadonlyMap<string, Measured>
  ticksPerSecond: () => number
  /** Packets beyond the share of a guest, by machine. */
  refused: () => Promise<ReadonlyMap<string, number>>
}) {
  /** Questions that have not been answered; nobody is asked twice at a time. */
  const asking = new WeakMap<Measured, Promise<Figures>>()

  async function figuresOf(guest: Measured): Promise<Figures> {
    const fromOutside = async () => ({
      memoryMb: Math.round(await residentMb(guest.pid)),
      disk: null,
      network: null,
    })
    if (asking.has(guest)) return fromOutside()
    const answer = measure(guest).finally(() => asking.delete(guest))
    asking.set(guest, answer)
    return withDeadline(answer, LATE_MS, 'Measuring a guest', systemClock).catch(fromOutside)
  }

  /** What living guests have used, by machine; one that cannot be measured now is left out. */
  return async (what: 'processors' | 'everything'): Promise<Map<string, MachineUsage>> => {
    const refused = what === 'everything' ? await deps.refused() : null
    const all = await Promise.all(
      [...deps.guests()].map(async ([machineId, guest]) => {
        const cpuMs = await processorTime(guest, deps.ticksPerSecond())
        if (cpuMs === null) return null
        const figures =
          what === 'everything' ? await figuresOf(guest) : { memoryMb: null, disk: null, network: null }
        const beyond = refused && { refusedPackets: refused.get(machineId) ?? 0 }
        return [machineId, { run: guest.run.run, cpuMs, ...figures, ...beyond }] as const
      }),
    )
    return new Map(all.filter((one) => one !== null))
  }
}

async function measure({ qmp, pid, agent, isReady }: Measured): Promise<Figures> {
  const ask = (command: string, args?: Record<string, unknown>) =>
    qmp.execute(command, args).catch(() => null)
  const [memory, blocks, network] = await Promise.all([
    ask('qom-get', { path: BALLOON, property: 'guest-stats' }),
    ask('query-blockstats'),
    isReady() ? agent.traffic() : null,
  ])
  return { memoryMb: usedMb(memory) ?? Math.round(await residentMb(pid)), disk: bytesIn(blocks), network }
}

/** Memory the guest could not give to a new program; null until it told. Its kernel's "MemTotal - MemAvailable". */
export function usedMb(stats: unknown): number | null {
  const { stats: told } = isRecord(stats) ? stats : {}
  if (!isRecord(told)) return null
  // What is not known is -1, or as a count without a sign the largest there is; a guest may tell anything.
  const total = countOf(told['stat-total-memory'])
  const available = countOf(told['stat-available-memory'])
  if (total === null || available === null || total === 0 || available > total) return null
  return Math.round((total - available) / MIB)
}

/** Bytes that all disks of the guest have moved; null when there is no sound answer. QMP reference, "query-blockstats". */
export function bytesIn(answer: unknown): { read: number; written: number } | null {
  if (!Array.isArray(answer)) return null
  const stats = answer
    .filter(isRecord)
    .map((one) => one.stats)
    .filter(isRecord)
  const read = sumOf(stats.map((one) => one.rd_bytes))
  const written = sumOf(stats.map((one) => one.wr_bytes))
  return read === null || written === null ? null : { read, written }
}
