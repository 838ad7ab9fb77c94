/** Putting volumes on machines and taking them off: the object says what is wanted, and a living guest follows. */
import { type Engine, EngineError } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import type { Ground } from './ground.ts'
import { plugsDisks } from './kubevirt-gates.ts'
import { makeHolders } from './machine-holders.ts'
import type { MirroredMachine } from './mirror.ts'
import { goOn, type Patience, whenMirrored } from './mirror-wait.ts'
import { requireSight } from './sight.ts'

const usualTimes = { attachMs: 60_000, detachMs: 30_000 }

const notAttached = 'The disk could not be attached.'
const notDetached = 'The disk could not be detached.'

export function makeAttachments(
  ground: Ground,
  { attachMs, detachMs }: { attachMs: number; detachMs: number } = usualTimes,
): Pick<Engine, 'attachVolume' | 'detachVolume'> {
  const { mirror, names, clock } = ground
  const { machineOf, guestOf, setVolumes, letGo } = makeHolders(ground)
  const without = (volumeId: string) => (ids: string[]) => ids.filter((id) => id !== volumeId)
  const plus = (volumeId: string) => (ids: string[]) => (ids.includes(volumeId) ? ids : [...ids, volumeId])

  const pluggedOf = (machine: MirroredMachine, volumeId: string) =>
    guestOf(machine)?.status?.volumeStatus?.find(({ name }) => name === names.volume(volumeId))

  /** The spec of a machine would change, and nothing of its guest. */
  function requirePlug(machine: MirroredMachine): void {
    if (guestOf(machine) !== null && !mirror.kubevirts.all().every(plugsDisks))
      throw new EngineError('unsupported', clusterLimits.hotPlug)
  }

  /** Waits for a guest to follow, or to end. */
  const followed = (machine: MirroredMachine, isSo: () => boolean, patience: Patience) =>
    whenMirrored(
      clock,
      [mirror.instances],
      () => (guestOf(machine) === null || isSo() ? true : null),
      patience,
    )

  return {
    async attachVolume(machineId, volumeId) {
      requireSight(ground)
      const machine = machineOf(machineId)
      if (machine === null) throw missing()
      if (!mirror.dataVolumes.by('id', volumeId).some(({ isGoing }) => !isGoing))
        throw new EngineError('volume-missing', 'The disk is not there.')
      requirePlug(machine)
      await letGo(volumeId, machineId)
      if ((await setVolumes(machine, plus(volumeId), notAttached)) === null) throw missing()
      if (await followed(machine, () => pluggedOf(machine, volumeId)?.phase === 'Ready', { ms: attachMs }))
        return
      const why = pluggedOf(machine, volumeId)?.message
      await setVolumes(machine, without(volumeId), notAttached)
      // It tells of steps that went well, too.
      const said =
        why && !/^(created|successfully) /i.test(why) ? ` The cluster said: ${why.replace(/\.$/, '')}.` : ''
      throw new EngineError('internal', `${notAttached} It took too long.${said}`, { retryable: true })
    },

    async detachVolume(machineId, volumeId, { signal }) {
      requireSight(ground)
      const machine = machineOf(machineId)
      if (machine === null) return 'released'
      goOn(signal)
      requirePlug(machine)
      await setVolumes(machine, without(volumeId), notDetached)
      const isOff = () => pluggedOf(machine, volumeId) === undefined
      try {
        if (await followed(machine, isOff, { ms: detachMs, signal })) return 'released'
      } catch (error) {
        await setVolumes(machine, plus(volumeId), notDetached)
        throw error
      }
      // It is still the guest's, and what the machine is said to have must be what it has.
      await setVolumes(machine, plus(volumeId), notDetached)
      return 'kept'
    },
  }
}

const missing = () => new EngineError('machine-missing', 'The VM is not there.')
