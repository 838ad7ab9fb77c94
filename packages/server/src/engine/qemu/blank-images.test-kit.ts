import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageStore } from '../../image/image-store.ts'
import { silentLog } from '../../lib/log.ts'
import { PROJECT_ID } from '../engine.test-kit.ts'
import type { Engine, MachineSpec } from '../engine.ts'
import { exists } from './durable.ts'
import { createBlank } from './qcow2.ts'
import { importer } from './qemu-engine.test-kit.ts'
import { makeQemuEngine } from './qemu-engine.ts'

/** The name of the one file in the store, as a checksum would be. */
export const BLANK = 'b1a2'.repeat(16)

/** A store whose one image boots nothing, in a data directory: for tests of files that no guest has to read. */
export async function blankImages(dataDir: string): Promise<ImageStore> {
  const files = join(dataDir, 'images', 'files')
  const disk = join(files, BLANK)
  await mkdir(files, { recursive: true })
  if (!(await exists(disk))) await createBlank(disk, 1024 * 1024)
  return {
    look: async () => ({ state: 'ready' }),
    find: async () => ({ disk }),
    ensure: async () => ({ state: 'ready' }),
    use: async () => ({ disk }),
    verify: async () => {},
    open: async () => {},
    close: async () => {},
  }
}

/** A small machine over that image. */
export const blankMachine = (hostname: string): MachineSpec => ({
  id: randomUUID(),
  projectId: PROJECT_ID,
  hostname,
  cpu: 1,
  memoryMb: 128,
  imageId: 'blank',
  sshPublicKeys: [],
  volumeIds: [],
  persistent: true,
})

type Parts = Parameters<typeof makeQemuEngine>[0]

/**
 * An engine over such a store, with other parts where they are named. Nothing boots, so it does not find out what runs
 * guest code: where the KVM of a host is emulated that takes seconds, and every data directory is a new one.
 */
export async function blankEngine(
  dataDir: string,
  { images, ...others }: Partial<Omit<Parts, 'images'>> & { images?: Partial<ImageStore> } = {},
): Promise<Engine> {
  const store = { ...(await blankImages(dataDir)), ...images }
  return makeQemuEngine({ dataDir, accelerator: 'tcg', importer, log: silentLog, ...others, images: store })
}
