import { join } from 'node:path'
import type { BuildWork, BuiltImage } from './builder.ts'
import { withoutSecrets } from './image-address.ts'
import type { Importer } from './import.ts'

/**
 * Fetches a boot image that somebody else made, such as a distribution's cloud image: qcow2, raw, VMDK or hybrid ISO,
 * also packed. Its address may pin a checksum (see `readImageAddress`). Throws ImportErrors, or the signal's reason.
 */
export async function fetchForeign(url: string, importer: Importer, work: BuildWork): Promise<BuiltImage> {
  const disk = join(work.workDir, 'disk')
  const { signal, onProgress } = work
  const { sha256 } = await importer.import({ from: 'url', url }, disk, { signal, onProgress, bootable: true })
  return { disk, sources: [withoutSecrets(url), `sha256:${sha256}`] }
}
