// `npm run simulated-host`: the simulated engine as a program of its own, for several servers at once.

import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  await ensureNpmPackages()
  await become(node24(), [inTree('packages/server/src/simulated-host.ts')], {
    env: { SLIPWAY_ENGINE: 'simulated' },
  })
})
