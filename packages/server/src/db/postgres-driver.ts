/**
 * How queries go to PostgreSQL. What only reads has connections of its own. Whatever writes goes over one connection
 * of this server and takes the writers' lock of the database, in the message that begins its transaction: all servers
 * together write one transaction after the other, as a program with one SQLite file does. So what a transaction has
 * read cannot change before it ends, and what it numbers is numbered in the order of commits. What writes under a lease
 * (lib/fence.ts) is refused in that same message when the lease has another number by then: it is taken under the same
 * lock, so a transaction is either wholly before that, or does not begin.
 *
 * Each connection prepares the statements it has most often, which takes it longer than to execute them.
 */
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { leaseNow } from '../lib/fence.ts'
import { DatabaseAway, DatabaseBusy, DatabaseChanged, LeaseLost, leaseLost } from './errors.ts'

/** What only reads may see one moment, and holds up nobody. */
const beginReading = 'start transaction isolation level repeatable read read only'
/** Everybody else who writes waits for the end of what this begins. */
export const beginWriting = `begin; select pg_advisory_xact_lock(hashtext('slipway writers'))`

/** A statement of its own after the lock: it sees what was committed while that was waited for. */
function beginAsLeased(): string {
  const number = leaseNow()
  if (number === null) return beginWriting
  return `${beginWriting}; do $$ begin
    if not exists (select from lease where id = 1 and number = ${BigInt(number)}) then
      raise exception 'The lease has another number than ${BigInt(number)}' using errcode = '${leaseLost}';
    end if; end $$`
}

/** A client that was taken from its pool, and whether it is of any use afterwards. */
interface Taken {
  client: pg.PoolClient
  isLost: boolean
}

/** What Kysely takes for a connection: a client of its own it has only in a transaction. */
interface Way extends DatabaseConnection {
  transaction: Taken | null
}

export function makePostgresDriver(pools: { reading: pg.Pool; writing: pg.Pool }): Driver {
  const prepared = makePrepared()

  async function ask<R>(taken: Taken, query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await tell(taken, prepared(query))
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return { rows: rows as R[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  async function alone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (isRead(query)) {
      const taken = await takeFrom(pools.reading)
      return ask<R>(taken, query)
        .catch((error: unknown) => {
          if (!(error instanceof DatabaseChanged)) throw error
          return tell(taken, unprepared(query)) as Promise<{ rows: R[] }>
        })
        .finally(() => giveBack(taken))
    }
    const taken = await takeFrom(pools.writing)
    try {
      await tell(taken, { text: beginAsLeased() })
      const result = await ask<R>(taken, query)
      await commit(taken)
      return result
    } catch (error) {
      await rollBack(taken).catch(() => {})
      throw error
    } finally {
      giveBack(taken)
    }
  }

  return {
    async init() {},
    async acquireConnection() {
      const way: Way = {
        transaction: null,
        executeQuery: (query) => (way.transaction ? ask(way.transaction, query) : alone(query)),
        streamQuery() {
          throw new Error('Rows of PostgreSQL are read in batches')
        },
      }
      return way
    },
    async releaseConnection(connection) {
      const way = connection as Way
      if (way.transaction) giveBack(way.transaction)
      way.transaction = null
    },
    async beginTransaction(connection, { accessMode }) {
      const way = connection as Way
      const reads = accessMode === 'read only'
      way.transaction = await takeFrom(reads ? pools.reading : pools.writing)
      await tell(way.transaction, { text: reads ? beginReading : beginAsLeased() }).catch(
        async (error: unknown) => {
          // Nobody rolls back what did not begin.
          if (way.transaction) await rollBack(way.transaction).catch(() => {})
          throw error
        },
      )
    },
    commitTransaction: (connection) => commit(ofTransaction(connection)),
    rollbackTransaction: (connection) => rollBack(ofTransaction(connection)),
    async destroy() {
      await Promise.all([...new Set([pools.reading, pools.writing])].map((pool) => pool.end()))
    },
  }
}

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))

function ofTransaction(connection: DatabaseConnection): Taken {
  const { transaction } = connection as Way
  if (!transaction) throw new Error('No transaction was begun')
  return transaction
}

async function takeFrom(pool: pg.Pool): Promise<Taken> {
  const hasToWait = pool.idleCount === 0 && pool.totalCount >= pool.options.max
  const client = await pool.connect().catch((error: unknown) => {
    throw hasToWait ? new DatabaseBusy(error) : new DatabaseAway(error)
  })
  return { client, isLost: false }
}

const giveBack = ({ client, isLost }: Taken): void => client.release(isLost)

async function commit(taken: Taken): Promise<void> {
  const { command } = await tell(taken, { text: 'commit' })
  // So ends a transaction in which a statement failed and nobody minded.
  if (command === 'ROLLBACK') throw new AbortedTransactionError()
}

async function rollBack(taken: Taken): Promise<void> {
  if (taken.isLost) return
  await tell(taken, { text: 'rollback' }).catch((error: unknown) => {
    taken.isLost = true
    throw error
  })
}

/** Tells apart what the database refused and that it is not there. */
async function tell(taken: Taken, query: pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    return await taken.client.query(query)
  } catch (error) {
    if (hasCode(error, leaseLost)) throw new LeaseLost(error)
    if (hasCode(error, lockNotAvailable)) throw new DatabaseBusy(error)
    if (hasCode(error, planIsOld) && query.name) {
      taken.isLost = true
      throw new DatabaseChanged(error)
    }
    if (isRefusal(error)) throw error
    taken.isLost = true
    throw new DatabaseAway(error)
  }
}

/** Each connection keeps so many, and none that is another one for each length of a list. */
const mostPrepared = 300
const mostParameters = 8
const preparable = ['SelectQueryNode', 'InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']

const unprepared = ({ sql, parameters }: CompiledQuery): pg.QueryConfig => ({
  text: sql,
  values: [...parameters],
})

/** Gives statements names, under which a connection understands and plans them once. */
function makePrepared(): (query: CompiledQuery) => pg.QueryConfig {
  const names = new Map<string, string>()
  return function prepared(query) {
    const { sql, parameters } = query
    const isShort = parameters.length <= mostParameters && preparable.includes(query.query.kind)
    if (!names.has(sql) && isShort && names.size < mostPrepared) names.set(sql, `s${names.size}`)
    const name = names.get(sql)
    return name ? { name, ...unprepared(query) } : unprepared(query)
  }
}

const lockNotAvailable = '55P03'
/** What a prepared statement answers that would have other columns now. */
const planIsOld = '0A000'
const hasCode = (error: unknown, code: string): boolean =>
  error instanceof pg.DatabaseError && error.code === code

/** Not that it shuts down, starts up or ends the connection: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(08|57P0)/.test(error.code ?? '')
