// `npm run backup -- DIR`, or `-- --repository`: writes a backup of everything, also while the server runs.

import path from 'node:path'
import { node24 } from './setup/node24.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { become, main } from './setup/run.mjs'
import { inTree } from './setup/tree.mjs'

await main(async () => {
  // npm runs this in the root of the tree; what is typed is meant from where it was typed.
  const [first, ...more] = process.argv.slice(2)
  const isPlace = first !== undefined && !first.startsWith('-')
  const args = isPlace ? [path.resolve(process.env.INIT_CWD ?? '', first), ...more] : process.argv.slice(2)
  await ensureNpmPackages()
  await become(node24(), [inTree('packages/server/src/backup.ts'), ...args])
})
