import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Names the lock among all that programs may hold on one database. */
const lockName = 'slipway server'
const retryMs = 1_000
const connectMs = 5_000

/**
 * Holds a database for this process: an advisory lock of PostgreSQL, which ends with the connection that took it. A
 * connection that is lost is opened anew until the lock is back; `onLost` is told when another server has it by then.
 * Throws when another has it from the beginning, or the database cannot be reached.
 */
export async function ownPostgres(
  url: string,
  onLost: (reason: string) => void,
): Promise<() => Promise<void>> {
  let isOver = false
  let client: pg.Client | null = null

  async function take(): Promise<boolean> {
    const next = new pg.Client({
      connectionString: url,
      application_name: lockName,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
    })
    // It ends with an error and an end; the end is what counts.
    next.on('error', () => {})
    await next.connect()
    const { rows } = await next.query<{ has: boolean }>('select pg_try_advisory_lock(hashtext($1)) as has', [
      lockName,
    ])
    if (!rows[0]?.has) {
      await next.end()
      return false
    }
    client = next
    next.once('end', () => void takeAgain())
    return true
  }

  async function takeAgain(): Promise<void> {
    client = null
    while (!isOver) {
      const has = await take().catch(() => null)
      if (has === false)
        onLost('Another Slipway server has taken the database while it could not be reached.')
      if (has !== null) return
      await sleep(retryMs, undefined, { ref: false })
    }
  }

  const has = await take().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The database cannot be reached: ${why}. Check SLIPWAY_DATABASE_URL.`, { cause: error })
  })
  if (!has) {
    throw new Error(
      'Another Slipway server is using this database. Stop it first, or set SLIPWAY_DATABASE_URL to another one.',
    )
  }
  return async () => {
    isOver = true
    await client?.end()
  }
}
