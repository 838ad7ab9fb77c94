/** What the cluster says of claims that do not get on. It tells so in events, which are asked for when something stands still. */
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import type { At } from './kube/objects.ts'
import type { MirroredDataVolume } from './mirror.ts'

/** What has not changed for so long stands still. */
const stillMs = 20_000
const againMs = 30_000

export function makeClaimWarnings({ client, clock, log }: Pick<Ground, 'client' | 'clock' | 'log'>) {
  /** By what is in memory of a volume, which is another object after each change. */
  const known = new WeakMap<MirroredDataVolume, { askAt: number; warning: string | null }>()

  /** @param of which reasons count; all when left out */
  async function lastOf({ namespace, name }: Required<At>, of = /(?:)/): Promise<string | null> {
    const fieldSelector = `involvedObject.name=${name}`
    const { items } = await client.list(kinds.events, { namespace, fieldSelector })
    const warning = items.findLast(
      ({ type, reason = '', involvedObject }) =>
        type === 'Warning' && of.test(reason) && involvedObject?.name === name,
    )
    return warning?.message || null
  }

  return {
    lastOf,

    /** Asks about a volume that stands still, now and then. */
    async look(volume: MirroredDataVolume): Promise<void> {
      const before = known.get(volume)
      if (before && clock.monotonic() < before.askAt) return
      const askAt = clock.monotonic() + (before ? againMs : stillMs)
      known.set(volume, { askAt, warning: before?.warning ?? null })
      if (!before) return
      try {
        known.set(volume, { askAt, warning: await lastOf(volume) })
      } catch (err) {
        log.warn({ err }, 'What the cluster says of a claim could not be asked')
      }
    },

    /** What it said the last time. */
    of: (volume: MirroredDataVolume | null): string | null => (volume && known.get(volume)?.warning) ?? null,
  }
}
