// `node scripts/catalogue.mjs`: sees to it that each row of docs/catalogue names tests that exist.
import { readCatalogue } from './catalogue/rows.mjs'
import { main, Stop, say } from './setup/run.mjs'
import { root } from './setup/tree.mjs'

await main(async () => {
  const { rows, faults } = readCatalogue(root)
  if (faults.length > 0) throw new Stop(faults.join('\n'))
  if (rows.length === 0) throw new Stop('No rows were found: this check looks in the wrong place.')
  const later = rows.filter((row) => row.later)
  say(
    `${rows.length} rows: ${rows.length - later.length} held by tests, ${later.length} wait for what is not built yet`,
  )
})
