/** Removes boot images that were uploaded for recipes of other versions. */
import { isUploaded } from './image-state.ts'
import { removeImage, type UploadGround } from './image-upload.ts'
import { whenMirrored } from './mirror-wait.ts'
import { mark } from './names.ts'

/**
 * Those that the cluster fetched from an address stay, as do uploads under way.
 *
 * @param wanted the keys that recipes have now
 * @returns the keys of what was removed
 */
export async function pruneImages(
  ground: UploadGround,
  wanted: ReadonlySet<string>,
  deadMs = 60_000,
): Promise<string[]> {
  const { dataVolumes } = ground.mirror
  const old = dataVolumes.all().filter(({ what, id, annotations, isGoing }) => {
    const isOfOurs = what === 'image' && annotations[mark.upload] !== undefined
    return isOfOurs && !isGoing && !wanted.has(id)
  })
  const removed = old.map(async (volume) => {
    const isChanged = () => (dataVolumes.by('id', volume.id)[0] !== volume ? true : null)
    const isLeft =
      isUploaded(volume) || !(await whenMirrored(ground.clock, [dataVolumes], isChanged, { ms: deadMs }))
    if (isLeft) await removeImage(ground, volume)
    return isLeft ? [volume.id] : []
  })
  return (await Promise.all(removed)).flat()
}
