/** Writes the table of docs/changes-that-overlap.md: `npm run overlaps`. A test fails while it is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withTable } from './overlap.table.ts'

const file = new URL('../../../docs/changes-that-overlap.md', import.meta.url)
writeFileSync(file, withTable(readFileSync(file, 'utf8')))
