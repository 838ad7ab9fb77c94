/** Snapshots of machines: a VirtualMachineSnapshot each, which makes snapshots of the claims. */
import {
  type Engine,
  EngineError,
  type MachineSnapshotMade,
  type SnapshotState,
  type Work,
} from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import { kinds, type MachineSnapshotContent } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import { makeHolders } from './machine-holders.ts'
import { consistencyOf, mustHold, type Taking, takingOf } from './machine-snapshot-state.ts'
import { rootVolume, volumeIdsOf } from './machine-volumes.ts'
import type { MirroredMachine, MirroredMachineSnapshot } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'
import { bytesOf } from './quantities.ts'
import { makeOnce, removeWhole } from './removal.ts'
import { outOfSight, requireSight } from './sight.ts'
import { wholeOrNone } from './whole-or-none.ts'

const notTaken = 'The snapshot could not be made.'
const notRemoved = 'The snapshot could not be deleted.'

/** KubeVirt gives up by itself; a little later so do we. */
const failureDeadline = '10m'
const mostMs = 11 * 60_000
/** An error of the storage may heal, since it tries again; so long it may stand. */
const usualHealMs = 60_000
/** A claim of a new machine is found sooner. */
const foundMs = 20_000
const isLooking = (reason = ''): boolean => /^PVC (\S+ )?not found/i.test(reason)

type MachineSnapshots = Pick<Engine, 'createMachineSnapshot' | 'deleteMachineSnapshot'> & {
  inspectMachineSnapshot(id: string): SnapshotState
  listMachineSnapshots(): string[]
  /** All that a snapshot holds; throws `snapshot-missing` where a part of it is not there. */
  contentOf(id: string): Promise<{ namespace: string; content: MachineSnapshotContent; storedBytes: number }>
}

export function makeMachineSnapshots(
  ground: Ground,
  { healMs = usualHealMs }: { healMs?: number } = {},
): MachineSnapshots {
  const { client, mirror, names, clock } = ground
  const { machineOf } = makeHolders(ground)
  const find = (id: string): MirroredMachineSnapshot | null => mirror.machineSnapshots.by('id', id)[0] ?? null
  const stateOf = ({ status }: MirroredMachineSnapshot): Taking =>
    takingOf(status, mustHold(status, names.volume('')))

  /**
   * The cluster tells in advance which volumes it cannot make snapshots of. Of a machine that was made or changed a moment
   * ago it tells so until it has found their claims.
   */
  async function requireAble({ id }: MirroredMachine, wanted: readonly string[], signal: AbortSignal) {
    const first = () =>
      machineOf(id)?.status?.volumeSnapshotStatuses?.find(
        ({ name, enabled }) => !enabled && wanted.includes(name),
      )
    const isFound = () => (isLooking(first()?.reason) ? null : true)
    if ((await whenMirrored(clock, [mirror.machines], isFound, { ms: foundMs, signal })) === null)
      throw new EngineError('internal', `${notTaken} A disk of the VM is not there yet.`, {
        retryable: true,
      })
    const unable = first()
    if (!unable) return
    const said = unable.reason ? ` It says: ${unable.reason.replace(/\.$/, '')}.` : ''
    throw new EngineError('unsupported', `The cluster cannot make snapshots of a disk of this VM.${said}`)
  }

  /** Waits until it is whole; an error may stand for a while, since it may heal. */
  async function whole(
    id: string,
    wanted: readonly string[],
    signal: AbortSignal,
  ): Promise<MirroredMachineSnapshot> {
    const wait = (isEnd: (taking: Taking) => boolean, ms: number) =>
      whenMirrored(
        clock,
        [mirror.machineSnapshots],
        () => {
          const snapshot = find(id)
          if (snapshot === null || snapshot.isGoing)
            throw new EngineError('internal', `${notTaken} It is being deleted.`, { retryable: true })
          const taking = takingOf(snapshot.status, wanted)
          return isEnd(taking) ? { taking, snapshot } : null
        },
        { ms, signal },
      )
    const isOver = ({ is }: Taking) => is !== 'coming'
    for (;;) {
      const first = await wait(
        (taking) => isOver(taking) || (taking.is === 'coming' && taking.trouble !== null),
        mostMs,
      )
      if (first?.taking.is === 'coming') {
        const healed = await wait(
          (taking) => isOver(taking) || (taking.is === 'coming' && !taking.trouble),
          healMs,
        )
        if (healed === null) throw failed(first.taking.trouble)
        continue
      }
      if (first === null) throw failed('The storage did not make it in time.')
      if (first.taking.is !== 'whole') throw failed('why' in first.taking ? first.taking.why : null)
      return first.snapshot
    }
  }

  async function contentOf(id: string) {
    const snapshot = find(id)
    const name = snapshot?.status?.virtualMachineSnapshotContentName
    if (!snapshot || !name) throw missing()
    const { namespace } = snapshot
    try {
      const content = await client.get(kinds.machineSnapshotContents, { namespace, name })
      const parts = (content.spec.volumeBackups ?? []).map(
        ({ volumeSnapshotName = '' }) => volumeSnapshotName,
      )
      const saved = await Promise.all(
        parts.map((part) => client.get(kinds.volumeSnapshots, { namespace, name: part })),
      )
      if (saved.some(({ status }) => !status?.readyToUse)) throw missing()
      const storedBytes = saved.reduce((sum, { status }) => sum + (bytesOf(status?.restoreSize) ?? 0), 0)
      return { namespace, content, storedBytes }
    } catch (error) {
      throw isKube(error, 'not-found') ? missing() : error
    }
  }

  const remove = (id: string) =>
    removeWhole(ground, {
      kind: kinds.machineSnapshots,
      kept: mirror.machineSnapshots,
      id,
      doing: notRemoved,
    })

  async function take(
    id: string,
    { machineId, volumeIds }: { machineId: string; volumeIds: string[] },
    { signal }: Work,
  ): Promise<MachineSnapshotMade> {
    const machine = machineOf(machineId)
    const there = find(id)
    if (there === null && machine === null) throw new EngineError('machine-missing', 'The VM is not there.')
    const isOnIt = (name: string) => machine?.volumes.some((volume) => volume.name === name) ?? false
    const wanted = [rootVolume, ...volumeIds.map(names.volume).filter(isOnIt)]
    if (there === null && machine !== null) {
      await requireAble(machine, wanted, signal)
      const made = await makeOnce(ground, kinds.machineSnapshots, machine.namespace, {
        kind: 'VirtualMachineSnapshot',
        metadata: {
          name: names.machineSnapshot(id),
          labels: names.labels('machine-snapshot', id, machine.projectId),
        },
        spec: {
          source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: machine.name },
          deletionPolicy: 'Delete',
          failureDeadline,
        },
      })
      mirror.machineSnapshots.observe(made)
    }
    const { status } = await whole(id, wanted, signal)
    const { storedBytes, content } = await contentOf(id)
    const held = (content.spec.volumeBackups ?? []).map(({ volumeName: name }) => ({ name }))
    return {
      memory: false,
      storedBytes,
      consistency: consistencyOf(status),
      volumeIds: volumeIdsOf(names, held),
    }
  }

  return {
    contentOf: (id) => inOurWords('The snapshot could not be read.', () => contentOf(id)),

    async createMachineSnapshot(id, source, work) {
      requireSight(ground)
      if (source.memory) throw new EngineError('unsupported', clusterLimits.memorySnapshots)
      return wholeOrNone({
        id,
        log: ground.log,
        signal: work.signal,
        doing: notTaken,
        look() {
          const snapshot = find(id)
          if (snapshot === null) return 'none'
          return stateOf(snapshot).is === 'whole' ? 'whole' : 'some'
        },
        make: () => take(id, source, work),
        remove: () => remove(id),
      })
    },

    async deleteMachineSnapshot(id) {
      requireSight(ground)
      await remove(id)
    },

    inspectMachineSnapshot(id) {
      const reason = outOfSight(ground)
      if (reason !== null) return { state: 'unreadable', reason }
      const snapshot = find(id)
      if (snapshot === null || snapshot.isGoing) return { state: 'absent' }
      const taking = stateOf(snapshot)
      if (taking.is === 'damaged') return { state: 'broken', reason: broken(taking.why) }
      return { state: taking.is === 'whole' ? 'whole' : 'absent' }
    },

    listMachineSnapshots() {
      requireSight(ground)
      const all = mirror.machineSnapshots.all().filter(({ isGoing }) => !isGoing)
      return all.filter((snapshot) => ['whole', 'damaged'].includes(stateOf(snapshot).is)).map(({ id }) => id)
    },
  }
}

const missing = () =>
  new EngineError('snapshot-missing', 'The snapshot is not there, or a part of it is missing.')

const broken = (why: string): string => `The cluster says that a part is missing: ${why.replace(/\.$/, '')}.`

/** The storage may do it the next time. */
const failed = (why: string | null) =>
  new EngineError('internal', why ? `${notTaken} ${why.replace(/\.$/, '')}.` : notTaken, { retryable: true })
