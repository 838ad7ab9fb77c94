/**
 * Boot images on a cluster: a DataVolume each, in a namespace of their own, which the root disks of machines are cloned
 * from. Foreign ones are fetched by the cluster. Ours are built and uploaded by an operator's program (`image-upload.ts`):
 * a server in a container has neither the tools nor the rights to build one, so here they are only looked for.
 */
import { makeSourcePolicy } from '../../image/download-policy.ts'
import { usualPace } from '../../image/download-request.ts'
import { lookAtImage } from '../../image/foreign-look.ts'
import { readImageAddress } from '../../image/image-address.ts'
import { ImportError } from '../../image/import-error.ts'
import { inBackground } from '../../lib/in-background.ts'
import { type Engine, EngineError, type ImageState } from '../engine.ts'
import { makeClaimWarnings } from './claim-warnings.ts'
import { inOurWords } from './failure.ts'
import type { ForeignLimits, ForeignSources } from './foreign-sources.ts'
import type { Ground } from './ground.ts'
import type { ClusterImage, ClusterImages } from './image-keys.ts'
import { type ImageSeen, imageStateOf, uploadHint } from './image-state.ts'
import { ensureImageNamespace, imageVolume } from './image-volume.ts'
import { kinds } from './kinds.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { bytesOf } from './quantities.ts'
import { makeOnce, removeWhole } from './removal.ts'
import { outOfSight } from './sight.ts'

/** A claim that root disks are cloned from. */
export interface ImageClaim {
  namespace: string
  name: string
  sizeBytes: number
}

export type Images = Pick<Engine, 'image' | 'lookAtImage' | 'checkImage'> & {
  /** Null while the image is not ready. */
  claimOf(imageId: string): ImageClaim | null
}

export interface ImageOptions {
  images: ClusterImages
  limits: ForeignLimits
  sources: Pick<ForeignSources, 'guard'>
  /** The claim of a foreign image whose size does not show beforehand. */
  rootBytes: number
}

const failureToldMs = 60_000
/** An upload that lives shows it several times in this time. */
const stillMs = 120_000
const lookMs = 10_000

export function makeImages(ground: Ground, options: ImageOptions): Images {
  const { mirror, names, clock, log } = ground
  const { images, limits, sources, rootBytes } = options
  const policy = makeSourcePolicy(limits.privateSources)
  const warnings = makeClaimWarnings(ground)
  /** Foreign images that are being begun. */
  const beginning = new Set<string>()
  const failures = new Map<string, { reason: string; at: number }>()
  /** Since when an upload looks the way it does. */
  const looks = new Map<string, { volume: MirroredDataVolume; since: number }>()

  const find = (key: string): MirroredDataVolume | null =>
    mirror.dataVolumes.by('id', key).find(({ what }) => what === 'image') ?? null

  function isStill(key: string, volume: MirroredDataVolume | null): boolean {
    const known = looks.get(key)
    if (volume !== null && known?.volume === volume) return clock.now() - known.since > stillMs
    if (volume === null) looks.delete(key)
    else looks.set(key, { volume, since: clock.now() })
    return false
  }

  function seenOf(image: ClusterImage): ImageSeen {
    const volume = find(image.key)
    return imageStateOf(image, volume, isStill(image.key, volume))
  }

  const coming = ({ name }: ClusterImage): ImageState => ({
    state: 'coming',
    progress: null,
    what: `Downloading the image from ${name}`,
  })

  const look = (address: string) => {
    const signal = AbortSignal.timeout(lookMs)
    return lookAtImage(address, { limits, policy, signal, pace: usualPace })
  }

  /** Lets the cluster fetch an image, in place of what an earlier try left. */
  async function fetch(image: ClusterImage, address: string, seen: ImageSeen): Promise<void> {
    const atLeast = seen.state === 'too-small' ? await bytesFor(image, seen.bytes) : 0
    const { virtualBytes } = await look(address)
    const bytes = Math.max(virtualBytes ?? rootBytes, atLeast)
    if (bytes > limits.maxVirtualBytes) throw new ImportError('The disk of the image is too large.')
    await inOurWords('The image could not be downloaded.', async () => {
      const doing = 'The image could not be downloaded again.'
      const left = { kind: kinds.dataVolumes, kept: mirror.dataVolumes, id: image.key, doing }
      if (find(image.key)) await removeWhole(ground, left, { propagation: 'Foreground' })
      await ensureImageNamespace(ground)
      await sources.guard(names.imagesNamespace, 'images')
      const { url, sha256 } = readImageAddress(address)
      const http = { url: url.href, ...(sha256 === null ? {} : { checksum: `sha256:${sha256}` }) }
      const wanted = imageVolume(ground, image.key, { http }, bytes)
      mirror.dataVolumes.observe(await makeOnce(ground, kinds.dataVolumes, names.imagesNamespace, wanted))
    })
  }

  async function bytesFor({ key }: ClusterImage, told: number | null): Promise<number> {
    const volume = find(key)
    const bytes = told ?? (volume && (await warnings.contentBytes(volume)))
    if (bytes === null)
      throw new ImportError('The image is larger than the place that the cluster made for it.')
    return bytes
  }

  function begin(image: ClusterImage, address: string, seen: ImageSeen): void {
    if (beginning.has(image.key)) return
    beginning.add(image.key)
    failures.delete(image.key)
    const done = fetch(image, address, seen).then(
      () => void beginning.delete(image.key),
      (error: unknown) => {
        beginning.delete(image.key)
        const isTold = error instanceof ImportError || error instanceof EngineError
        const reason = isTold ? error.message : 'The image could not be downloaded.'
        if (!isTold) log.error({ err: error, image: image.name }, 'A boot image could not be fetched')
        failures.set(image.key, { reason, at: clock.now() })
      },
    )
    inBackground(log, `fetching ${image.name}`, done)
  }

  /** Of an image that is neither there nor coming: why. Null when nothing is known against it. */
  function failureOf(image: ClusterImage, seen: ImageSeen): ImageState | null {
    const told = failures.get(image.key)
    if (told) return { state: 'unavailable', reason: told.reason }
    if (seen.state !== 'unavailable') return null
    failures.set(image.key, { reason: seen.reason, at: clock.now() })
    return seen
  }

  function foreign(image: ClusterImage, address: string, again: boolean): ImageState {
    if (beginning.has(image.key)) return coming(image)
    const seen = seenOf(image)
    if (seen.state === 'ready' || seen.state === 'coming') {
      failures.delete(image.key)
      return seen
    }
    const failure = failureOf(image, seen)
    const at = failures.get(image.key)?.at ?? 0
    if (failure && !again && clock.now() - at < failureToldMs) return failure
    begin(image, address, seen)
    return coming(image)
  }

  function uploaded(image: ClusterImage): ImageState {
    const seen = seenOf(image)
    if (seen.state !== 'absent' && seen.state !== 'too-small') return seen
    const reason = `The ${image.name} image has not been uploaded to this cluster. ${uploadHint(image)}`
    return { state: 'unavailable', reason }
  }

  return {
    async image(imageId, again = false) {
      const reason = outOfSight(ground)
      if (reason !== null) return { state: 'unavailable', reason }
      const image = images.find(imageId)
      if (image === null) return unknown
      return image.address === null ? uploaded(image) : foreign(image, image.address, again)
    },

    async lookAtImage(imageId) {
      const reason = outOfSight(ground)
      if (reason !== null) return { state: 'unavailable', reason }
      const image = images.find(imageId)
      if (image === null) return unknown
      if (image.address === null) return uploaded(image)
      if (beginning.has(image.key)) return coming(image)
      const seen = seenOf(image)
      if (seen.state === 'too-small') return { state: 'absent' }
      return seen.state === 'absent' ? (failureOf(image, seen) ?? seen) : seen
    },

    async checkImage(address) {
      try {
        return await look(address)
      } catch (error) {
        if (error instanceof ImportError) return { refused: error.message }
        throw error
      }
    },

    claimOf(imageId) {
      const image = images.find(imageId)
      const volume = image && find(image.key)
      if (!image || !volume || imageStateOf(image, volume, false).state !== 'ready') return null
      const { namespace, name, requested } = volume
      return { namespace, name, sizeBytes: bytesOf(requested) ?? 0 }
    },
  }
}

const unknown: ImageState = { state: 'unavailable', reason: 'The image does not exist.' }
