import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { ImageStore } from '../../image/image-store.ts'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { silentLog } from '../../lib/log.ts'
import { machineSpec } from '../engine.test-kit.ts'
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
export const blankMachine = (hostname: string): MachineSpec =>
  machineSpec(hostname, { memoryMb: 128, imageId: 'blank' })

type Parts = Parameters<typeof makeQemuEngine>[0]
type Changed = Partial<Omit<Parts, 'images'>> & { images?: Partial<ImageStore> }

/**
 * An engine over such a store, with other parts where they are named. Nothing boots, so it does not find out what runs
 * guest code: where the KVM of a host is emulated that takes seconds, and every data directory is a new one.
 */
export async function blankEngine(dataDir: string, { images, ...others }: Changed = {}): Promise<Engine> {
  const store = { ...(await blankImages(dataDir)), ...images }
  return makeQemuEngine({ dataDir, accelerator: 'tcg', importer, log: silentLog, ...others, images: store })
}

/** Such an engine for each test, over a data directory of its own; these machines are deleted after it. */
export function blankEngineForEach(
  machines: readonly MachineSpec[],
  changed: (dataDir: string) => Promise<Changed> | Changed = () => ({}),
) {
  const home = directoryForEach()
  let dataDir = ''
  let engine: Engine
  async function open(): Promise<void> {
    engine = await blankEngine(dataDir, await changed(dataDir))
    await engine.open()
  }
  beforeEach(async () => {
    dataDir = join(home(), 'data')
    await mkdir(dataDir)
    await open()
  })
  afterEach(async () => {
    for (const { id } of machines) await engine.deleteMachine(id)
    await engine.close()
  })
  return {
    home,
    dataDir: () => dataDir,
    engine: () => engine,
    /** Opens an engine over the same data once the one before is closed, and all was done in between. */
    async reopen(between: () => Promise<unknown> = async () => {}): Promise<void> {
      await engine.close()
      await between()
      await open()
    },
    /** Moves the data directory, and goes on there. */
    async moveTo(name: string): Promise<void> {
      await engine.close()
      const to = join(home(), name)
      await rename(dataDir, to)
      dataDir = to
      await open()
    },
  }
}
