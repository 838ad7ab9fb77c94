// `npm run database -- copy`: takes what is stored in SQLite into the PostgreSQL of SLIPWAY_DATABASE_URL.
// `npm run database -- adopt`: lets another data directory have the VMs of that database.

import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  await ensureNpmPackages()
  await become(node24(), [inTree('packages/server/src/database.ts'), ...process.argv.slice(2)])
})
