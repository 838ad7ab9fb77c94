/** What the cluster says of claims that do not get on. It tells so in events, which are asked for when something stands still. */
import { pause } from '../../lib/pause.ts'
import type { Ground } from './ground.ts'
import { type ClusterEvent, kinds } from './kinds.ts'
import type { At } from './kube/objects.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { tooSmallFor } from './volume-state.ts'

/** What has not changed for so long stands still. */
const stillMs = 20_000
const againMs = 30_000
/** So long after the condition that the content does not fit, CDI may be copying the event that says how large it is. */
const sizeLateMs = 10_000
const sizeAgainMs = 500

export function makeClaimWarnings({ client, clock, log }: Pick<Ground, 'client' | 'clock' | 'log'>) {
  /** By what is in memory of a volume, which is another object after each change. */
  const known = new WeakMap<MirroredDataVolume, { askAt: number; warning: string | null }>()

  async function warningsOf({ namespace, name }: Required<At>): Promise<ClusterEvent[]> {
    const fieldSelector = `involvedObject.name=${name}`
    const { items } = await client.list(kinds.events, { namespace, fieldSelector })
    return items.filter(({ type, involvedObject }) => type === 'Warning' && involvedObject?.name === name)
  }

  /** @param of which reasons count */
  async function lastOf(at: Required<At>, of: RegExp): Promise<string | null> {
    const warning = (await warningsOf(at)).findLast(({ reason = '' }) => of.test(reason))
    return warning?.message || null
  }

  /** What is said of a volume as it is now: a warning of before it came so far, or of an earlier try, tells nothing. */
  async function lastSince(volume: MirroredDataVolume): Promise<string | null> {
    const times = (volume.status?.conditions ?? []).map((one) => Date.parse(one.lastTransitionTime ?? ''))
    const since = Math.max(0, ...times.filter(Number.isFinite))
    const warning = (await warningsOf(volume)).findLast((event) => !(timeOf(event) < since))
    return warning?.message || null
  }

  return {
    lastOf,
    lastSince,

    /** How large a disk has to be for its content, which only events tell; null where none does in time. */
    async contentBytes(volume: MirroredDataVolume, signal?: AbortSignal): Promise<number | null> {
      const until = clock.monotonic() + sizeLateMs
      for (;;) {
        const told = (await warningsOf(volume)).map(({ message = '' }) => tooSmallFor(message))
        const bytes = told.findLast((one) => one !== null) ?? null
        if (bytes !== null || clock.monotonic() >= until || signal?.aborted) return bytes
        await pause(clock, sizeAgainMs, signal)
      }
    },

    /** Asks about a volume that stands still, now and then. */
    async look(volume: MirroredDataVolume): Promise<void> {
      const before = known.get(volume)
      if (before && clock.monotonic() < before.askAt) return
      const askAt = clock.monotonic() + (before ? againMs : stillMs)
      known.set(volume, { askAt, warning: before?.warning ?? null })
      if (!before) return
      try {
        known.set(volume, { askAt, warning: await lastSince(volume) })
      } catch (err) {
        log.warn({ err }, 'What the cluster says of a claim could not be asked')
      }
    },

    /** What it said the last time. */
    of: (volume: MirroredDataVolume | null): string | null => (volume && known.get(volume)?.warning) ?? null,
  }
}

const timeOf = ({ lastTimestamp, eventTime }: ClusterEvent): number =>
  Date.parse(lastTimestamp ?? eventTime ?? '')
