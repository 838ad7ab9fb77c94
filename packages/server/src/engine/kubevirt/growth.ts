/**
 * Making disks larger: a claim asks its storage for more, and KubeVirt tells a living guest when it has it. Nothing in a
 * guest can be asked to make use of it: KubeVirt passes no commands on to guest agents.
 */
import { type Engine, EngineError, type RootGrown } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { isGiven, requestFor, sizeOfClaim } from './claim-size.ts'
import { makeClaimWarnings } from './claim-warnings.ts'
import { inOurWords, oneLine } from './failure.ts'
import type { Ground } from './ground.ts'
import { type Claim, kinds, type VirtualMachine } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import { makeReflector } from './kube/reflector.ts'
import { makeHolders } from './machine-holders.ts'
import type { MirroredDataVolume, MirroredMachine } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { bytesOf, quantityOf } from './quantities.ts'
import { rootMoves } from './root-disk.ts'
import { requireSight } from './sight.ts'
import { makingOf, sizeOf } from './volume-state.ts'

const notGrown = 'The disk could not be enlarged.'

/** How long a call waits for a copy to end, and for the storage; what takes longer is for the next call. */
const usualTimes = { copiedMs: 60_000, givenMs: 45_000 }

export interface Growth extends Pick<Engine, 'growVolume' | 'growRoot'> {
  /**
   * After a restore: makes what was put in place as large as the disks were before it. A disk for which the storage
   * cannot do that keeps the size of its snapshot.
   */
  keepSizes(machine: MirroredMachine, own: VirtualMachine['spec'], volumeIds: string[]): Promise<void>
}

interface Wish {
  sizeBytes: number
  /** The sentence for storage that lets nothing grow. */
  cannot: string
  hasGuest: () => boolean
  /** What else is to be larger from then on; done before the storage is waited for. */
  beside?: () => Promise<unknown>
}

/** What is kept of a claim while it is waited for. */
type WaitedFor = Pick<Claim, 'status'> & { uid: string }

export function makeGrowth(ground: Ground, { copiedMs, givenMs } = usualTimes): Growth {
  const { client, mirror, names, clock, log } = ground
  const { machineOf, guestOf, change, untilNotCopied } = makeHolders(ground)
  const root = rootMoves(ground)
  const warnings = makeClaimWarnings(ground)
  const find = (id: string): MirroredDataVolume | null =>
    mirror.dataVolumes.by('id', id).find(({ what, isGoing }) => what === 'volume' && !isGoing) ?? null

  /** KubeVirt notes claims in snapshots as they are at that moment, and exchanges them in restores. */
  const whenNotCopied = (machines: () => MirroredMachine[]) => untilNotCopied(machines, notGrown, copiedMs)

  /** Has the claim of a disk ask for enough. */
  async function ask(volume: MirroredDataVolume, { sizeBytes, cannot }: Wish) {
    const at = { namespace: volume.namespace, name: volume.name }
    const claim = await client.get(kinds.claims, at)
    const { uid } = claim.metadata
    const has = sizeOfClaim(volume, claim)
    if (has.diskBytes >= sizeBytes) return { ...has, uid, status: claim.status }
    if (claim.status?.phase !== 'Bound')
      throw new EngineError('volume-busy', `${notGrown} The storage has no place for it yet.`, {
        retryable: true,
      })
    const storage = requestFor(has, claim.spec.volumeMode, sizeBytes)
    try {
      // Of just this claim: a restore puts another one in its place.
      const { status } = await client.merge(kinds.claims, at, {
        metadata: { uid, annotations: { [mark.size]: String(sizeBytes) } },
        spec: { resources: { requests: { storage: quantityOf(storage) } } },
      })
      return { requested: storage, diskBytes: sizeBytes, uid, status }
    } catch (error) {
      if (isKube(error, 'forbidden') && /can be resized/.test(error.message))
        throw new EngineError('unsupported', cannot, { cause: error })
      throw error
    }
  }

  /** Waits until the storage has given it. Few claims grow at a time: each is watched for so long, and none else. */
  async function isGivenInTime(
    { namespace, name }: MirroredDataVolume,
    { uid, requested, status }: { uid: string | undefined; requested: number; status: Claim['status'] },
    hasGuest: () => boolean,
  ): Promise<boolean> {
    if (isGiven(status, requested, hasGuest())) return true
    const claims = makeReflector<Claim, WaitedFor, never>({
      ...{ client, clock, log, namespace, fieldSelector: `metadata.name=${name}` },
      kind: kinds.claims,
      trim: ({ metadata, status }) => ({ uid: metadata.uid ?? '', ...(status && { status }) }),
      indexes: {},
    })
    try {
      const look = () => {
        const claim = claims.get(`${namespace}/${name}`)
        if (claim && claim.uid !== uid)
          throw new EngineError('internal', `${notGrown} It was replaced meanwhile.`, {
            retryable: true,
          })
        return claim && isGiven(claim.status, requested, hasGuest()) ? true : null
      }
      return (await whenMirrored(clock, [claims, mirror.instances], look, { ms: givenMs })) === true
    } finally {
      await claims.close()
    }
  }

  async function grow(volume: MirroredDataVolume, wish: Wish): Promise<number> {
    const { namespace, name, uid } = volume
    const asked = await ask(volume, wish)
    await wish.beside?.()
    if (!(await isGivenInTime(volume, asked, wish.hasGuest))) {
      const why = await warnings.lastOf({ namespace, name }, /resiz/i)
      const said = why
        ? `The cluster said: ${oneLine(why).replace(/\.$/, '')}.`
        : 'The storage is still at it.'
      throw new EngineError('internal', `${notGrown} ${said}`, { retryable: true })
    }
    if (sizeOf(volume) < asked.diskBytes) {
      const metadata = { uid, annotations: { [mark.size]: String(asked.diskBytes) } }
      mirror.dataVolumes.observe(await client.merge(kinds.dataVolumes, { namespace, name }, { metadata }))
    }
    return asked.diskBytes
  }

  /** Root disks that start from the image again are made by this. */
  const rootRequest = '/spec/dataVolumeTemplates/0/spec/storage/resources/requests/storage'
  const rootOf = ({ dataVolumeTemplates }: VirtualMachine['spec']): number =>
    bytesOf(dataVolumeTemplates?.[0]?.spec.storage.resources?.requests.storage) ?? 0
  const noteRoot = (machine: MirroredMachine, sizeBytes: number) =>
    change(
      machine,
      ({ spec }) =>
        rootOf(spec) >= sizeBytes ? [] : [{ op: 'replace', path: rootRequest, value: quantityOf(sizeBytes) }],
      notGrown,
    )

  return {
    async growVolume(volumeId, _machineId, sizeBytes) {
      requireSight(ground)
      const name = names.volume(volumeId)
      if (find(volumeId) === null) throw new EngineError('volume-missing', 'The disk is not there.')
      await whenNotCopied(() => mirror.machines.by('volume', name))
      const volume = find(volumeId)
      if (volume === null || makingOf(volume.status).is !== 'whole')
        throw new EngineError('volume-missing', 'The disk is not there.')
      const has = sizeOf(volume)
      if (has >= sizeBytes) return has
      const hasGuest = () => mirror.instances.by('volume', name).some((one) => guestOf(one) !== null)
      return inOurWords(notGrown, () =>
        grow(volume, { sizeBytes, cannot: clusterLimits.growDisks, hasGuest }),
      )
    },

    async growRoot(machineId, sizeBytes): Promise<RootGrown> {
      requireSight(ground)
      const machine = machineOf(machineId)
      if (machine === null) throw new EngineError('machine-missing', 'The VM is not there.')
      const made = root.of(machineId)
      const has = sizeOf(made)
      if (has >= sizeBytes) {
        // Its guest made use of what it was made with when it booted first; what came later waits for a boot.
        const isAsMade = made?.annotations[mark.size] === undefined
        return { sizeBytes: has, fileSystem: isAsMade ? 'grown' : 'next-boot' }
      }
      await whenNotCopied(() => mirror.machines.by('id', machineId))
      const volume = root.of(machineId)
      if (volume === null || makingOf(volume.status).is !== 'whole')
        throw new EngineError('volume-busy', `${notGrown} It is still being created.`, { retryable: true })
      const bytes = await inOurWords(notGrown, () =>
        grow(volume, {
          sizeBytes,
          cannot: clusterLimits.growRootDisks,
          hasGuest: () => guestOf(machine) !== null,
          beside: () => noteRoot(machine, sizeBytes),
        }),
      )
      return { sizeBytes: bytes, fileSystem: 'next-boot' }
    },

    async keepSizes(machine, own, volumeIds) {
      const made = root.of(machine.id)
      const disks = [
        ...(made === null ? [] : [{ volume: made, sizeBytes: Math.max(rootOf(own), sizeOf(made)) }]),
        ...volumeIds
          .map(find)
          .flatMap((volume) => (volume === null ? [] : [{ volume, sizeBytes: sizeOf(volume) }])),
      ]
      for (const { volume, sizeBytes } of disks)
        try {
          await grow(volume, { sizeBytes, cannot: clusterLimits.growDisks, hasGuest: () => false })
        } catch (error) {
          const isPlaceless = error instanceof EngineError && error.code === 'volume-busy'
          if (!isPlaceless && !(error instanceof EngineError && error.code === 'unsupported')) throw error
          log.warn({ err: error, disk: volume.name }, 'A disk has the size of its snapshot after a restore')
        }
    },
  }
}
