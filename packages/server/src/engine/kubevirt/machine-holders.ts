/** Which machine has a volume, and how its object is changed while others may change it too. */
import { EngineError } from '../engine.ts'
import { beingCopied, inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import { kinds, type VirtualMachine } from './kinds.ts'
import { retryOnConflict } from './kube/caller.ts'
import type { PatchStep } from './kube/kube-client.ts'
import { isKube } from './kube/kube-error.ts'
import type { At } from './kube/objects.ts'
import { volumeIdsOf, withVolumes } from './machine-volumes.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredInstance, MirroredMachine } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'

/** How long a change waits for a snapshot or restore of its machine to end. */
const usualCopiedMs = 20_000

export function makeHolders(ground: Ground) {
  const { client, mirror, names, clock } = ground
  const { patch } = makeMachineWrites(ground)

  const machineOf = (id: string): MirroredMachine | null =>
    mirror.machines.by('id', id).find(({ isGoing }) => !isGoing) ?? null

  /** The guest of a machine, while one lives. */
  function guestOf({ namespace, name }: { namespace: string; name: string }): MirroredInstance | null {
    const instance = mirror.instances.get(`${namespace}/${name}`)
    const phase = instance?.status?.phase
    return instance === null || phase === 'Succeeded' || phase === 'Failed' ? null : instance
  }

  /** Waits while one of these machines is saved or restored; throws `volume-busy` where that takes long. */
  async function untilNotCopied(
    machines: () => MirroredMachine[],
    doing: string,
    ms = usualCopiedMs,
  ): Promise<void> {
    const isCopied = ({ status }: MirroredMachine) => status?.snapshotInProgress || status?.restoreInProgress
    const isFree = () => (machines().some(isCopied) ? null : true)
    if (await whenMirrored(clock, [mirror.machines], isFree, { ms })) return
    throw new EngineError('volume-busy', `${doing} ${beingCopied}`, { retryable: true })
  }

  /**
   * Writes what `steps` makes of the newest version of a machine; again when somebody else wrote meanwhile. No steps: it
   * is as it should be. Null when there is no such machine.
   */
  async function change(
    at: At,
    steps: (machine: VirtualMachine) => PatchStep[],
    doing: string,
  ): Promise<VirtualMachine | null> {
    const read = () => client.get(kinds.machines, at)
    const write = async (machine: VirtualMachine) => {
      const wanted = steps(machine)
      return wanted.length === 0 ? machine : patch(machine, wanted)
    }
    const changed = await inOurWords(doing, () =>
      retryOnConflict(read, write, { clock }).catch((error) => {
        if (isKube(error, 'not-found')) return null
        throw error
      }),
    )
    if (changed) mirror.machines.observe(changed)
    return changed
  }

  /** Makes the volumes of a machine what `volumes` makes of them. */
  async function setVolumes(at: At, volumes: (ids: string[]) => string[], doing: string) {
    await untilNotCopied(() => {
      const machine = mirror.machines.get(`${at.namespace}/${at.name}`)
      return machine === null ? [] : [machine]
    }, doing)
    return change(
      at,
      ({ spec }) => {
        const ids = volumeIdsOf(names, spec.template.spec.volumes)
        const wanted = volumes(ids)
        if (wanted.join() === ids.join()) return []
        const { template } = withVolumes(names, spec, wanted)
        return [
          { op: 'replace', path: '/spec/template/spec/volumes', value: template.spec.volumes },
          {
            op: 'replace',
            path: '/spec/template/spec/domain/devices/disks',
            value: template.spec.domain.devices.disks,
          },
        ]
      },
      doing,
    )
  }

  return {
    machineOf,
    guestOf,
    change,
    setVolumes,
    untilNotCopied,

    /**
     * Sees to it that no machine but `besides` has the volume: those whose guest has ended let go of it. Throws
     * `volume-busy` where a guest lives that has it.
     */
    async letGo(volumeId: string, besides: string | null): Promise<void> {
      const name = names.volume(volumeId)
      const holds = mirror.instances.by('volume', name).filter(({ id }) => id !== besides)
      const specs = mirror.machines.by('volume', name).filter(({ id }) => id !== besides)
      if (holds.some((one) => guestOf(one)) || specs.some((one) => guestOf(one)))
        throw new EngineError('volume-busy', 'Another VM still has the disk.', { retryable: true })
      for (const at of specs)
        await setVolumes(
          at,
          (ids) => ids.filter((id) => id !== volumeId),
          'The disk could not be taken off a VM.',
        )
    },
  }
}
