import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
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
