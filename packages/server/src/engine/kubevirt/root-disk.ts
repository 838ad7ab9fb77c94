/** Root disks that start from the image again. */
import { EngineError } from '../engine.ts'
import type { Ground } from './ground.ts'
import { kinds } from './kinds.ts'
import { restoredRoot } from './machine-state.ts'
import type { MirroredDataVolume, MirroredMachine } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { removeOnce } from './removal.ts'

/** How long a start waits for the old root disk to be gone. */
const renewMs = 15_000

export function rootMoves(ground: Ground) {
  const { mirror, names, clock } = ground
  const of = (machineId: string): MirroredDataVolume | null =>
    mirror.dataVolumes.by('id', machineId).find(({ isGoing }) => !isGoing) ?? null

  return {
    of,

    /**
     * Removes the root disk that a guest had, so that KubeVirt makes it anew from its template. One that no guest had
     * is as fresh as it can be, and so is that of a restore before its first start.
     */
    async renew(machine: MirroredMachine): Promise<void> {
      const used = machine.annotations[mark.usedRoot]
      const old = of(machine.id)
      if (used === undefined || machine.annotations[mark.restored] !== undefined) return
      if (old !== null && used !== old.uid && used !== restoredRoot) return
      if (old !== null) {
        const at = { namespace: machine.namespace, name: names.rootDisk(machine.id) }
        // The claim goes first: a new DataVolume takes over the claim that it finds, with all that is in it.
        await removeOnce(ground, kinds.claims, at)
        await removeOnce(ground, kinds.dataVolumes, at, { uid: old.uid })
      }
      const isNew = () => {
        const now = of(machine.id)
        return now !== null && now.uid !== old?.uid ? true : null
      }
      if (await whenMirrored(clock, [mirror.dataVolumes], isNew, { ms: renewMs })) return
      throw new EngineError('internal', 'The root disk of the last run is still being removed.', {
        retryable: true,
      })
    },

    /** What a start notes: which root disk its guest has. A restore makes another object of it, at its own pace. */
    used({ id, annotations }: MirroredMachine): Record<string, string | null> {
      if (annotations[mark.restored] !== undefined)
        return { [mark.usedRoot]: restoredRoot, [mark.restored]: null }
      const root = of(id)
      if (annotations[mark.usedRoot] === restoredRoot && annotations[mark.forgetful] === undefined) return {}
      return root === null ? {} : { [mark.usedRoot]: root.uid }
    },
  }
}
