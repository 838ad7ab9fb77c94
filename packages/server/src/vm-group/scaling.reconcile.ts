/** Measures what the members of groups do, and lets the autoscaler decide about pools. */
import type { ScalingPolicy } from '@slipway/contract'
import type { Engine, MachineUsage } from '../engine/engine.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { autoscale } from './autoscaler.ts'
import type { LoadBook } from './load.ts'
import type { VmGroupRepo } from './vm-group.repo.ts'
import type { GroupRecord } from './vm-group.state.ts'

export interface ScalingOptions {
  repo: VmGroupRepo
  engine: Pick<Engine, 'usage'>
  load: LoadBook
  policy: ScalingPolicy
  /** Throws a `Problem` when a limit leaves no room; in the transaction that stores the size. */
  requireRoom: NonNullable<Parameters<VmGroupRepo['change']>[3]>
  announce: (group: GroupRecord) => Promise<void>
  /** Asks the reconciler to look at a group soon. */
  kick: (groupId: string) => void
  /** Every server measures, so that each can show it; the one that drives sets sizes, under its lease. */
  drives: () => boolean
  underLease: <T>(act: () => T) => T
  clock: Clock
  log: Log
}

/** How long measuring may take: without a limit, one guest that does not answer would end scaling for all. */
const measuringLimitMs = 30_000

type Reading = MachineUsage & { at: number }

export function makeScaling(options: ScalingOptions) {
  const { repo, engine, load, policy, requireRoom, announce, kick, drives, underLease, clock, log } = options
  let readings = new Map<string, Reading>()
  let cancel: (() => void) | null = null
  let stopped = false
  let working: Promise<void> = Promise.resolve()

  /** Whether there is anything to measure. */
  async function tick(): Promise<boolean> {
    const [groups, running, counts] = await Promise.all([repo.all(), repo.running(), repo.counts()])
    load.keep(new Set(groups.map(({ id }) => id)))
    if (groups.length === 0) return false
    const usage = await withDeadline(engine.usage('processors'), measuringLimitMs, 'Measuring VMs', clock)
    const now = clock.now()
    const before = readings
    readings = new Map([...usage].map(([id, one]) => [id, { ...one, at: now }]))
    const byGroup = Map.groupBy(running, ({ groupId }) => groupId)
    for (const group of groups) {
      const cpu = meanOf(byGroup.get(group.id) ?? [], before)
      const { existing = 0, held = 0 } = counts.get(group.id) ?? {}
      load.add(group.id, { at: now, cpu, current: existing, desired: group.facts.desired })
      if (group.kind === 'pool') await decide(group, held, now)
    }
    return true
  }

  /** Mean CPU use of those who run, from 0 to 100; null when there is nobody to ask, or somebody gave no figure. */
  function meanOf(
    running: readonly { id: string; cpu: number }[],
    before: Map<string, Reading>,
  ): number | null {
    const shares: number[] = []
    for (const { id, cpu } of running) {
      const now = readings.get(id)
      if (!now) return null
      const then = before.get(id)
      // One that has just come up has no past to compare with.
      if (!then || then.run !== now.run || now.at <= then.at) continue
      shares.push(Math.min(100, (Math.max(0, now.cpuMs - then.cpuMs) / (now.at - then.at) / cpu) * 100))
    }
    if (shares.length === 0) return null
    return shares.reduce((sum, share) => sum + share, 0) / shares.length
  }

  async function decide(group: GroupRecord, held: number, now: number): Promise<void> {
    if (!group.autoScaling) return load.setVerdict(group.id, null)
    if (group.status !== 'active') {
      return load.setVerdict(group.id, 'The pool has not reached its desired size yet, so it is not scaled.')
    }
    const pool = {
      min: group.minSize,
      desired: group.facts.desired,
      max: group.maxSize,
      held,
      sizedAt: group.sizedAt,
    }
    const verdict = autoscale(policy, pool, load.of(group.id), now)
    load.setVerdict(group.id, verdict.why)
    if (verdict.do === 'hold' || !drives()) return
    const resize: Parameters<typeof repo.change>[2] = (current) => {
      const same =
        current.facts.desired === pool.desired && current.autoScaling && current.status === 'active'
      const allowed = verdict.to >= current.minSize && verdict.to <= current.maxSize
      if (!same || !allowed) return null
      return {
        set: {
          desired_size: verdict.to,
          sized_at: isoTime(now),
          status: 'coming',
          status_since: isoTime(now),
          status_message: null,
        },
        events: [{ kind: 'scaled', message: verdict.why, from_size: pool.desired, to_size: verdict.to }],
      }
    }
    const changed = await underLease(() => repo.change(group.id, now, resize, requireRoom)).catch(
      (error: unknown) => {
        if (!(error instanceof Problem)) throw error
        // Tried again with the next measurement: what is used changes without the pool.
        load.setVerdict(group.id, error.message)
        return null
      },
    )
    if (!changed) return
    kick(group.id)
    await announce(changed)
  }

  /** Measures regularly for as long as there are groups. */
  function wake(): void {
    if (stopped || cancel) return
    cancel = clock.after(policy.sample_every_s * 1000, () => {
      working = tick()
        .catch((error: unknown) => {
          log.error({ err: error }, 'groups could not be measured')
          return true
        })
        .then((more) => {
          cancel = null
          if (more) wake()
        })
    })
  }

  return {
    /** There may be a group now. */
    wake,
    /** Resolves when the measurement under way has ended; for tests. */
    idle: () => working,
    async stop() {
      stopped = true
      cancel?.()
      await working
    },
  }
}
