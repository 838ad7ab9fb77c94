import type { MachineUsage } from '../engine.ts'
import { processorTime } from './cpu-usage.ts'
import { residentMb } from './process.ts'
import { isRecord, type Qmp } from './qmp.ts'

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

/** What living guests have used, by machine; one that cannot be measured now is left out. */
export async function usageOf(
  guests: ReadonlyMap<string, Measured>,
  what: 'processors' | 'everything',
  ticksPerSecond: number,
): Promise<Map<string, MachineUsage>> {
  const all = await Promise.all(
    [...guests].map(async ([machineId, guest]) => {
      const cpuMs = await processorTime(guest, ticksPerSecond)
      if (cpuMs === null) return null
      const rest =
        what === 'everything' ? await measure(guest) : { memoryMb: null, disk: null, network: null }
      return [machineId, { run: guest.run.run, cpuMs, ...rest }] as const
    }),
  )
  return new Map(all.filter((one) => one !== null))
}

async function measure({
  qmp,
  pid,
  agent,
  isReady,
}: Measured): Promise<Pick<MachineUsage, 'memoryMb' | 'disk' | 'network'>> {
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
  const total = Number(told['stat-total-memory'])
  const available = Number(told['stat-available-memory'])
  // What is not known is -1, or as a count without a sign the largest there is.
  const known = total > 0 && available >= 0 && total < 2 ** 60 && available <= total
  return known ? Math.round((total - available) / MIB) : null
}

/** Bytes that all disks of the guest have moved; null when there is no answer. QMP reference, "query-blockstats". */
export function bytesIn(answer: unknown): { read: number; written: number } | null {
  if (!Array.isArray(answer)) return null
  const stats = answer
    .filter(isRecord)
    .map((one) => one.stats)
    .filter(isRecord)
  const sum = (name: string) => stats.reduce((total, each) => total + (Number(each[name]) || 0), 0)
  return { read: sum('rd_bytes'), written: sum('wr_bytes') }
}
