/** `npm run activity`: prints the activity log, also while the server runs. `node activity.ts [--since TIME] [--until TIME]` */
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { makeActivityRepo } from './activity/activity.repo.ts'
import { ndjson } from './activity/ndjson.ts'
import { readConfig } from './config.ts'
import { isThere, openDatabase } from './db/open.ts'

function msOf(time: string | undefined): number | null {
  if (time === undefined) return null
  const ms = Date.parse(time)
  if (Number.isNaN(ms) || ms < 0) {
    throw new Error(`"${time}" is not a valid time. Use a form such as 2026-11-21 or 2026-11-21T08:00:00Z.`)
  }
  return ms
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { since: { type: 'string' }, until: { type: 'string' } } })
  const [since, until] = [msOf(values.since), msOf(values.until)]
  const { dataDir, database } = readConfig()
  if (!isThere(database)) throw new Error(`No database found in ${dataDir}. Set SLIPWAY_DATA_DIR.`)
  const db = openDatabase(database, { readOnly: true })
  try {
    await pipeline(ndjson(makeActivityRepo(db).parts(since, until)), process.stdout)
  } finally {
    await db.destroy()
  }
}

main().catch((error: unknown) => {
  // Whoever reads has seen enough: `npm run activity | head`.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
