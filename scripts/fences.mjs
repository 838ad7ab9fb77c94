// `node scripts/fences.mjs`: sees to it that the layers of the house import only what they may, and that each table
// is written by its owner only.
import { findViolations } from './fences/find.mjs'
import { main, Stop, say } from './setup/run.mjs'
import { root } from './setup/tree.mjs'

await main(async () => {
  const { files, imports, violations } = findViolations(root)
  if (violations.length > 0) throw new Stop(violations.join('\n'))
  if (imports === 0) throw new Stop('No imports were found: this check looks in the wrong place.')
  say(`${imports} imports in ${files} files, all where they belong`)
})
