import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { BootImage } from '../../image/image-store.ts'
import { ifThere } from './durable.ts'
import { makeMachineDirs } from './machine-dir.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { makePlaces } from './places.ts'
import { lookAtDisk } from './qcow2.ts'
import { fewAtATime } from './turns.ts'

/**
 * The files of boot images that machines, restores under way and snapshots of a data directory need. Throws an
 * UnreadableError when one of them cannot be read: then nobody knows what it needs, and no image may be removed.
 */
export async function imageFilesInUse(dataDir: string): Promise<ReadonlySet<string>> {
  const places = makePlaces(dataDir)
  const used = new Set<string>()
  const use = (paths: (string | undefined)[]) => {
    for (const path of paths) if (path !== undefined) used.add(path)
  }

  // What a disk stands on is told best by the disk itself.
  for (const name of ['machines', 'snapshots'] as const) {
    await places.require(name)
    const place = join(dataDir, name)
    const entries = (await ifThere(place, readdir(place, { recursive: true }))) ?? []
    const disks = entries.filter((entry) => entry.endsWith('.qcow2'))
    await fewAtATime(disks, async (disk) => use(await below(join(place, disk))))
  }
  // Kernels are known to the records alone, as is the image of a disk whose header is damaged.
  const dirs = makeMachineDirs(dataDir, places)
  const snapshots = makeMachineSnapshots(dataDir, places)
  const records = await fewAtATime(await dirs.ids(), dirs.readRecord)
  const manifests = await fewAtATime(await snapshots.list(), snapshots.read)
  for (const one of [...records, ...manifests]) use(one ? filesOf(one.image) : [])
  return used
}

const filesOf = ({ disk, lower, kernel, initrd }: BootImage) => [disk, lower, kernel, initrd]

async function below(path: string): Promise<string[]> {
  const disk = await lookAtDisk(path)
  if (disk.is !== 'disk' || disk.backing === null) return []
  const lower = resolve(dirname(path), disk.backing)
  return [lower, ...(await below(lower))]
}
