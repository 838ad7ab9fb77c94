/** Directories of machines, for tests of what stands in them. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { beforeEach } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { type MachineDirs, makeMachineDirs } from './machine-dir.ts'
import { makePlaces } from './places.ts'
import type { RunRecord } from './records.ts'

/** A run that began now. */
export const aRun: RunRecord = {
  run: 'one',
  shape: 3,
  bootId: 'boot',
  startedAt: Date.now(),
  resumed: false,
  accelerator: 'TCG',
  cpuModel: 'qemu64',
}

/** A directory of a machine for each test, in a data directory of its own. */
export function machineDirForEach() {
  const dataDir = directoryForEach()
  const id = randomUUID()
  let dirs: MachineDirs
  beforeEach(async () => {
    dirs = makeMachineDirs(dataDir())
    await makePlaces(dataDir()).open()
    await dirs.create(id)
  })
  const fileOf = (name: string) => dirs.fileOf(id, name)
  return {
    id,
    dataDir,
    dirs: () => dirs,
    fileOf,
    put: (name: string, text: string | Buffer) => writeFile(fileOf(name), text),
  }
}
