/** Data volumes: a DataVolume of CDI each, and the claim of the same name that it fills. */
import type { Engine, VolumeMade, VolumeSource, VolumeSpec, VolumeState, Work } from '../engine.ts'
import { EngineError } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { diskOnFileSystem } from './claim-size.ts'
import { makeClaimWarnings } from './claim-warnings.ts'
import { inOurWords, isOfQuota, oneLine, quotaUsedUp } from './failure.ts'
import type { ForeignSources } from './foreign-sources.ts'
import type { Ground } from './ground.ts'
import { type DataVolumeSource, kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import { makeHolders } from './machine-holders.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { ended, goOn, whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { bytesOf, quantityOf } from './quantities.ts'
import { makeOnce, removeOnce, removeWhole } from './removal.ts'
import { outOfSight, requireSight } from './sight.ts'
import { hasPlace, lossOf, type Making, makingOf, sizeOf } from './volume-state.ts'

type Volumes = Pick<Engine, 'createVolume' | 'deleteVolume' | 'inspectVolume' | 'listVolumes'>

export interface VolumeOptions {
  /** Makes sure that a project has its namespace. */
  ensureProject(projectId: string): Promise<void>
  sources: ForeignSources
  /** How long the cluster may show no change of a volume that is being made. */
  stillMs?: number
}

const usualStillMs = 15 * 60_000
/** How long the storage may have no place for a volume, and say so, before that counts as a failure. */
const withoutPlaceMs = 60_000
/** Content tells its size once; what grows while it is fetched is not waited for. */
const mostSizes = 3

const notMade = 'The disk could not be made.'
const notRemoved = 'The disk could not be deleted.'

/** What is to be in a volume, and how large it has to be for that. */
interface Wanted {
  source: DataVolumeSource
  bytes: number
  /** The cluster makes it as large as its source, which holds a disk of that size. */
  isAsSource?: boolean
  isForeign: boolean
}

export function makeVolumes(
  ground: Ground,
  { ensureProject, sources, stillMs = usualStillMs }: VolumeOptions,
): Volumes {
  const { client, mirror, names, clock, storageClass } = ground
  const { letGo } = makeHolders(ground)
  const warnings = makeClaimWarnings(ground)
  const find = (id: string): MirroredDataVolume | null =>
    mirror.dataVolumes.by('id', id).find(({ what }) => what === 'volume') ?? null

  async function wantedOf({ source, sizeBytes }: VolumeSpec, signal: AbortSignal): Promise<Wanted> {
    switch (source.from) {
      case 'nothing':
        return { source: { blank: {} }, bytes: sizeBytes, isForeign: false }
      case 'url': {
        const { url, sha256, bytes } = await sources.url(source.url, signal)
        const http = { url, ...(sha256 === null ? {} : { checksum: `sha256:${sha256}` }) }
        return { source: { http }, bytes: Math.max(sizeBytes, bytes ?? 0), isForeign: true }
      }
      case 'registry': {
        const url = await sources.registry(source.image, signal)
        return { source: { registry: { url } }, bytes: sizeBytes, isForeign: true }
      }
      case 'file':
        throw new EngineError('unsupported', clusterLimits.diskFiles)
      case 'volume-snapshot': {
        const [snapshot] = mirror.volumeSnapshots.by('id', source.snapshotId)
        if (!snapshot?.status?.readyToUse) throw snapshotMissing()
        const diskBytes = bytesOf(snapshot.annotations[mark.size])
        return ofSnapshot(snapshot, snapshot.status.restoreSize, diskBytes, sizeBytes)
      }
      case 'machine-snapshot':
        return rootOf(source.snapshotId, sizeBytes)
    }
  }

  /**
   * @param diskBytes how large the disk in it is, where that is less than the snapshot: a file system took the rest. CDI
   *   adds room for one to any size that it is told, so that copies of copies would grow.
   */
  function ofSnapshot(
    { namespace, name }: { namespace: string; name: string },
    size: string | undefined,
    diskBytes: number | null,
    atLeast: number,
  ): Wanted {
    const source = { snapshot: { namespace, name } }
    if (diskBytes === null) return { source, bytes: Math.max(atLeast, bytesOf(size) ?? 0), isForeign: false }
    return { source, bytes: Math.max(atLeast, diskBytes), isAsSource: atLeast <= diskBytes, isForeign: false }
  }

  /** The root disk in a snapshot of a machine is a snapshot of a claim like any other. */
  async function rootOf(snapshotId: string, sizeBytes: number): Promise<Wanted> {
    const [snapshot] = mirror.machineSnapshots.by('id', snapshotId)
    const content = snapshot?.status?.virtualMachineSnapshotContentName
    if (!snapshot || !content) throw snapshotMissing()
    const { namespace } = snapshot
    try {
      const { spec } = await client.get(kinds.machineSnapshotContents, { namespace, name: content })
      const root = spec.volumeBackups?.find(
        ({ persistentVolumeClaim }) => persistentVolumeClaim.metadata.name === `${snapshot.machine}-root`,
      )
      const name = root?.volumeSnapshotName
      if (root === undefined || name === undefined) throw snapshotMissing()
      const { status } = await client.get(kinds.volumeSnapshots, { namespace, name })
      const [template] = spec.source?.virtualMachine?.spec.dataVolumeTemplates ?? []
      const requested = template?.spec.storage.resources?.requests.storage ?? ''
      const diskBytes = diskOnFileSystem({ requested }, root.persistentVolumeClaim)
      return ofSnapshot({ namespace, name }, status?.restoreSize, diskBytes, sizeBytes)
    } catch (error) {
      throw isKube(error, 'not-found') ? snapshotMissing() : error
    }
  }

  async function begin(spec: VolumeSpec, wanted: Wanted): Promise<void> {
    await ensureProject(spec.projectId)
    const namespace = names.namespaceOf(spec.projectId)
    if (wanted.isForeign) await sources.guard(namespace, spec.projectId)
    const made = await makeOnce(ground, kinds.dataVolumes, namespace, {
      kind: 'DataVolume',
      metadata: {
        name: names.volume(spec.id),
        labels: names.labels('volume', spec.id, spec.projectId),
        annotations: {
          'cdi.kubevirt.io/storage.bind.immediate.requested': 'true',
          ...(wanted.isAsSource && { [mark.size]: String(wanted.bytes) }),
        },
      },
      spec: {
        source: wanted.source,
        storage: {
          ...(storageClass === null ? {} : { storageClassName: storageClass }),
          ...(!wanted.isAsSource && { resources: { requests: { storage: quantityOf(wanted.bytes) } } }),
        },
      },
    })
    mirror.dataVolumes.observe(made)
  }

  /** Waits for the end of the making, whatever it is. */
  async function outcomeOf(
    id: string,
    { signal, onProgress }: Work,
  ): Promise<Exclude<Making, { is: 'coming' }>> {
    for (;;) {
      const before = find(id)
      const moved = (ms: number) =>
        whenMirrored(
          clock,
          [mirror.dataVolumes],
          () => {
            const now = find(id)
            if (now === null || now.isGoing) throw goneMeanwhile()
            const making = makingOf(now.status)
            return making.is !== 'coming' || now !== before ? making : null
          },
          { ms, signal },
        )
      const soonMs = Math.min(withoutPlaceMs, stillMs)
      const soon = await moved(soonMs)
      // The storage refuses it: whoever waits is told why, and it is tried again.
      const refusal = soon ?? (before && !hasPlace(before.status) ? await warnings.lastSince(before) : null)
      if (typeof refusal === 'string') throw stuck(refusal)
      const seen = soon ?? (await moved(stillMs - soonMs))
      if (seen === null) throw await standstill(id)
      if (seen.is !== 'coming') return seen
      onProgress(seen.progress)
    }
  }

  /** Nothing has moved for long: what the cluster says about the claim tells why. */
  async function standstill(id: string): Promise<EngineError> {
    const volume = find(id)
    const making = makingOf(volume?.status ?? null)
    const trouble = making.is === 'coming' ? making.trouble : null
    const why = trouble ?? (volume && (await warnings.lastSince(volume)))
    return stuck(why ?? null)
  }

  async function makeWhole(spec: VolumeSpec, work: Work): Promise<VolumeMade> {
    let atLeast = 0
    for (let sizes = 1; ; sizes++) {
      if (find(spec.id) === null) {
        const wanted = await wantedOf(spec, work.signal)
        goOn(work.signal)
        await begin(spec, { ...wanted, bytes: Math.max(wanted.bytes, atLeast) })
      }
      const made = await outcomeOf(spec.id, work)
      const volume = find(spec.id)
      if (made.is === 'whole') {
        const loss = lossOf(volume?.status ?? null)
        if (loss === null) return { sizeBytes: sizeOf(volume), sha256: null }
        await remove(spec.id)
        throw stuck(loss)
      }
      if (made.because !== 'too-small') throw failureOf(made, spec.source)
      const bytes = made.bytes ?? (volume && (await warnings.contentBytes(volume, work.signal)))
      goOn(work.signal)
      if (bytes === null)
        throw new EngineError('source-refused', 'The content does not fit on the disk. Create a larger disk.')
      if (sizes === mostSizes)
        throw new EngineError('source-refused', 'The content is larger than the cluster makes the disk.')
      atLeast = bytes
      await remove(spec.id)
    }
  }

  async function remove(id: string): Promise<void> {
    const volume = find(id)
    // What has been filled may have lost its owner in a restore; what is being filled would get a new claim.
    if (volume && makingOf(volume.status).is === 'whole')
      await inOurWords(notRemoved, () => removeOnce(ground, kinds.claims, volume))
    const what = { kind: kinds.dataVolumes, kept: mirror.dataVolumes, id, doing: notRemoved }
    await removeWhole(ground, what, { propagation: 'Foreground' })
  }

  /** Half-made things help nobody. When they cannot be removed now, who calls again removes them. */
  async function undo(id: string): Promise<void> {
    const volume = find(id)
    if (volume === null || makingOf(volume.status).is === 'whole') return
    await remove(id).catch((error) =>
      ground.log.warn({ err: error, id }, 'A half-made disk is left for a while'),
    )
  }

  return {
    async createVolume(spec, work) {
      requireSight(ground)
      const there = find(spec.id)
      if (there?.isGoing) throw goneMeanwhile()
      if (there && makingOf(there.status).is === 'whole' && lossOf(there.status) === null)
        return { sizeBytes: sizeOf(there), sha256: null }
      try {
        goOn(work.signal)
        return await inOurWords(notMade, () => makeWhole(spec, work))
      } catch (error) {
        await undo(spec.id)
        throw work.signal.aborted ? ended() : error
      }
    },

    async deleteVolume(id) {
      requireSight(ground)
      if (find(id) === null) return
      await letGo(id, null)
      await remove(id)
    },

    async inspectVolume(id): Promise<VolumeState> {
      const reason = outOfSight(ground)
      if (reason !== null) return { state: 'unreadable', reason }
      return stateOf(find(id))
    },

    async listVolumes() {
      requireSight(ground)
      const volumes = mirror.dataVolumes.all().filter(({ what }) => what === 'volume')
      const isThere = ({ state }: VolumeState) => state !== 'absent' && state !== 'broken'
      return volumes.filter((volume) => isThere(stateOf(volume))).map(({ id }) => id)
    },
  }

  function stateOf(volume: MirroredDataVolume | null): VolumeState {
    if (volume === null || volume.isGoing || makingOf(volume.status).is !== 'whole')
      return { state: 'absent' }
    const reason = lossOf(volume.status)
    if (reason === null) return { state: 'whole', sizeBytes: sizeOf(volume) }
    // A restore in place takes the claim away for a moment.
    const isRestored = mirror.machines
      .by('volume', volume.name)
      .some(({ status }) => status?.restoreInProgress)
    return isRestored
      ? { state: 'unreadable', reason: 'A restore of the VM is under way.' }
      : { state: 'broken', reason }
  }
}

const snapshotMissing = () => new EngineError('snapshot-missing', 'The snapshot is not there.')

const stuck = (why: string | null) => {
  if (why !== null && isOfQuota(why))
    return new EngineError('no-space', `${notMade} ${quotaUsedUp}`, { retryable: true })
  const said = why === null ? 'The cluster has stopped working on it.' : `The cluster said: ${oneLine(why)}`
  return new EngineError('internal', sentence(`${notMade} ${said}`), { retryable: true })
}

const goneMeanwhile = () =>
  new EngineError('internal', `${notMade} It is being deleted.`, { retryable: true })

const sentence = (text: string): string => `${text.replace(/\s+/g, ' ').trim().replace(/\.$/, '')}.`

function failureOf(made: { because: 'source' | 'quota'; why: string }, { from }: VolumeSource): EngineError {
  if (made.because === 'quota')
    return new EngineError('no-space', `${notMade} ${made.why}`, { retryable: true })
  const isForeign = from === 'url' || from === 'registry'
  return isForeign
    ? new EngineError('source-refused', sentence(`The cluster could not fetch it: ${made.why}`))
    : new EngineError('internal', sentence(`${notMade} The cluster said: ${made.why}`), { retryable: true })
}
