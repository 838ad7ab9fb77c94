import { existsSync } from 'node:fs'
import { node24 } from './node24.mjs'
import { run, Stop } from './run.mjs'
import { dataDir, engine, inTree } from './tree.mjs'

/** Sees to it that there is an image to boot; the builder says itself what it does, and nothing when it is ready. */
export async function ensureStarterImage() {
  const builder = inTree('packages/server/src/image/build.ts')
  if (engine() !== 'qemu' || !existsSync(builder)) return
  const { code } = await run(node24(), [builder, dataDir()])
  if (code !== 0)
    throw new Stop('Starter image: it could not be made. `npm run doctor` shows what is missing.')
}
