/** The QEMU engine with all it needs, after the settings: used by the server and by `npm run images`. */
import path from 'node:path'
import type { Config } from './config.ts'
import type { Engine } from './engine/engine.ts'
import { makeImageProver } from './engine/qemu/image-prover.ts'
import { imageFilesInUse } from './engine/qemu/image-use.ts'
import { makeQemuEngine } from './engine/qemu/qemu-engine.ts'
import { buildImage } from './image/build.ts'
import { type ImageStore, makeImageStore } from './image/image-store.ts'
import { makeImporter } from './image/import.ts'
import type { Recipe } from './image/recipe.ts'
import type { Log } from './lib/log.ts'

const gibibyte = 1024 ** 3

export type QemuSettings = Pick<
  Config,
  | 'dataDir'
  | 'accelerator'
  | 'network'
  | 'guestLimits'
  | 'warm'
  | 'reserve'
  | 'maxImageGb'
  | 'maxDiskGb'
  | 'privateSources'
  | 'imagesGb'
  | 'rootDiskGb'
  | 'debianMirror'
>

/** Puts the engine and its image store together; nothing is opened. `scratch` tells processes apart. */
export function qemuFor(
  config: QemuSettings,
  recipes: readonly Recipe[],
  log: Log,
  scratch = 'imports',
): { engine: Engine; images: ImageStore; clearScratch: () => Promise<void> } {
  const { dataDir } = config
  const importer = makeImporter({
    scratchDir: path.join(dataDir, scratch),
    policy: {
      maxImageBytes: config.maxImageGb * gibibyte,
      maxVirtualBytes: config.maxDiskGb * gibibyte,
      privateSources: config.privateSources,
    },
    log,
  })
  const images = makeImageStore({
    log,
    recipes,
    dir: path.join(dataDir, 'images'),
    build: (recipe, lower, work) =>
      buildImage(recipe, lower, { importer, mirror: config.debianMirror }, work),
    prover: makeImageProver({ dataDir, importer, log }),
    inUse: () => imageFilesInUse(dataDir),
    budgetBytes: config.imagesGb * gibibyte,
    rootBytes: config.rootDiskGb * gibibyte,
  })
  const engine = makeQemuEngine({
    dataDir,
    accelerator: config.accelerator,
    networks: config.network,
    guestLimits: config.guestLimits,
    warm: config.warm,
    reserve: config.reserve,
    images,
    importer,
    log,
  })
  return { engine, images, clearScratch: importer.clearScratch }
}
