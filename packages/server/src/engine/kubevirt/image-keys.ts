/** By which key a cluster has a boot image. */
import { createHash } from 'node:crypto'
import { BOOTABLE_SHAPE } from '../../image/bootable-disk.ts'
import { isAddress } from '../../image/image-manifests.ts'
import { makeKnownImages } from '../../image/known-images.ts'
import type { Recipe } from '../../image/recipe.ts'

export interface ClusterImage {
  /** Part of the name of its objects. */
  key: string
  /** For sentences. */
  name: string
  /** Where the cluster fetches it from; null for one of our recipes, which is uploaded. */
  address: string | null
  /** What an operator says to upload it. */
  recipeId: string
}

const digestOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits)

/**
 * The key of an image of ours follows from everything its recipe consists of: whoever has the recipes knows which object
 * to look for without building anything, and a changed recipe is another object. That of a foreign one is its address.
 */
export async function readClusterImages(
  recipes: readonly Recipe[],
): Promise<{ ours: readonly ClusterImage[]; find(imageId: string): ClusterImage | null }> {
  const known = makeKnownImages(recipes)
  const ours: ClusterImage[] = []
  for (const { id, kind, name } of recipes) {
    if (kind === 'foreign') continue
    const version = digestOf(`${BOOTABLE_SHAPE} ${await known.versionOf(id)}`, 16)
    ours.push({ key: `${id}-${version}`, name, address: null, recipeId: id })
  }
  const byId = new Map(ours.map((image) => [image.recipeId, image]))
  return {
    ours,
    find: (imageId) =>
      byId.get(imageId) ??
      (isAddress(imageId)
        ? { key: digestOf(imageId, 32), name: new URL(imageId).host, address: imageId, recipeId: imageId }
        : null),
  }
}

export type ClusterImages = Awaited<ReturnType<typeof readClusterImages>>
