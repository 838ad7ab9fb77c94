import { node24 } from './node24.mjs'
import { run, Stop } from './run.mjs'
import { engine, inTree } from './tree.mjs'

/** Sees to it that there is an image to boot; the builder says itself what it does. */
export async function ensureStarterImage() {
  if (engine() !== 'qemu') return
  const { code } = await run(node24(), [inTree('packages/server/src/images.ts'), 'starter'])
  if (code !== 0)
    throw new Stop('Starter image: it could not be made. `npm run doctor` shows what is missing.')
}
