import { createReadStream, createWriteStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { run } from '../lib/command.ts'
import { bootstrap, TREE } from './bootstrap.ts'
import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import { differenceOf } from './difference.ts'
import { applyChanges, type Listing, listingOf } from './ext4-changes.ts'
import { packagesIn } from './package-list.ts'
import type { LayerRecipe } from './recipe.ts'
import { contentIn, withTar } from './tar.ts'

/**
 * Builds an image upon another one. The disk is a qcow2 file that holds only what differs from the lower disk; its
 * backing file is that disk by its bare name, so the two must lie in one folder when the image is used.
 */
export async function buildLayer(
  recipe: LayerRecipe & { id: string; dir: string },
  lower: LowerImage,
  { mirror }: { mirror: string },
  { workDir, signal, onProgress }: BuildWork,
): Promise<BuiltImage> {
  const lowerArchive = join(workDir, 'lower.tar')
  await pipeline(createReadStream(lower.tree), createZstdDecompress(), createWriteStream(lowerArchive), {
    signal,
  })
  const before = await withTar(lowerArchive, listingOf)
  await bootstrap({
    suite: await withTar(lowerArchive, (tar) => suiteIn(before, tar)),
    mirror,
    packages: recipe.packages,
    upon: 'lower.tar',
    recipeDir: recipe.dir,
    npm: recipe.npm,
    workDir,
    signal,
    onProgress: (fraction) => onProgress(fraction * 0.75),
  })
  onProgress(0.75)

  const raw = join(workDir, 'root.raw')
  const lowerRaw = join(workDir, 'lower.raw')
  for (const copy of [raw, lowerRaw]) {
    await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', lower.disk, copy], { signal })
  }
  const sources = await withTar(lowerArchive, (lowerTar) =>
    withTar(join(workDir, TREE), async (tar) => {
      const after = await listingOf(tar)
      onProgress(0.8)
      await applyChanges(raw, before, after, tar, workDir, { signal })
      const had = new Set(await packagesIn(before, lowerTar))
      return (await packagesIn(after, tar)).filter((line) => !had.has(line))
    }),
  )
  onProgress(0.9)
  const disk = await differenceOf({ raw, lowerRaw, lower: lower.disk }, workDir, signal)
  onProgress(1)
  return { disk, sources }
}

/** The code name of the release that an image is of. Source: os-release(5). */
async function suiteIn(listing: Listing, archive: FileHandle): Promise<string> {
  const file = listing.get('/usr/lib/os-release')
  const text = file ? (await contentIn(archive, file)).toString() : ''
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(text)?.[1]
  if (!suite) throw new Error('The image to build upon does not say which release it is of')
  return suite
}
