import { mkdtemp, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '../../lib/command.ts'
import { type SeedSpec, seedFiles } from '../seed.ts'

/** Writes the seed disk: an ISO 9660 file system labelled `cidata`. */
export async function writeSeed(path: string, spec: SeedSpec): Promise<void> {
  const { metaData, userData } = seedFiles(spec)
  const work = await mkdtemp(join(dirname(path), 'seed-'))
  try {
    await writeFile(join(work, 'meta-data'), metaData)
    await writeFile(join(work, 'user-data'), userData)
    const options = ['-quiet', '-volid', 'cidata', '-joliet', '-rock', '-output', 'seed.iso']
    await run('genisoimage', [...options, 'user-data', 'meta-data'], { cwd: work })
    await rename(join(work, 'seed.iso'), path)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Room for any seed without a start script, so that a QEMU that has one open can be given another one. */
const ROOMY_BYTES = 2 * 1024 * 1024

/** Writes a seed disk with room for another one in its place. */
export async function writeRoomySeed(path: string, spec: SeedSpec): Promise<void> {
  await writeSeed(path, spec)
  await truncate(path, ROOMY_BYTES)
}

/** Puts another seed in the place of one with room, in the same file: a QEMU has it open. Nothing reads it meanwhile. */
export async function overwriteSeed(path: string, spec: SeedSpec): Promise<void> {
  const fresh = `${path}.new`
  await writeSeed(fresh, spec)
  try {
    const { size } = await stat(path)
    const seed = await readFile(fresh)
    if (seed.length > size) throw new Error('There is no room for the seed')
    const file = await open(path, 'r+')
    try {
      await file.write(Buffer.concat([seed, Buffer.alloc(size - seed.length)]), 0, size, 0)
    } finally {
      await file.close()
    }
  } finally {
    await rm(fresh, { force: true })
  }
}
