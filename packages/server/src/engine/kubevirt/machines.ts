/** Machines: a VirtualMachine each, started and stopped by our reconcilers alone. */
import { type Engine, EngineError, type MachineState } from '../engine.ts'
import { makeClaimWarnings } from './claim-warnings.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import type { ImageClaim } from './images.ts'
import { kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { At } from './kube/objects.ts'
import { makeHolders } from './machine-holders.ts'
import { become } from './machine-likeness.ts'
import { machineObject } from './machine-object.ts'
import { makePower } from './machine-power.ts'
import { seedObject } from './machine-seed.ts'
import { isStarting, stateOf } from './machine-state.ts'
import { volumeIdsOf } from './machine-volumes.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredDataVolume, MirroredMachine } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { makeOnce, makeUnread, removeOnce } from './removal.ts'
import { rootMoves } from './root-disk.ts'
import type { RunNotes } from './run-notes.ts'
import { outOfSight, requireSight } from './sight.ts'
import { makingOf } from './volume-state.ts'

const notCreated = 'The VM could not be created.'
const notStarted = 'The VM could not be started.'
const notStopped = 'The VM could not be stopped.'
const notSeen = 'The VM could not be looked at.'
const notDeleted = 'The VM could not be deleted.'

/** How long a call waits for what the cluster usually does at once; what takes longer is seen by `inspect`. */
const usualTimes = { startMs: 5_000, offMs: 20_000, goneMs: 20_000 }

type Machines = Pick<
  Engine,
  | 'createMachine'
  | 'startMachine'
  | 'powerDown'
  | 'powerOff'
  | 'deleteMachine'
  | 'inspect'
  | 'list'
  | 'onChange'
>

export interface MachineParts {
  notes: RunNotes
  /** Where a boot image is in the cluster; null while it is not. */
  claimOf: (imageId: string) => ImageClaim | null
  ensureProject: (projectId: string) => Promise<void>
  /** Sees to it that what protects the guests of a project is in force. */
  protect: (projectId: string) => Promise<unknown>
  /** Least size of root disks. */
  rootBytes: number
}

export function makeMachines(ground: Ground, parts: MachineParts, times = usualTimes): Machines {
  const { client, mirror, names, clock } = ground
  const { notes } = parts
  const { guestOf, setVolumes, letGo } = makeHolders(ground)
  const { merge, endsAtReboot } = makeMachineWrites(ground)
  const root = rootMoves(ground)
  const power = makePower(ground)
  const warnings = makeClaimWarnings(ground)

  /** Where machines may have been made whose creation failed, or is under way. */
  const unsure = new Map<string, At>()

  /** Of an id there can be two for a moment: one on its way out in a namespace that is made again. */
  const objectOf = (id: string): MirroredMachine | null => {
    const all = mirror.machines.by('id', id)
    return all.find(({ isGoing }) => !isGoing) ?? all[0] ?? null
  }
  const wholeOf = (id: string): MirroredMachine | null => {
    const machine = objectOf(id)
    return machine && !machine.isGoing && notes.notesOf(machine)[mark.whole] !== undefined ? machine : null
  }
  const instanceOf = ({ namespace, name }: MirroredMachine) => mirror.instances.get(`${namespace}/${name}`)

  function look(machine: MirroredMachine): MachineState {
    const reason = outOfSight(ground)
    if (reason !== null) return { power: 'unreadable', reason }
    return stateOf({
      machine,
      notes: notes.notesOf(machine),
      instance: instanceOf(machine),
      root: root.of(machine.id),
      rootWarning: warnings.of(root.of(machine.id)),
    })
  }

  /** Whoever calls a machine absent forgets it, so one that may have been made has to be asked for. */
  async function absent(machineId: string): Promise<MachineState> {
    const reason = outOfSight(ground)
    if (reason !== null) return { power: 'unreadable', reason }
    const at = unsure.get(machineId)
    if (at === undefined) return { power: 'absent' }
    try {
      mirror.machines.observe(await inOurWords(notSeen, () => client.get(kinds.machines, at)))
    } catch (error) {
      if (!(error instanceof EngineError && isKube(error.cause, 'not-found'))) throw error
      unsure.delete(machineId)
    }
    const machine = objectOf(machineId)
    return machine === null ? { power: 'absent' } : look(machine)
  }

  async function stop(machine: MirroredMachine, graceSeconds?: number): Promise<void> {
    const guest = guestOf(machine)
    if (guest === null) {
      if (isStarting(machine)) await power.callOff(machine)
      return
    }
    if (notes.notesOf(machine)[mark.asked] !== guest.uid)
      await notes.write(machine, { [mark.asked]: guest.uid })
    await power.stop(machine, guest.uid, graceSeconds)
  }

  /** What it may have been made or saved without: one without a name would be found by nobody. */
  async function conform(machine: MirroredMachine): Promise<void> {
    const isForgetful = machine.annotations[mark.forgetful] !== undefined
    const rebootPolicy = isForgetful && endsAtReboot() ? 'Terminate' : null
    if (machine.subdomain === names.guests && machine.rebootPolicy === rebootPolicy) return
    const spec = { template: { spec: { subdomain: names.guests, domain: { rebootPolicy } } } }
    await merge(machine, { spec })
  }

  async function takeVolumes(machine: MirroredMachine, volumeIds: string[]): Promise<void> {
    for (const id of volumeIds) {
      if (!mirror.dataVolumes.by('id', id).some(({ isGoing }) => !isGoing))
        throw new EngineError('volume-missing', 'A disk of the VM is not there.')
      await letGo(id, machine.id)
    }
    // Usually they are right already, as far as is known here, and nobody else changes them.
    if (volumeIdsOf(names, machine.volumes).join() === volumeIds.join()) return
    if ((await setVolumes(machine, () => volumeIds, notStarted)) === null) throw missing()
  }

  return {
    async createMachine(spec) {
      requireSight(ground)
      if (wholeOf(spec.id)) return
      if (objectOf(spec.id)?.isGoing)
        throw new EngineError('internal', `${notCreated} What was there before is still being removed.`, {
          retryable: true,
        })
      const image = parts.claimOf(spec.imageId)
      if (image === null)
        throw new EngineError('image-unavailable', `${notCreated} Its image is not in the cluster yet.`, {
          retryable: true,
        })
      await parts.ensureProject(spec.projectId)
      const { rootBytes } = parts
      const { storageClass } = ground
      const around = { image, rootBytes, storageClass, endsAtReboot: endsAtReboot() }
      const wanted = machineObject(names, spec, around)
      const namespace = names.namespaceOf(spec.projectId)
      unsure.set(spec.id, { namespace, name: wanted.metadata.name })
      await inOurWords(notCreated, async () => {
        const machine = await makeOnce(ground, kinds.machines, namespace, wanted)
        await makeUnread(ground, kinds.secrets, namespace, seedObject(names, spec, machine.metadata))
        const at = { namespace, name: wanted.metadata.name }
        await merge(at, { metadata: { annotations: { [mark.whole]: 'true' } } })
      })
      unsure.delete(spec.id)
    },

    async startMachine(machineId, { freshRoot, volumeIds, like }) {
      requireSight(ground)
      const current = () => {
        const machine = wholeOf(machineId)
        if (machine === null) throw missing()
        return machine
      }
      const machine = current()
      const guest = guestOf(machine)
      if (guest?.isGoing)
        throw new EngineError('internal', `${notStarted} It is still stopping.`, { retryable: true })
      if (guest !== null || isStarting(machine)) return null
      await inOurWords(notStarted, async () => {
        await conform(machine)
        await power.clear(current(), notStarted)
      })
      await takeVolumes(machine, volumeIds)
      await inOurWords(notStarted, async () => {
        if (like) await become(ground, current(), like)
        if (freshRoot) await root.renew(current())
        await notes.write(current(), root.used(current()))
        await parts.protect(machine.projectId)
        // It may be halted, or somebody told KubeVirt to start it by itself: then two would decide.
        if (current().runStrategy !== 'Manual') await merge(machine, { spec: { runStrategy: 'Manual' } })
        await power.start(machine)
      })
      const launched = () => (guestOf(machine) !== null ? true : null)
      if (await whenMirrored(clock, [mirror.instances], launched, { ms: times.startMs })) return null
      const now = wholeOf(machineId)
      if (now === null || !isStarting(now))
        throw new EngineError('internal', `${notStarted} The cluster has not taken it up yet.`, {
          retryable: true,
        })
      return null
    },

    async powerDown(machineId) {
      const machine = objectOf(machineId)
      if (machine === null || guestOf(machine)?.isGoing) return
      await inOurWords(notStopped, () => stop(machine))
    },

    async powerOff(machineId) {
      const machine = objectOf(machineId)
      if (machine === null) return
      await inOurWords(notStopped, () => stop(machine, 0))
      const isOff = () => (guestOf(machine) === null ? true : null)
      await whenMirrored(clock, [mirror.instances], isOff, { ms: times.offMs })
    },

    async deleteMachine(machineId) {
      const all = mirror.machines.by('id', machineId)
      await inOurWords(notDeleted, async () => {
        for (const machine of all) {
          const guest = guestOf(machine)
          if (guest) await power.stop(machine, guest.uid, 0)
          const { namespace, name } = machine
          await removeOnce(ground, kinds.machines, { namespace, name }, { propagation: 'Background' })
          // After a restore the claim belongs to nobody, and would stay.
          await removeOnce(ground, kinds.claims, { namespace, name: names.rootDisk(machineId) })
          for (const restore of mirror.restores.by('id', machineId))
            await removeOnce(ground, kinds.machineRestores, restore)
        }
      })
      const kept = [mirror.machines, mirror.instances, mirror.dataVolumes]
      const isGone = () => (kept.every((some) => some.by('id', machineId).length === 0) ? true : null)
      if (all.length > 0) await whenMirrored(clock, kept, isGone, { ms: times.goneMs })
    },

    async inspect(machineId) {
      const machine = objectOf(machineId)
      if (machine === null) return absent(machineId)
      const made = root.of(machineId)
      if (made && isStarting(machine) && makingOf(made.status).is === 'coming') await warnings.look(made)
      return look(machine)
    },

    async list() {
      return new Map(
        mirror.machines.all().flatMap((machine) => {
          const state = look(machine)
          return state.power === 'absent' ? [] : [[machine.id, state]]
        }),
      )
    },

    onChange(listener) {
      const tellOf = (_key: string, before: { id: string } | null, now: { id: string } | null) => {
        const id = (now ?? before)?.id
        if (id) listener(id)
      }
      const ofRoots = (key: string, before: MirroredDataVolume | null, now: MirroredDataVolume | null) => {
        if ((now ?? before)?.what === 'root-disk') tellOf(key, before, now)
      }
      const stops = [
        mirror.machines.onChange(tellOf),
        mirror.instances.onChange(tellOf),
        mirror.dataVolumes.onChange(ofRoots),
      ]
      return () => {
        for (const stopListening of stops) stopListening()
      }
    },
  }
}

const missing = () => new EngineError('machine-missing', 'The VM is not there.')
