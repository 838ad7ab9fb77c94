import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeMachineDirs } from './machine-dir.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { readHeader } from './qcow2.ts'

/** The files of boot images that machines, restores under way and snapshots of a data directory need. */
export async function imageFilesInUse(dataDir: string): Promise<ReadonlySet<string>> {
  const places = ['machines', 'snapshots'].map((name) => join(dataDir, name))
  for (const place of places) await mkdir(place, { recursive: true, mode: 0o700 })
  const used = new Set<string>()

  // What a disk stands on is told best by the disk itself.
  for (const place of places) {
    for (const name of await readdir(place, { recursive: true })) {
      if (name.endsWith('.qcow2')) for (const path of await below(join(place, name))) used.add(path)
    }
  }
  // Kernels are known to the records alone.
  const dirs = makeMachineDirs(dataDir)
  const snapshots = makeMachineSnapshots(dataDir)
  const records = await Promise.all((await dirs.ids()).map((id) => dirs.readRecord(id)))
  const manifests = await Promise.all((await snapshots.list()).map(snapshots.read))
  for (const one of [...records, ...manifests]) {
    for (const path of [one?.image.kernel, one?.image.initrd]) if (path !== undefined) used.add(path)
  }
  return used
}

async function below(path: string): Promise<string[]> {
  const backing = (await readHeader(path))?.backing
  if (!backing) return []
  const lower = resolve(dirname(path), backing)
  return [lower, ...(await below(lower))]
}
