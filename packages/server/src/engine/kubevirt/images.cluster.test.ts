// @module-tag full
/**
 * Boot images in a real cluster with CDI, or one that plays it, where SLIPWAY_TEST_KUBECONFIG names one (see
 * `kube/kube.cluster.test.ts`); uploads go where CDI says, or to SLIPWAY_KUBE_UPLOAD_URL.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../../image/import.test-kit.ts'
import { readRecipes } from '../../image/recipe.ts'
import { run } from '../../lib/command.ts'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { work } from '../engine.test-kit.ts'
import { groundOver, kubeconfig, newClient, newPrefix } from './cluster.test-kit.ts'
import type { Ground } from './ground.ts'
import { readClusterImages } from './image-keys.ts'
import { pruneImages } from './image-prune.ts'
import { findImage, type ImageDisk, uploadImage } from './image-upload.ts'
import { ensureImageNamespace, imageVolume } from './image-volume.ts'
import { type Images, makeImages } from './images.ts'
import { kinds } from './kinds.ts'
import { mark } from './names.ts'
import { findUploadProxy, type UploadProxy } from './upload-proxy.ts'

if (!kubeconfig)
  console.log('SKIPPED: "boot images in a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const mebibyte = 1024 ** 2

describe.skipIf(!kubeconfig)('boot images in a cluster', () => {
  const workDir = directoryForAll()
  let ground: Ground
  let images: Images
  let proxy: UploadProxy
  let disk: ImageDisk
  let clusterImages: Awaited<ReturnType<typeof readClusterImages>>

  beforeAll(async () => {
    ground = groundOver(await newClient(), newPrefix())
    await ground.mirror.synced
    clusterImages = await readClusterImages(await readRecipes())
    images = makeImages(ground, {
      images: clusterImages,
      limits: {
        maxImageBytes: 1024 * mebibyte,
        maxVirtualBytes: 1024 * mebibyte,
        privateSources: ['127.0.0.1'],
      },
      sources: { guard: async () => {} },
      rootBytes: 64 * mebibyte,
    })
    proxy = await findUploadProxy(ground.client, process.env.SLIPWAY_KUBE_UPLOAD_URL ?? null, false)

    const [raw, path] = [join(workDir(), 'raw'), join(workDir(), 'disk')]
    await writeFile(raw, randomBytes(3 * mebibyte))
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, path])
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    disk = { path, sha256, virtualBytes: 3 * mebibyte }
  })
  afterAll(async () => {
    await ground.client.remove(kinds.namespaces, { name: ground.names.imagesNamespace }).catch(() => {})
    await ground.mirror.close()
    ground.client.close()
  })

  const ours = (id: string) => {
    const image = clusterImages.find(id)
    if (!image) throw new Error(`There is no recipe ${id}`)
    return image
  }
  const upload = (id: string, made = async () => disk, deadMs = 60_000) =>
    uploadImage(ground, ours(id), made, { proxy, beatMs: 200, deadMs }, work())

  it('says of an image of ours that an operator has to upload it, and how', async () => {
    expect(await images.image('starter', true)).toEqual({
      state: 'unavailable',
      reason:
        'The Starter Linux image has not been uploaded to this cluster. An operator can upload it with: npm run images -- --upload starter',
    })
    expect(images.claimOf('starter')).toBeNull()
    expect(await images.image('no-such-image')).toMatchObject({ state: 'unavailable' })
  })

  it('two uploads at once end in one image', async () => {
    expect((await Promise.all([upload('starter'), upload('starter')])).sort()).toEqual(['there', 'uploaded'])
    expect(await images.image('starter')).toEqual({ state: 'ready' })
    expect(images.claimOf('starter')).toEqual({
      namespace: ground.names.imagesNamespace,
      name: ground.names.image(ours('starter').key),
      sizeBytes: disk.virtualBytes,
    })
    expect(findImage(ground, ours('starter').key)?.annotations[mark.uploaded]).toBe(disk.sha256)
    const none = () => Promise.reject(new Error('It was built for nothing'))
    expect(await upload('starter', none)).toBe('there')
  })

  it('what a killed upload left is never taken for whole, and is made anew', async () => {
    const { key } = ours('base')
    const left = imageVolume(ground, key, { upload: {} }, disk.virtualBytes, {
      [mark.upload]: JSON.stringify({ run: 'killed', beat: 1, fraction: 0.5 }),
    })
    await ensureImageNamespace(ground)
    const { metadata } = await ground.client.create(kinds.dataVolumes, ground.names.imagesNamespace, left)
    await expect.poll(() => findImage(ground, key)).not.toBeNull()
    expect(await images.lookAtImage('base')).toEqual({
      state: 'coming',
      progress: 0.5,
      what: 'Uploading the Debian 13 image',
    })
    expect(images.claimOf('base')).toBeNull()
    expect(await upload('base', undefined, 500)).toBe('uploaded')
    expect(findImage(ground, key)?.uid).not.toBe(metadata.uid)
    expect(images.claimOf('base')).not.toBeNull()
  })

  it('prunes what no recipe stands for, and nothing that is wanted or fetched', async () => {
    const [kept, old] = [ours('starter'), ours('base')]
    expect(await pruneImages(ground, new Set([kept.key]), 500)).toEqual([old.key])
    expect(findImage(ground, old.key)).toBeNull()
    expect(images.claimOf('starter')).not.toBeNull()
    expect(await pruneImages(ground, new Set([kept.key]), 500)).toEqual([])
  })

  it('an upload that fails leaves nothing', async () => {
    const closed = { url: new URL('https://127.0.0.1:9/'), ca: [] }
    const failing = uploadImage(ground, ours('go'), async () => disk, { proxy: closed }, work())
    await expect(failing).rejects.toThrow('The upload proxy of the cluster did not take the image')
    await expect.poll(() => findImage(ground, ours('go').key)).toBeNull()
  })

  it('a foreign image that is asked for twice at once is fetched once, by the cluster', async () => {
    const server = await serve((_, response) => void response.end(Buffer.from(bootSector())))
    try {
      const address = `${server.url}/disk.raw`
      expect(await images.lookAtImage(address)).toEqual({ state: 'absent' })
      const both = await Promise.all([images.image(address), images.image(address)])
      for (const state of both)
        expect(state).toMatchObject({ state: 'coming', what: expect.stringMatching(/^Downl/) })
      const { key } = clusterImages.find(address) ?? { key: '' }
      await expect.poll(() => findImage(ground, key)?.requested).toBe('3Mi')
      // A real cluster does not reach this address, and says so.
      await expect.poll(async () => (await images.lookAtImage(address)).state).not.toBe('coming')
    } finally {
      server.stop()
    }
  })

  it('an address that may not be fetched from never reaches the cluster', async () => {
    const address = 'http://10.1.2.3/disk.qcow2'
    expect(await images.checkImage(address)).toMatchObject({ refused: expect.any(String) })
    await images.image(address)
    await expect.poll(async () => (await images.image(address)).state).toBe('unavailable')
    expect(findImage(ground, clusterImages.find(address)?.key ?? '')).toBeNull()
  })
})

/** A raw disk that a BIOS would start. */
function bootSector(): Buffer {
  const disk = Buffer.alloc(3 * mebibyte)
  disk.fill(0x90, 0, 440)
  disk.writeUInt16BE(0x55aa, 510)
  return disk
}
