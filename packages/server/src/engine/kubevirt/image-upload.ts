/**
 * Brings a boot image that was built elsewhere into the cluster, once. It is known by its key; who uploads it writes into
 * its object every few seconds, and only marks it whole when all of it was sent and the cluster had taken it. Whoever finds
 * one that is not whole waits while it shows life, and else removes it and begins again: half an image never counts.
 */
import { randomUUID } from 'node:crypto'
import { EngineError, type Work } from '../engine.ts'
import { inOurWords } from './failure.ts'
import type { Ground } from './ground.ts'
import type { ClusterImage } from './image-keys.ts'
import { isUploaded, readUpload, type Upload } from './image-state.ts'
import { ensureImageNamespace, imageVolume } from './image-volume.ts'
import { kinds, uploadKinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { Mirror, MirroredDataVolume } from './mirror.ts'
import { goOn, whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'
import { makeOnce } from './removal.ts'
import { sendFile, type UploadProxy } from './upload-proxy.ts'
import { makingOf } from './volume-state.ts'

export interface UploadGround extends Pick<Ground, 'client' | 'names' | 'clock' | 'storageClass'> {
  mirror: Pick<Mirror, 'dataVolumes'>
}

export interface ImageDisk {
  path: string
  sha256: string
  virtualBytes: number
}

export interface UploadOptions {
  proxy: UploadProxy
  beatMs?: number
  /** After so long without a sign of life an upload has died. */
  deadMs?: number
}

/** How long the cluster may take to make the claim, or to convert what it was sent, without showing a change. */
const patienceMs = 15 * 60_000
const goneMs = 2 * 60_000
const mostTries = 3

const doing = (image: ClusterImage) => `The ${image.name} image could not be uploaded.`

/** The object of an image; null where there is none. */
export const findImage = (ground: Pick<UploadGround, 'mirror'>, key: string): MirroredDataVolume | null =>
  ground.mirror.dataVolumes.by('id', key).find(({ what }) => what === 'image') ?? null

/** @returns `there` when somebody had uploaded it before or did so meanwhile; `disk` is asked for only otherwise */
export async function uploadImage(
  ground: UploadGround,
  image: ClusterImage,
  disk: () => Promise<ImageDisk>,
  options: UploadOptions,
  work: Work,
): Promise<'uploaded' | 'there'> {
  const run = randomUUID()
  await inOurWords(doing(image), () => ensureImageNamespace(ground))
  for (let tries = 0; ; ) {
    goOn(work.signal)
    if (!(await isOurTurn(ground, image, options, work.signal))) return 'there'
    const made = await disk()
    const volume = await inOurWords(doing(image), () => begin(ground, image, made, run))
    // Somebody was quicker: it is theirs now.
    if (volume === null) continue
    try {
      await inOurWords(doing(image), () => fill(ground, image, volume, made, { run, ...options }, work))
      return 'uploaded'
    } catch (error) {
      await removeImage(ground, volume).catch(() => {})
      goOn(work.signal)
      if (!(error instanceof EngineError) || !error.retryable || ++tries === mostTries) throw error
    }
  }
}

/** Resolves when there is nothing under the key (true), or a whole image (false). */
async function isOurTurn(
  ground: UploadGround,
  { key }: ClusterImage,
  { deadMs = 60_000 }: UploadOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, mirror } = ground
  for (;;) {
    const before = findImage(ground, key)
    if (before === null) return true
    if (isUploaded(before)) return false
    const isChanged = () => (findImage(ground, key) !== before ? true : null)
    const isAlive = await whenMirrored(clock, [mirror.dataVolumes], isChanged, { ms: deadMs, signal })
    if (!isAlive) await removeImage(ground, before)
  }
}

/** Removes just this object, with its claim; another one that came under its name stays. */
export async function removeImage(ground: UploadGround, volume: MirroredDataVolume): Promise<void> {
  const { namespace, name, uid, id } = volume
  try {
    await ground.client.remove(kinds.dataVolumes, { namespace, name }, { uid, propagation: 'Foreground' })
  } catch (error) {
    if (!isKube(error, 'not-found') && !isKube(error, 'conflict')) throw error
  }
  const isGone = () => (findImage(ground, id)?.uid === uid ? null : true)
  const gone = await whenMirrored(ground.clock, [ground.mirror.dataVolumes], isGone, { ms: goneMs })
  if (!gone) throw new EngineError('internal', 'The cluster still holds an older image.', { retryable: true })
}

/** Null where another upload has made the object first. */
async function begin(
  ground: UploadGround,
  image: ClusterImage,
  { virtualBytes }: ImageDisk,
  run: string,
): Promise<MirroredDataVolume | null> {
  const annotations = { [mark.upload]: beatOf({ run, beat: 0, fraction: 0 }) }
  const wanted = imageVolume(ground, image.key, { upload: {} }, virtualBytes, annotations)
  const { names, mirror } = ground
  const made = await makeOnce(ground, kinds.dataVolumes, names.imagesNamespace, wanted)
  mirror.dataVolumes.observe(made)
  const isOurs = readUpload(made.metadata.annotations?.[mark.upload])?.run === run
  return isOurs ? findImage(ground, image.key) : null
}

async function fill(
  ground: UploadGround,
  image: ClusterImage,
  volume: MirroredDataVolume,
  disk: ImageDisk,
  { proxy, run, beatMs = 10_000 }: UploadOptions & { run: string },
  { signal: wanted, onProgress }: Work,
): Promise<void> {
  const { client, clock } = ground
  const at = { namespace: volume.namespace, name: volume.name }
  const lost = new AbortController()
  const signal = AbortSignal.any([wanted, lost.signal])
  let fraction = 0
  let beat = 0
  let isOver = false
  // With the uid this is refused for an object that somebody else made in its place.
  const note = (annotations: Record<string, string>) =>
    client.merge(kinds.dataVolumes, at, { metadata: { uid: volume.uid, annotations } })
  let stopBeating = () => {}
  const isTaken = (error: unknown) => {
    if (isKube(error, 'not-found') || isKube(error, 'conflict')) lost.abort(takenAway())
  }
  const beatOn = () => {
    stopBeating = clock.after(beatMs, () => {
      beat += 1
      const told = note({ [mark.upload]: beatOf({ run, beat, fraction }) })
      void told.catch(isTaken).then(() => {
        if (!isOver && !signal.aborted) beatOn()
      })
    })
  }
  beatOn()
  try {
    await phaseOf(ground, image, volume, signal, ({ phase }) => phase === 'UploadReady')
    const asked = { kind: 'UploadTokenRequest', metadata: { name: volume.name } }
    const spec = { pvcName: volume.name }
    const request = await client.create(
      uploadKinds.uploadTokenRequests,
      volume.namespace,
      { ...asked, spec },
      { repeat: true },
    )
    const token = request.status?.token
    if (!token) throw new EngineError('internal', 'The cluster gave no right to upload.', { retryable: true })
    await sendFile(
      proxy,
      { file: disk.path, token },
      {
        signal,
        onProgress(now) {
          fraction = now
          onProgress(now)
        },
      },
    )
    await phaseOf(ground, image, volume, signal, (status) => makingOf(status).is === 'whole')
    await note({ [mark.uploaded]: disk.sha256 })
    // Who asks next finds it whole.
    ground.mirror.dataVolumes.observe(await client.get(kinds.dataVolumes, at))
  } catch (error) {
    throw lost.signal.aborted ? takenAway() : error
  } finally {
    isOver = true
    stopBeating()
  }
}

type Status = NonNullable<MirroredDataVolume['status']>

/** Waits until the cluster says so of this very object. */
async function phaseOf(
  ground: UploadGround,
  image: ClusterImage,
  { uid }: MirroredDataVolume,
  signal: AbortSignal,
  isSo: (status: Status) => boolean,
): Promise<void> {
  const look = () => {
    const now = findImage(ground, image.key)
    if (now?.uid !== uid || now.isGoing) throw takenAway()
    if (now.status === null) return null
    const making = makingOf(now.status)
    if (making.is === 'failed')
      throw new EngineError(
        making.because === 'quota' ? 'no-space' : 'internal',
        making.because === 'too-small'
          ? 'The cluster made the disk too small for the image.'
          : `The cluster did not take the image: ${making.why}`,
      )
    return isSo(now.status) ? true : null
  }
  const seen = await whenMirrored(ground.clock, [ground.mirror.dataVolumes], look, { ms: patienceMs, signal })
  if (!seen)
    throw new EngineError('internal', 'The cluster has stopped working on the image.', { retryable: true })
}

const beatOf = (upload: Upload): string => JSON.stringify(upload)

const takenAway = () =>
  new EngineError('internal', 'The image was deleted in the cluster while it was uploaded.', {
    retryable: true,
  })
