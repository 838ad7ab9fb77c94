/** Disks that are full, read-only, slow, or hold damaged files. */
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OneServer } from '../host.ts'
import { both, type Fault, mayStart, run } from './fault.ts'

async function fill(host: OneServer): Promise<string> {
  const path = join(host.dataDir, 'filler')
  const file = await open(path, 'w')
  const block = Buffer.alloc(1024 * 1024)
  try {
    for (let size = block.length; size >= 1; size = Math.floor(size / 2))
      while ((await file.write(block, 0, size)).bytesWritten === size);
  } catch {
    // Full, which is what was wanted.
  }
  await file.close()
  return path
}

/** Files of the data directory that hold the objects of users; the database has a copy nowhere, so it is left out. */
async function filesToDamage(host: OneServer): Promise<string[]> {
  const names = await readdir(host.dataDir, { recursive: true })
  const wanted = /(^simulated\.jsonl|\.json|machines\/[^/]+\/root\.qcow2|volumes\/[^/]+\.qcow2)$/
  const paths: string[] = []
  for (const name of names.filter((one) => wanted.test(one) && !one.startsWith('images/'))) {
    const path = join(host.dataDir, name)
    if ((await stat(path).catch(() => null))?.isFile()) paths.push(path)
  }
  return paths
}

/** Empty, garbage, a directory in its place, and torn: the last one must stay the last. */
const damages: ((path: string, kept: string) => Promise<void>)[] = [
  (path) => writeFile(path, ''),
  (path) => writeFile(path, '\0\0garbage{'),
  async (path) => {
    await mkdir(path)
  },
  async (path, kept) => {
    const file = await open(kept)
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(Math.min(4_096, Math.floor(size / 2))))
    await file.close()
    await writeFile(path, buffer)
  },
]

const ownDisk = ({ disk }: OneServer) => (disk ? null : 'only root can mount a small file system')

/**
 * Reads, and writes, per second: hard disks with much else to do. Each change of the database is on the disk before its
 * answer leaves, which takes about three writes; of a slower disk the users of a campaign want more than it can do.
 */
const slowDisks = [1_000, 500]

/** While somebody writes just then, as the control does now and then, a file system does not become read-only. */
async function makeReadOnly(dir: string): Promise<void> {
  for (let tries = 20; ; tries--) {
    const isMade = await run('mount', ['-o', 'remount,ro', dir]).then(
      () => true,
      (error: unknown) => {
        if (tries === 0) throw error
        return false
      },
    )
    if (isMade) return
    await sleep(50)
  }
}

export const ofDisk: readonly Fault<OneServer>[] = [
  {
    name: 'full-disk',
    weight: 2,
    engines: both,
    harsh: true,
    missing: ownDisk,
    async deal(host, random) {
      const filler = await fill(host)
      await sleep(1_000 + random.below(4_000))
      await rm(filler)
    },
  },
  {
    name: 'full-disk-at-start',
    weight: 1,
    engines: both,
    harsh: true,
    missing: ownDisk,
    async deal(host) {
      await host.kill()
      const filler = await fill(host)
      await mayStart(host)
      await sleep(1_000)
      await host.kill()
      await rm(filler)
      await host.start()
    },
  },
  {
    name: 'read-only-at-start',
    weight: 1,
    engines: ['simulated'],
    harsh: true,
    missing: ownDisk,
    async deal(host) {
      await host.kill()
      await makeReadOnly(host.dataDir)
      await mayStart(host)
      await sleep(500)
      await host.kill()
      await run('mount', ['-o', 'remount,rw', host.dataDir])
      await host.start()
    },
  },
  {
    name: 'damaged-file',
    weight: 3,
    engines: both,
    harsh: true,
    async deal(host, random) {
      // What users did meanwhile would be undone when the file is put back.
      host.expectSilence(true)
      await host.kill()
      const path = random.pick(await filesToDamage(host))
      if (path) {
        const kept = `${path}.kept-by-campaign`
        await rename(path, kept)
        // Half of a list of lines is a shorter list: nobody could see the damage.
        await random.pick(damages.slice(0, path.endsWith('.jsonl') ? 3 : 4))?.(path, kept)
        await mayStart(host)
        await sleep(2_000)
        await host.kill()
        await rm(path, { recursive: true, force: true })
        await rename(kept, path)
      }
      await host.start()
      host.expectSilence(false)
    },
  },
  {
    name: 'slow-disk',
    weight: 3,
    engines: both,
    harsh: false,
    missing: (host) =>
      ownDisk(host) ??
      (host.disk?.slow ? null : 'this kernel has no limits for the reading and writing of a disk'),
    async deal({ disk }, random) {
      const perSecond = random.pick(slowDisks) ?? 0
      await disk?.slow?.({ perSecond, bytesPerSecond: perSecond * 20_000 })
      await sleep(3_000 + random.below(7_000))
      await disk?.slow?.(null)
    },
  },
]
