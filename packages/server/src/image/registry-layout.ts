import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fetching } from './download-request.ts'
import { ImportError, inWords } from './import-error.ts'
import { sha256Of, unpack } from './import-unpack.ts'
import { type Descriptor, digestOf, makeRegistryClient } from './registry-client.ts'
import { parseReference } from './registry-reference.ts'

export interface Pull extends Fetching {
  image: string
  /** A new directory: an OCI image layout with one image, {@link PULLED}. */
  dir: string
  maxBytes: number
  onProgress: (fraction: number) => void
}

/** The name of the image in the layout. */
export const PULLED = 'pulled'

/**
 * Pulls an image into a directory, by the OCI image layout specification. Layers are unpacked as they come (to tar
 * files), so that what they unpack to is limited as well, and the manifest is written anew to say so; their
 * checksums in the image's configuration are of the unpacked bytes, and hold on. Resolves with the manifest's digest.
 */
export async function pull(work: Pull): Promise<{ digest: string }> {
  const reference = parseReference(work.image)
  const client = makeRegistryClient(reference, work)
  const { digest, manifest } = await client.manifest(reference.version)

  const announced = manifest.layers.reduce((sum, { size }) => sum + size, 0)
  if (announced > work.maxBytes) throw tooLarge(work.maxBytes)

  const blobs = join(work.dir, 'blobs', 'sha256')
  await mkdir(blobs, { recursive: true })
  const keep = async (bytes: Buffer, mediaType: string): Promise<Descriptor> => {
    const blobDigest = digestOf(bytes)
    await writeFile(join(blobs, hexOf(blobDigest)), bytes)
    return { mediaType, digest: blobDigest, size: bytes.length }
  }

  const config = await keep(await client.blob(manifest.config), 'application/vnd.oci.image.config.v1+json')
  const layers: Descriptor[] = []
  let fetched = 0
  let room = work.maxBytes
  for (const layer of manifest.layers) {
    if (!LAYER.test(layer.mediaType))
      throw new ImportError('The object in the registry is not a container image.')
    const path = join(work.dir, 'layer')
    await client.download(layer, path, (received) => {
      if (announced > 0) work.onProgress((fetched + received) / announced)
    })
    fetched += layer.size
    const kept = await keepLayer(path, blobs, room, work.signal)
    room -= kept.size
    layers.push(kept)
  }

  const rewritten = { schemaVersion: 2, mediaType: MANIFEST, config, layers }
  const manifestBlob = await keep(Buffer.from(JSON.stringify(rewritten)), MANIFEST)
  const annotations = { 'org.opencontainers.image.ref.name': PULLED }
  const index = { schemaVersion: 2, manifests: [{ ...manifestBlob, annotations }] }
  await writeFile(join(work.dir, 'index.json'), JSON.stringify(index))
  await writeFile(join(work.dir, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  return { digest }
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** Layers of OCI and Docker images; not those that are to be fetched from elsewhere. */
const LAYER =
  /^application\/vnd\.(oci\.image\.layer\.v1\.tar|docker\.image\.rootfs\.diff\.tar)([.+](gzip|zstd))?$/

/** Moves a layer that was fetched among the blobs, as the plain tar file it holds. */
async function keepLayer(
  path: string,
  blobs: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Descriptor> {
  const plain = `${path}.tar`
  if (await unpack({ from: path, to: plain, maxBytes, signal })) await rm(path)
  else await rename(path, plain)
  const { size } = await stat(plain)
  if (size > maxBytes) throw tooLarge(maxBytes)
  const sha256 = await sha256Of(plain, signal)
  await rename(plain, join(blobs, sha256))
  return { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: `sha256:${sha256}`, size }
}

const hexOf = (digest: string) => digest.slice('sha256:'.length)

const tooLarge = (maxBytes: number) =>
  new ImportError(`The image is larger than the limit of ${inWords(maxBytes)}.`)
