// `npm run prove-accelerator`: takes a guest through everything with the accelerator that SLIPWAY_ACCELERATOR names,
// which is kvm here unless it is set.

import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { enginePackages, ensureSystemPackages } from './setup/system-packages.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  process.env.SLIPWAY_ACCELERATOR ||= 'kvm'
  await ensureNpmPackages()
  await ensureSystemPackages(enginePackages())
  await become(node24(), [inTree('packages/server/src/prove-accelerator.ts'), ...process.argv.slice(2)])
})
