/** How it is with a boot image, from what the cluster says of its DataVolume. */
import type { ImageState } from '../engine.ts'
import type { ClusterImage } from './image-keys.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { mark } from './names.ts'
import { lossOf, makingOf } from './volume-state.ts'

export type ImageSeen =
  | ImageState
  | { state: 'absent' }
  /** The cluster has to fetch it again, into a claim of so many bytes; null where only events tell how many. */
  | { state: 'too-small'; bytes: number | null }

type Seen = Pick<MirroredDataVolume, 'status' | 'annotations' | 'isGoing'>

export const uploadHint = ({ recipeId }: Pick<ClusterImage, 'recipeId'>): string =>
  `An operator can upload it with: npm run images -- --upload ${recipeId}`

/** @param isStill whether nothing has changed for longer than whoever uploads it would be silent */
export function imageStateOf(image: ClusterImage, volume: Seen | null, isStill: boolean): ImageSeen {
  if (volume === null || volume.isGoing) return { state: 'absent' }
  const making = makingOf(volume.status)
  if (making.is === 'whole' && lossOf(volume.status) !== null) return { state: 'absent' }
  return image.address === null ? uploadedState(image, volume, isStill) : fetchedState(image, volume)
}

/** Whole is only what was marked so after all of it was sent and the cluster had taken it. */
export const isUploaded = ({ status, annotations, isGoing }: Seen): boolean =>
  !isGoing &&
  annotations[mark.uploaded] !== undefined &&
  makingOf(status).is === 'whole' &&
  lossOf(status) === null

function uploadedState(image: ClusterImage, volume: Seen, isStill: boolean): ImageSeen {
  if (isUploaded(volume)) return { state: 'ready' }
  if (!isStill)
    return {
      state: 'coming',
      progress: readUpload(volume.annotations[mark.upload])?.fraction ?? null,
      what: `Uploading the ${image.name} image`,
    }
  return {
    state: 'unavailable',
    reason: `The upload of the ${image.name} image was interrupted. ${uploadHint(image)}`,
  }
}

function fetchedState(image: ClusterImage, volume: Seen): ImageSeen {
  const making = makingOf(volume.status)
  if (making.is === 'whole') return { state: 'ready' }
  if (making.is === 'coming') {
    const trouble = making.trouble === null ? '' : ` (trying again: ${making.trouble.replace(/\.$/, '')})`
    return {
      state: 'coming',
      progress: making.progress,
      what: `Downloading the image from ${image.name}${trouble}`,
    }
  }
  if (making.because === 'too-small') return { state: 'too-small', bytes: making.bytes }
  const why = making.why.replace(/\.$/, '')
  return {
    state: 'unavailable',
    reason:
      making.because === 'quota'
        ? 'The quota for boot images in the cluster is used up.'
        : `The image could not be downloaded from ${image.name}: ${why}.`,
  }
}

/** What an upload says of itself while it lives. */
export interface Upload {
  run: string
  beat: number
  fraction: number
}

/** Somebody else may have written it. */
export function readUpload(text: string | undefined): Upload | null {
  try {
    const { run, beat, fraction } = JSON.parse(text ?? '')
    if (typeof run !== 'string' || typeof beat !== 'number' || typeof fraction !== 'number') return null
    return { run, beat, fraction: Math.min(1, Math.max(0, fraction)) }
  } catch {
    return null
  }
}
