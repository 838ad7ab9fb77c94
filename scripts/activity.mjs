// `npm run --silent activity`: prints the activity log, one JSON object a line; `-- --since TIME --until TIME` cuts it.

import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  await ensureNpmPackages()
  await become(node24(), [inTree('packages/server/src/activity.ts'), ...process.argv.slice(2)])
})
