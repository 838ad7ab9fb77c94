// `node scripts/catalogue.mjs`: sees to it that each row of docs/catalogue names tests that exist. With `--ran`, after
// the tests: that one of them ran, too. A title holds nothing where its test was skipped: in CI that is a failure,
// elsewhere it is told.
import { heldByNothing, readRan } from './catalogue/ran.mjs'
import { readCatalogue } from './catalogue/rows.mjs'
import { main, Stop, say } from './setup/run.mjs'
import { inTree, root } from './setup/tree.mjs'

await main(async () => {
  const { rows, faults } = readCatalogue(root)
  if (faults.length > 0) throw new Stop(faults.join('\n'))
  if (rows.length === 0) throw new Stop('No rows were found: this check looks in the wrong place.')
  if (process.argv.includes('--ran')) {
    const notHeld = heldByNothing(rows, readRan(root, inTree('.cache/reports')))
    if (notHeld.length > 0 && process.env.CI) throw new Stop(notHeld.join('\n'))
    for (const fault of notHeld) say(fault)
    return
  }
  const later = rows.filter((row) => row.later)
  say(
    `${rows.length} rows: ${rows.length - later.length} held by tests, ${later.length} wait for what is not built yet`,
  )
})
