/** What living guests use, from figures that a cluster measures now and then. */
import type { Engine, MachineUsage } from '../engine.ts'
import type { Ground } from './ground.ts'
import { livingInstance } from './lines.ts'
import { type Figures, podSource, prometheusSource, type UsageSource } from './usage-sources.ts'

/** Clusters measure every 15 s or less often; asking more often brings nothing. */
const everyMs = 15_000
/** Figures that are older are not told any more. */
const freshMs = 60_000

/** @param prometheusUrl of a Prometheus that has the figures of KubeVirt; null: the metrics API of the cluster */
export const usageSource = (ground: Ground, prefix: string, prometheusUrl: string | null): UsageSource =>
  prometheusUrl === null ? podSource(ground) : prometheusSource(ground, prefix, prometheusUrl)

/**
 * A cluster tells how much the processors worked on average in its last window, and in steps. The port wants the time
 * they worked since the beginning of a run: each answer goes on from the one before, by the newest average, so that it
 * grows evenly. It begins at nought when a run is asked about for the first time. The cluster is asked only when
 * somebody asks here, all guests in one call, at most every 15 s.
 */
export function makeUsage(ground: Pick<Ground, 'mirror' | 'clock' | 'log'>, source: UsageSource) {
  const { clock, log } = ground
  /** By run. */
  const totals = new Map<string, { cpuMs: number; at: number }>()
  let last: { at: number; figures: ReadonlyMap<string, Figures> } | null = null
  let looked: number | null = null
  let looking: Promise<void> | null = null
  let trouble: string | null = null

  async function look(): Promise<void> {
    looked = clock.monotonic()
    try {
      const figures = await source()
      last = { at: clock.monotonic(), figures }
      trouble = null
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== trouble) log.warn({ err: error }, `What VMs use cannot be measured: ${reason}`)
      trouble = reason
    }
  }

  function lookIfDue(): Promise<void> {
    if (looking) return looking
    if (looked !== null && clock.monotonic() - looked < everyMs) return Promise.resolve()
    const now = look().finally(() => {
      looking = null
    })
    looking = now
    return now
  }

  function usageNow(what: 'processors' | 'everything'): Map<string, MachineUsage> {
    const now = clock.monotonic()
    const answer = new Map<string, MachineUsage>()
    const seen = new Set<string>()
    for (const [id, { processors, ...others }] of last && now - last.at < freshMs ? last.figures : []) {
      const instance = livingInstance(ground, id)
      if (!instance) continue
      const run = instance.uid
      const before = totals.get(run) ?? { cpuMs: 0, at: now }
      const cpuMs = before.cpuMs + processors * (now - before.at)
      totals.set(run, { cpuMs, at: now })
      seen.add(run)
      const rest = what === 'everything' ? others : { memoryMb: null, disk: null, network: null }
      answer.set(id, { run, cpuMs: Math.round(cpuMs), ...rest })
    }
    // A run that is over comes no more; one that is not told of just now is not forgotten.
    if (totals.size > seen.size) forgetOver()
    return answer
  }

  function forgetOver(): void {
    const living = new Set(ground.mirror.instances.all().map(({ uid }) => uid))
    for (const run of totals.keys()) if (!living.has(run)) totals.delete(run)
  }

  return {
    async usage(what) {
      await lookIfDue()
      return usageNow(what)
    },
    /** Why there are no figures, for the operator; null when there are, or nobody asked yet. */
    trouble: () => trouble,
  } satisfies Pick<Engine, 'usage'> & Record<string, unknown>
}
