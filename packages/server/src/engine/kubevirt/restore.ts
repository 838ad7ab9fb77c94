/**
 * Taking a machine back to a snapshot of it. First half: what it is to be taken back to is noted on the machine. Second
 * half: a snapshot of what is there, then KubeVirt puts the disks in place, under the names they have.
 *
 * KubeVirt takes back the machine's spec too, with volumes, keys and size as they were. Ours stays: the safety point holds
 * it as it was a moment ago, and it is written again when the disks are in place.
 */
import { type Engine, EngineError, type Work } from '../engine.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import type { Growth } from './growth.ts'
import { kinds, type VirtualMachine } from './kinds.ts'
import type { PatchStep } from './kube/kube-client.ts'
import { makeHolders } from './machine-holders.ts'
import { makePower } from './machine-power.ts'
import type { makeMachineSnapshots } from './machine-snapshots.ts'
import { volumeIdsOf } from './machine-volumes.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredMachine, MirroredRestore } from './mirror.ts'
import { ended, goOn, whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { makeOnce, removeOnce, removeWhole } from './removal.ts'
import {
  asideFor,
  asideIn,
  commonOf,
  type Prepared,
  readPrepared,
  restoringOf,
  writePrepared,
} from './restore-plan.ts'
import { requireSight } from './sight.ts'

const notPrepared = 'The restore could not be prepared.'
const notRestored = 'The disks could not be put in place.'
const notDropped = 'The restore could not be forgotten.'

/** A guest that was ended may hold its disks for a moment. */
const downMs = 120_000
const mostMs = 30 * 60_000

/**
 * Once KubeVirt has begun to put disks in place, that cannot be taken back: when the work is ended then, the cluster goes
 * on, and the next call completes it.
 */
export function makeRestores(
  ground: Ground,
  snapshots: ReturnType<typeof makeMachineSnapshots>,
  { keepSizes }: Pick<Growth, 'keepSizes'>,
): Pick<Engine, 'prepareRestore' | 'switchDisks' | 'dropRestore'> {
  const { mirror, names, clock } = ground
  const { machineOf, guestOf, change } = makeHolders(ground)
  const { allowed } = makeMachineWrites(ground)
  const power = makePower(ground)
  const preparedOn = ({ annotations }: MirroredMachine): Prepared | null =>
    readPrepared(annotations[mark.restoreFrom])
  const find = (machineId: string): MirroredRestore | null => mirror.restores.by('id', machineId)[0] ?? null

  /** Writes annotations of ours; null removes one. */
  const annotate = (machine: MirroredMachine, notes: Record<string, string | null>, doing: string) =>
    change(machine, ({ metadata }) => noteSteps(metadata.annotations, notes), doing)

  async function waitUntilDown(machine: MirroredMachine, signal: AbortSignal): Promise<void> {
    const isDown = () => (guestOf(machine) === null ? true : null)
    if (await whenMirrored(clock, [mirror.instances], isDown, { ms: downMs, signal })) return
    throw new EngineError('internal', `${notRestored} The guest has not ended yet.`, { retryable: true })
  }

  /** The restore under way, or a new one. What is left of another one goes first. */
  async function begin(
    machine: MirroredMachine,
    prepared: Prepared,
    own: VirtualMachine['spec'],
  ): Promise<void> {
    const snapshot = names.machineSnapshot(prepared.snapshotId)
    const left = find(machine.id)
    if (left && !left.isGoing && left.snapshot === snapshot && restoringOf(left.status).is !== 'failed')
      return
    if (left) await clear(machine.id)
    const { content } = await snapshots.contentOf(prepared.snapshotId)
    const name = names.restore(machine.id)
    const common = commonOf(names, own.template.spec.volumes, prepared.volumeIds)
    const made = await makeOnce(ground, kinds.machineRestores, machine.namespace, {
      kind: 'VirtualMachineRestore',
      metadata: { name, labels: names.labels('restore', machine.id, machine.projectId) },
      spec: {
        target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: machine.name },
        virtualMachineSnapshotName: snapshot,
        targetReadinessPolicy: 'StopTarget',
        volumeRestorePolicy: 'InPlace',
        volumeRestoreOverrides: asideFor(names, name, content, common),
      },
    })
    mirror.restores.observe(made)
  }

  async function finish(machineId: string, signal: AbortSignal): Promise<void> {
    const look = () => {
      const restore = find(machineId)
      if (restore === null || restore.isGoing)
        throw new EngineError('internal', `${notRestored} Somebody has removed the restore.`, {
          retryable: true,
        })
      const restoring = restoringOf(restore.status)
      return restoring.is === 'coming' ? null : restoring
    }
    const outcome = await whenMirrored(clock, [mirror.restores], look, { ms: mostMs, signal })
    if (outcome?.is === 'done') return
    const why =
      outcome === null ? 'It took too long.' : `The cluster said: ${outcome.why.replace(/\.$/, '')}.`
    if (outcome !== null) await clear(machineId)
    throw new EngineError('internal', `${notRestored} ${why}`, { retryable: true })
  }

  /** Removes the restore and the claims that belong to nobody. */
  async function clear(machineId: string): Promise<void> {
    const restore = find(machineId)
    if (restore === null) return
    const { namespace, name, status } = restore
    for (const claim of asideIn(name, status))
      await removeOnce(ground, kinds.claims, { namespace, name: claim })
    const what = { kind: kinds.machineRestores, kept: mirror.restores, id: machineId, doing: notRestored }
    await removeWhole(ground, what)
  }

  /** Our spec again; and what was prepared is done. */
  async function settle(
    machine: MirroredMachine,
    own: VirtualMachine['spec'],
    safetyId: string,
  ): Promise<void> {
    const steps = ({ metadata }: VirtualMachine): PatchStep[] => [
      { op: 'replace', path: '/spec', value: allowed(own) },
      ...noteSteps(metadata.annotations, { [mark.restoreFrom]: null, [mark.restored]: safetyId }),
    ]
    if ((await change(machine, steps, notRestored)) === null) throw missing()
  }

  /** What the machine was before disks changed places, as the safety point has it: in itself it may be neither already. */
  async function ownSpecOf(safetyId: string): Promise<VirtualMachine['spec']> {
    const { content } = await snapshots.contentOf(safetyId)
    const spec = content.spec.source?.virtualMachine?.spec
    if (!spec)
      throw new EngineError('internal', `${notRestored} The safety point does not say what the VM was.`)
    return spec
  }

  async function switchOver(machine: MirroredMachine, prepared: Prepared, safetyId: string, work: Work) {
    await waitUntilDown(machine, work.signal)
    await power.clear(machine, notRestored)
    const isSafe = snapshots.inspectMachineSnapshot(safetyId).state === 'whole'
    const volumeIds = isSafe ? [] : volumeIdsOf(names, machine.volumes)
    const source = { machineId: machine.id, volumeIds, memory: false }
    const safety = await snapshots.createMachineSnapshot(safetyId, source, work)
    const own = await ownSpecOf(safetyId)
    goOn(work.signal)
    await begin(machine, prepared, own)
    await finish(machine.id, work.signal)
    await keepSizes(machine, own, commonOf(names, own.template.spec.volumes, prepared.volumeIds))
    await clear(machine.id)
    await settle(machine, own, safetyId)
    return safety
  }

  return {
    async prepareRestore(machineId, { snapshotId, volumeIds }, { signal }) {
      requireSight(ground)
      goOn(signal)
      const machine = machineOf(machineId)
      if (machine === null) throw missing()
      const { state } = snapshots.inspectMachineSnapshot(snapshotId)
      if (state !== 'whole')
        throw new EngineError('snapshot-missing', 'The snapshot is not there, or not whole.')
      await snapshots.contentOf(snapshotId)
      goOn(signal)
      const note = writePrepared({ snapshotId, volumeIds })
      if ((await annotate(machine, { [mark.restoreFrom]: note }, notPrepared)) === null) throw missing()
      if (!signal.aborted) return
      await annotate(machine, { [mark.restoreFrom]: null }, notDropped)
      throw ended()
    },

    async switchDisks(machineId, safetyId, work) {
      requireSight(ground)
      const machine = machineOf(machineId)
      if (machine === null) throw missing()
      const prepared = preparedOn(machine)
      try {
        goOn(work.signal)
        if (prepared)
          return await inOurWords(notRestored, () => switchOver(machine, prepared, safetyId, work))
        if (snapshots.inspectMachineSnapshot(safetyId).state !== 'whole')
          throw new EngineError('snapshot-missing', 'Nothing was prepared for this VM.')
        const source = { machineId, volumeIds: [], memory: false }
        return await snapshots.createMachineSnapshot(safetyId, source, work)
      } catch (error) {
        throw work.signal.aborted ? ended() : error
      }
    },

    async dropRestore(machineId) {
      requireSight(ground)
      const machine = machineOf(machineId)
      if (machine === null || !preparedOn(machine)) return 'dropped'
      await annotate(machine, { [mark.restoreFrom]: null }, notDropped)
      return find(machineId) === null ? 'dropped' : 'begun'
    },
  }
}

/** How annotations become what `notes` says. */
function noteSteps(
  annotations: Record<string, string> | undefined,
  notes: Record<string, string | null>,
): PatchStep[] {
  const value: Record<string, string> = { ...annotations }
  for (const [name, note] of Object.entries(notes)) {
    if (note === null) delete value[name]
    else value[name] = note
  }
  return [{ op: 'add', path: '/metadata/annotations', value }]
}

const missing = () => new EngineError('machine-missing', 'The VM is not there.')
