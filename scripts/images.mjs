// `npm run images`: which boot images are there, and making them ahead of their first use or bringing them into a cluster.

import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { bootLoaderTools, ensureSystemPackages, qemuPackages } from './setup/system-packages.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  await ensureNpmPackages()
  const wanted = process.argv.slice(2)
  // Also where the settings are those of a cluster: images are built by QEMU's tools.
  await ensureSystemPackages([...qemuPackages(), ...(wanted.includes('--upload') ? bootLoaderTools : [])])
  await become(node24(), [inTree('packages/server/src/images.ts'), ...wanted])
})
