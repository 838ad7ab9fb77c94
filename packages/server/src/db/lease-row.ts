/** The row of the lease, over a connection of its own: whatever the other connections of this server wait for, it is read and renewed. */
import pg from 'pg'
import { beginWriting } from './postgres-driver.ts'

/** What the row says; that of a database in which nobody ever took the lease says nothing. */
export interface LeaseRow {
  number: number
  beat: number
  holder: string | null
  home: string | null
}

/** The holder counts up so often. */
export const beatMs = 2_000
/** Others look so often, and who lost the connection tries again so often. */
export const lookMs = 1_000
/** A holder that was not heard of for so long has lost the lease to whoever wants it. */
export const termMs = 6_000

/**
 * An answer that does not come, and a connection that does not come about, are given up after this time: together with
 * {@link lookMs} less than the term, so that a holder is back after an outage before others take it for dead.
 */
const answerMs = 3_000
/** Taking waits for the writers' lock, which a server that stands still in a transaction keeps for 5 s (postgres.ts). */
const takeMs = 8_000

/** `pg` takes this for one query too, which its types do not know. */
const beginInOrder = { text: beginWriting, query_timeout: takeMs + answerMs }

const nothing: LeaseRow = { number: 0, beat: 0, holder: null, home: null }
const asSeen = 'where id = 1 and number = $1 and beat = $2'

export function openLeaseRow(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'slipway lease',
    max: 1,
    connectionTimeoutMillis: answerMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    query_timeout: answerMs,
    statement_timeout: takeMs,
    idle_in_transaction_session_timeout: answerMs,
  })
  // A connection was lost, idle or not; the next question opens another one, or says why not.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  /** Over one connection, which any error ends, and with it what it had begun. */
  async function over<R>(act: (client: pg.PoolClient) => Promise<R>): Promise<R> {
    const client = await pool.connect()
    try {
      const result = await act(client)
      client.release()
      return result
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** In the order of all writes: whatever was written before comes before it, and nothing else meanwhile. */
  const inOrder = (update: string, values: readonly unknown[]): Promise<number | null> =>
    over(async (client) => {
      await client.query(beginInOrder)
      await client.query('insert into lease (id, number, beat) values (1, 0, 0) on conflict do nothing')
      const { rows } = await client.query<{ number: number }>(`${update} returning number`, [...values])
      await client.query('commit')
      return rows[0]?.number ?? null
    })

  return {
    async read(): Promise<LeaseRow> {
      const text = 'select number, beat, holder, home from lease where id = 1'
      const { rows } = await over((client) => client.query<LeaseRow>(text))
      return rows[0] ?? nothing
    },

    /**
     * Makes it `name`'s, unless anything has changed since the row was seen. Returns its new number, or null. Numbers
     * are given under the writers' lock: every transaction that writes is wholly before the new number or sees it.
     */
    take: (seen: LeaseRow, name: string, home: string | null): Promise<number | null> =>
      inOrder(
        `update lease set number = number + 1, beat = 0, holder = $3, home = coalesce(home, $4)
          ${asSeen} and (home is null or home = $4 or $4::text is null)`,
        [seen.number, seen.beat, name, home],
      ),

    /** Makes it another data directory's, and nobody's, unless anything has changed since the row was seen. */
    moveTo: (seen: LeaseRow, home: string): Promise<number | null> =>
      inOrder(`update lease set number = number + 1, beat = 0, holder = null, home = $3 ${asSeen}`, [
        seen.number,
        seen.beat,
        home,
      ]),

    /**
     * Whether it was still the holder's, who goes on. Without the writers' lock, which others may keep for longer than
     * the term: the number stays, so no write has to know on which side of this it is. What decides is the row's own
     * lock. A renewal and a taking that meet come one after the other, and the second finds that the row has changed.
     */
    async renew(number: number): Promise<boolean> {
      const text = 'update lease set beat = beat + 1 where id = 1 and number = $1'
      return (await over((client) => client.query(text, [number]))).rowCount === 1
    },

    async giveUp(number: number): Promise<void> {
      const text = 'update lease set holder = null where id = 1 and number = $1'
      await over((client) => client.query(text, [number]))
    },

    close: () => pool.end(),
  }
}

/**
 * Watches rows that are looked at again and again, and says when the holder has not been heard of for a term. Times are
 * of one monotonic clock, that of the one who looks. A look that failed, or that came late, begins the watch anew: what
 * kept us from looking may have kept the holder from renewing.
 */
export function makeWatch() {
  let since = 0
  let last: (LeaseRow & { at: number }) | null = null
  return {
    /** The row as it was read between two moments. */
    isSilent(row: LeaseRow, begun: number, ended: number): boolean {
      const goesOn = last?.number === row.number && last.beat === row.beat && ended - last.at < termMs / 2
      if (!goesOn) since = ended
      last = { ...row, at: ended }
      return begun - since >= termMs
    },
    failed(): void {
      last = null
    },
  }
}
