import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pg from 'pg'
import { DatabaseAway } from './errors.ts'
import type { Db, Schema } from './schema.ts'

const connectMs = 5_000
/** No statement of ours takes so long; what waits longer hangs. */
const statementMs = 30_000

/** Numbers come as numbers: what is counted and summed up, and bytes, are far below 2^53. */
const numbers = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC])
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (numbers.has(id) ? Number : pg.types.getTypeParser(id, format)),
}

/**
 * Opens a PostgreSQL database by its URL; nothing is sent before the first query. All go through one connection, as
 * with SQLite, so that what is read and then written in a transaction cannot change in between.
 */
export function openPostgres(url: string, { readOnly = false } = {}): Db {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'slipway',
    max: 1,
    // Whoever waits for a connection that does not come is told.
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    // The server may be gone without a word.
    query_timeout: statementMs + connectMs,
    types,
    ...(readOnly && { options: '-c default_transaction_read_only=on' }),
  })
  // An idle connection was lost; the next query opens another one, or says why not.
  pool.on('error', () => {})
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: toldApart(pool) }) })
}

/** Tells apart what the database refused and that it is not there. */
function toldApart(pool: pg.Pool): PostgresPool {
  return {
    options: {},
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw new DatabaseAway(error)
      })
      let isLost = false
      const query = async (text: string, values: readonly unknown[]) => {
        try {
          return await client.query(text, [...values])
        } catch (error) {
          isLost = !isRefusal(error)
          return away(error)
        }
      }
      // Its other form, with a cursor, is for streams, which nobody asks for.
      const asked = query as unknown as PostgresPoolClient['query']
      return { query: asked, release: () => client.release(isLost) }
    },
  }
}

function away(error: unknown): never {
  throw isRefusal(error) ? error : new DatabaseAway(error)
}

/** Not that it shuts down, starts up or ends the connection: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const isRefusal = (error: unknown) =>
  error instanceof pg.DatabaseError && !/^(08|57P0)/.test(error.code ?? '')

export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Makes the columns of PostgreSQL what they are in SQLite, whatever the database's own rules: text is compared by its
 * bytes, as ids and times have to be, and a real number has eight bytes.
 */
export async function equaliseColumns(db: Db): Promise<void> {
  await sql`
    do $$
    declare c record;
    begin
      for c in select table_name, column_name, data_type from information_schema.columns
        where table_schema = current_schema()
          and (data_type = 'text' and collation_name is distinct from 'C' or data_type = 'real')
      loop
        execute format('alter table %I alter column %I type %s', c.table_name, c.column_name,
          case c.data_type when 'real' then 'double precision' else 'text collate "C"' end);
      end loop;
    end $$`.execute(db)
}
