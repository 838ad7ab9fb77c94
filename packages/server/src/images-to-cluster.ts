/** Brings boot images into the cluster of the settings, and removes those that no recipe stands for any more. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { Config } from './config.ts'
import { findCluster } from './engine/kubevirt/find-cluster.ts'
import { readClusterImages } from './engine/kubevirt/image-keys.ts'
import { pruneImages } from './engine/kubevirt/image-prune.ts'
import { type ImageDisk, type UploadGround, uploadImage } from './engine/kubevirt/image-upload.ts'
import { makeKubeClient } from './engine/kubevirt/kube/kube-client.ts'
import { makeMirror } from './engine/kubevirt/mirror.ts'
import { makeNames } from './engine/kubevirt/names.ts'
import { findUploadProxy } from './engine/kubevirt/upload-proxy.ts'
import { makeBootableDisk } from './image/bootable-disk.ts'
import { sha256Of } from './image/image-files.ts'
import type { ImageStore } from './image/image-store.ts'
import type { Recipe } from './image/recipe.ts'
import { systemClock } from './lib/clock.ts'
import { makeLog } from './lib/log.ts'

type Look = () => Promise<{ state: string; what?: string; progress?: number | null }>

/** How long the cluster may take to list what is ours there. */
const listMs = 60_000

/** Builds what has to be built for it. `tell` shows how far it is until its result is called. */
export function uploadToCluster(
  config: Config,
  recipes: readonly Recipe[],
  chosen: readonly Recipe[],
  images: ImageStore,
  tell: (look: Look) => () => void,
): Promise<boolean> {
  return inCluster(config, async (ground) => {
    const isInside = config.kube.host !== null
    const proxy = await findUploadProxy(ground.client, config.kube.uploadUrl, isInside)
    const known = await readClusterImages(recipes)
    let good = true
    for (const image of known.ours.filter(({ recipeId }) => chosen.some(({ id }) => id === recipeId))) {
      let now: Awaited<ReturnType<Look>> | null = null
      const stopTelling = tell(async () => now ?? images.look(image.recipeId))
      const onProgress = (progress: number | null) => {
        now = { state: 'coming', what: `Uploading the ${image.name} image`, progress }
      }
      const made = keptDisk(config, images, image.recipeId)
      try {
        const work = { signal: new AbortController().signal, onProgress }
        const end = await uploadImage(ground, image, made.disk, { proxy }, work)
        console.log(`${image.name}: ${end === 'there' ? 'already in the cluster' : 'uploaded'}`)
      } catch (error) {
        good = false
        console.error(`${image.name}: NOT uploaded. ${error instanceof Error ? error.message : error}`)
      } finally {
        stopTelling()
        await made.remove()
      }
    }
    return good
  })
}

/** Removes uploads of recipes that this version does not have; VMs that were made of them stand by themselves. */
export function pruneCluster(config: Config, recipes: readonly Recipe[]): Promise<boolean> {
  return inCluster(config, async (ground) => {
    const { ours } = await readClusterImages(recipes)
    const removed = await pruneImages(ground, new Set(ours.map(({ key }) => key)))
    for (const key of removed) console.log(`${key}: deleted`)
    if (removed.length === 0) console.log('No image in the cluster is out of date.')
    return true
  })
}

/** The disk of an image, built when it is first asked for, in a folder that the next run clears if this one is killed. */
function keptDisk(config: Config, images: ImageStore, recipeId: string) {
  let workDir: string | null = null
  let disk: Promise<ImageDisk> | null = null
  async function make(): Promise<ImageDisk> {
    const image = await images.use(recipeId)
    const scratch = path.join(config.dataDir, 'imports-by-hand')
    await mkdir(scratch, { recursive: true })
    workDir = await mkdtemp(path.join(scratch, 'upload-'))
    const made = await makeBootableDisk(image, { workDir, signal: new AbortController().signal })
    return { ...made, sha256: await sha256Of(made.path) }
  }
  return {
    disk() {
      disk ??= make()
      return disk
    },
    async remove() {
      if (workDir !== null) await rm(workDir, { recursive: true, force: true })
    },
  }
}

async function inCluster(
  { kube }: Config,
  work: (ground: UploadGround) => Promise<boolean>,
): Promise<boolean> {
  const cluster = await findCluster({ ...kube, home: homedir }, systemClock)
  const client = makeKubeClient(cluster, { clock: systemClock })
  const names = makeNames(kube.prefix)
  const mirror = makeMirror({ client, names, clock: systemClock, log: makeLog('silent') })
  // Clocks and quiet connections do not keep a program alive.
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    await Promise.race([mirror.dataVolumes.synced, late()])
    return await work({ client, names, mirror, clock: systemClock, storageClass: kube.storageClass })
  } finally {
    clearInterval(alive)
    await mirror.close()
    client.close()
  }
}

const late = () =>
  new Promise<never>((_, reject) =>
    systemClock.after(listMs, () =>
      reject(new Error('The cluster did not list its disks in time. Check it with npm run doctor.')),
    ),
  )
