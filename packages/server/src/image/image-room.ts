import type { Log } from '../lib/log.ts'
import type { ImageFiles } from './image-files.ts'
import { filesOf, type KeptManifest, type Manifests } from './image-manifests.ts'

/** Between the use of an image and the record of a machine that names its files. */
const FRESH_MS = 10 * 60_000

/**
 * Removes files that neither an image nor a machine needs; then, while all together are above the budget, the images
 * that were not used for longest and that nothing stands on.
 */
export async function makeRoom(deps: {
  files: ImageFiles
  manifests: Manifests
  /** Paths of files that machines and snapshots stand on. */
  used: ReadonlySet<string>
  /** Whether an image stays whatever room it takes. */
  stays: (imageId: string) => boolean
  budgetBytes: number
  now: () => number
  log: Log
}): Promise<void> {
  const { files, manifests, used, stays, budgetBytes, now, log } = deps
  const isFresh = (ms: number) => now() - ms <= FRESH_MS
  let known = await manifests.list()

  const sweep = async () => {
    const needed = new Set(known.flatMap(({ manifest }) => filesOf(manifest).map(({ sha256 }) => sha256)))
    for (const { sha256, path, since } of await files.list()) {
      if (!needed.has(sha256) && !used.has(path) && !isFresh(since)) await files.remove(sha256)
    }
  }
  const mayGo = ({ manifest, usedAt }: KeptManifest) =>
    !stays(manifest.image) &&
    !isFresh(usedAt) &&
    !known.some(({ manifest: { lower } }) => lower?.image === manifest.image) &&
    !filesOf(manifest).some(({ sha256 }) => used.has(files.pathOf(sha256)))

  await sweep()
  for (const kept of known.filter(mayGo).sort((one, other) => one.usedAt - other.usedAt)) {
    const total = (await files.list()).reduce((sum, { bytes }) => sum + bytes, 0)
    if (total <= budgetBytes) return
    log.info({ image: kept.manifest.image }, 'A boot image was removed to make room; it can be made again')
    await manifests.remove(kept)
    known = known.filter((other) => other !== kept)
    await sweep()
  }
}
