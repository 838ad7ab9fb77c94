/** Snapshots of data volumes: a VolumeSnapshot of the claim each. */
import { type Engine, EngineError, type SnapshotMade, type SnapshotState, type Work } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { diskOnFileSystem } from './claim-size.ts'
import { oneLine } from './failure.ts'
import type { Ground } from './ground.ts'
import { type Claim, kinds, type VolumeSnapshotClass } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import { makeHolders } from './machine-holders.ts'
import type { MirroredDataVolume, MirroredInstance, MirroredVolumeSnapshot } from './mirror.ts'
import { goOn, whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { bytesOf } from './quantities.ts'
import { makeOnce, removeWhole } from './removal.ts'
import { outOfSight, requireSight } from './sight.ts'
import { wholeOrNone } from './whole-or-none.ts'

const notTaken = 'The snapshot could not be made.'
const notRemoved = 'The snapshot could not be deleted.'

/** A storage that copies may take long until it is ready. */
const mostMs = 30 * 60_000
/** The moment itself is short; a guest does not stand still for longer, and KubeVirt wakes it by itself after that. */
const frozenMs = 20_000
const usualHealMs = 60_000

const isDefaultClass = 'snapshot.storage.kubernetes.io/is-default-class'

type Consistency = SnapshotMade['consistency']

type VolumeSnapshots = Pick<Engine, 'createVolumeSnapshot' | 'deleteVolumeSnapshot'> & {
  inspectVolumeSnapshot(id: string): SnapshotState
  listVolumeSnapshots(): string[]
}

export function makeVolumeSnapshots(
  ground: Ground,
  { healMs = usualHealMs }: { healMs?: number } = {},
): VolumeSnapshots {
  const { client, mirror, names, clock } = ground
  const { guestOf } = makeHolders(ground)
  const find = (id: string): MirroredVolumeSnapshot | null => mirror.volumeSnapshots.by('id', id)[0] ?? null

  /** The class of snapshots for a claim: the one that the operator names, else one of the same driver. */
  async function classFor({ spec }: Claim): Promise<string> {
    if (ground.snapshotClass !== null) return ground.snapshotClass
    const storageClass = spec.storageClassName ?? ''
    const { provisioner } = await client.get(kinds.storageClasses, { name: storageClass })
    const { items } = await client.list(kinds.volumeSnapshotClasses)
    const able = items.filter(({ driver }) => driver === provisioner)
    const isDefault = ({ metadata }: VolumeSnapshotClass) => metadata.annotations?.[isDefaultClass] === 'true'
    const found = able.find(isDefault) ?? able[0]
    if (found) return found.metadata.name
    throw new EngineError('unsupported', `The storage of this disk (${storageClass}) cannot make snapshots.`)
  }

  async function lookAt(volume: MirroredDataVolume) {
    const claim = await client.get(kinds.claims, { namespace: volume.namespace, name: volume.name })
    return { snapshotClass: await classFor(claim), diskBytes: diskOnFileSystem(volume, claim) }
  }

  /** The guest that has the volume, if one does. */
  function guestWith(claim: string): MirroredInstance | null {
    const [plugged] = mirror.instances.by('volume', claim).filter((one) => guestOf(one))
    if (plugged) return plugged
    const [machine] = mirror.machines.by('volume', claim).filter((one) => guestOf(one))
    return machine ? guestOf(machine) : null
  }

  const hasAgent = ({ status }: MirroredInstance): boolean =>
    status?.conditions?.some((one) => one.type === 'AgentConnected' && one.status === 'True') ?? false

  /** Asks the guest to write out everything and to stand still; without its help the snapshot is as after a power cut. */
  async function freeze(guest: MirroredInstance): Promise<boolean> {
    if (!hasAgent(guest)) return false
    try {
      const body = { unfreezeTimeout: `${frozenMs / 1000}s` }
      await client.put(subresources, guest, 'freeze', body, { deadlineMs: frozenMs })
      return true
    } catch (error) {
      ground.log.warn({ err: error }, 'A guest could not be frozen for a snapshot')
      await unfreeze(guest)
      return false
    }
  }

  async function unfreeze(guest: MirroredInstance): Promise<void> {
    await client
      .put(subresources, guest, 'unfreeze', {}, { deadlineMs: frozenMs, repeat: true })
      .catch((err) =>
        ground.log.warn({ err }, 'A guest could not be unfrozen; KubeVirt does it by itself soon'),
      )
  }

  async function place(
    id: string,
    at: {
      namespace: string
      claim: string
      projectId: string
      snapshotClass: string
      diskBytes: number | null
    },
    consistency: Consistency,
  ): Promise<void> {
    const made = await makeOnce(ground, kinds.volumeSnapshots, at.namespace, {
      kind: 'VolumeSnapshot',
      metadata: {
        name: names.volumeSnapshot(id),
        labels: names.labels('volume-snapshot', id, at.projectId),
        annotations: {
          [mark.consistency]: consistency,
          ...(at.diskBytes !== null && { [mark.size]: String(at.diskBytes) }),
        },
      },
      spec: {
        volumeSnapshotClassName: at.snapshotClass,
        source: { persistentVolumeClaimName: at.claim },
      },
    })
    mirror.volumeSnapshots.observe(made)
  }

  /** Places it, and holds the guest still meanwhile where that can be. */
  async function cut(id: string, at: Parameters<typeof place>[1], signal: AbortSignal): Promise<void> {
    const guest = guestWith(at.claim)
    if (guest === null) return place(id, at, 'clean')
    if (!(await freeze(guest))) return place(id, at, 'crash')
    try {
      goOn(signal)
      await place(id, at, 'frozen')
      const isCut = await wait(
        id,
        ({ status }) => Boolean(status?.creationTime ?? status?.readyToUse),
        frozenMs,
        signal,
      )
      if (isCut === null) await asCrash(id)
    } finally {
      await unfreeze(guest)
    }
  }

  /** The guest went on before the moment was taken. */
  async function asCrash(id: string): Promise<void> {
    const snapshot = find(id)
    if (snapshot === null) return
    const change = { metadata: { annotations: { [mark.consistency]: 'crash' } } }
    mirror.volumeSnapshots.observe(await client.merge(kinds.volumeSnapshots, snapshot, change))
  }

  const wait = (
    id: string,
    isEnd: (snapshot: MirroredVolumeSnapshot) => boolean,
    ms: number,
    signal: AbortSignal,
  ): Promise<MirroredVolumeSnapshot | null> =>
    whenMirrored(
      clock,
      [mirror.volumeSnapshots],
      () => {
        const snapshot = find(id)
        if (snapshot === null || snapshot.isGoing)
          throw new EngineError('internal', `${notTaken} It is being deleted.`, { retryable: true })
        return isEnd(snapshot) ? snapshot : null
      },
      { ms, signal },
    )

  async function whole(id: string, signal: AbortSignal): Promise<MirroredVolumeSnapshot> {
    for (;;) {
      const first = await wait(id, (one) => isWhole(one) || errorOf(one) !== null, mostMs, signal)
      if (first === null) throw failed('The storage did not make it in time.')
      if (isWhole(first)) return first
      const healed = await wait(id, (one) => isWhole(one) || errorOf(one) === null, healMs, signal)
      if (healed === null) throw failed(errorOf(first))
    }
  }

  const remove = (id: string) =>
    removeWhole(ground, { kind: kinds.volumeSnapshots, kept: mirror.volumeSnapshots, id, doing: notRemoved })

  async function take(
    id: string,
    volumeId: string,
    { signal }: Work,
  ): Promise<SnapshotMade & { parentId: null }> {
    if (find(id) === null) {
      const volume = mirror.dataVolumes.by('id', volumeId).find(({ isGoing }) => !isGoing)
      if (!volume) throw volumeMissing()
      const { namespace, name: claim, projectId } = volume
      const { snapshotClass, diskBytes } = await lookAt(volume).catch((error) => {
        throw isKube(error, 'not-found') ? volumeMissing() : error
      })
      goOn(signal)
      await cut(id, { namespace, claim, projectId, snapshotClass, diskBytes }, signal)
    }
    const { status, annotations } = await whole(id, signal)
    const consistency = consistencies.find((one) => one === annotations[mark.consistency]) ?? 'crash'
    return { storedBytes: bytesOf(status?.restoreSize) ?? 0, consistency, parentId: null }
  }

  return {
    async createVolumeSnapshot(id, { volumeId, parentId }, work) {
      requireSight(ground)
      if (parentId !== null) throw new EngineError('unsupported', clusterLimits.incrementalSnapshots)
      return wholeOrNone({
        id,
        log: ground.log,
        signal: work.signal,
        doing: notTaken,
        look() {
          const snapshot = find(id)
          if (snapshot === null) return 'none'
          return isWhole(snapshot) ? 'whole' : 'some'
        },
        make: () => take(id, volumeId, work),
        remove: () => remove(id),
      })
    },

    async deleteVolumeSnapshot(id) {
      requireSight(ground)
      await remove(id)
    },

    inspectVolumeSnapshot(id) {
      const reason = outOfSight(ground)
      if (reason !== null) return { state: 'unreadable', reason }
      const snapshot = find(id)
      return { state: snapshot !== null && isWhole(snapshot) ? 'whole' : 'absent' }
    },

    listVolumeSnapshots() {
      requireSight(ground)
      return mirror.volumeSnapshots.all().flatMap((one) => (isWhole(one) ? one.id : []))
    },
  }
}

const subresources = { group: 'subresources.kubevirt.io', version: 'v1', plural: 'virtualmachineinstances' }

const consistencies: readonly Consistency[] = ['clean', 'frozen', 'crash']

const isWhole = ({ status, isGoing }: MirroredVolumeSnapshot): boolean =>
  !isGoing && status?.readyToUse === true

const errorOf = ({ status }: MirroredVolumeSnapshot): string | null =>
  status?.error ? oneLine(status.error.message ?? '') || 'The storage gave no reason.' : null

const volumeMissing = () => new EngineError('volume-missing', 'The disk is not there.')

const failed = (why: string | null) =>
  new EngineError('internal', why ? `${notTaken} ${why.replace(/\.$/, '')}.` : notTaken, { retryable: true })
