import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import { makePostgresDriver } from './postgres-driver.ts'
import type { Db, Schema } from './schema.ts'

/** Also for a connection that others have. */
const connectMs = 10_000
/** No statement of a call takes as long; what waits longer hangs. Migrations have no such limit. */
const statementMs = 30_000
/**
 * A server that stands still in the middle of a transaction holds up the others' writing for so long at most: less than
 * the term of the lease, so that one who takes over does not wait on top of that. Between the statements of our own
 * transactions lie moments.
 */
const idleWritingMs = 5_000
/** One that only reads holds up nobody, and may put rows on a slow disk between its statements. */
const idleReadingMs = 60_000
/** Longer than a server may stand still, so that the others' writing then goes on. */
const lockMs = 15_000
/** Lists and objects are read side by side; more connections only wait for each other's processor. */
const readers = 8

/** Numbers come as numbers: what is counted and summed up, and bytes, are far below 2^53. */
const numbers = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC])
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (numbers.has(id) ? Number : pg.types.getTypeParser(id, format)),
}

/**
 * Opens a PostgreSQL database by its URL; nothing is sent before the first query. `inTurn`: all over one connection, one
 * after the other, as with SQLite. `takesLong`: statements, and waiting for others who write, may take any time.
 */
export function openPostgres(url: string, { readOnly = false, takesLong = false, inTurn = false } = {}): Db {
  const pool = (max: number, idleMs: number) => {
    const made = new pg.Pool({
      connectionString: url,
      application_name: 'slipway',
      max,
      // Whoever waits for a connection that does not come is told.
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: 0,
      keepAlive: true,
      idle_in_transaction_session_timeout: idleMs,
      ...(!takesLong && {
        statement_timeout: statementMs,
        lock_timeout: lockMs,
        // The server may be gone without a word.
        query_timeout: statementMs + connectMs,
      }),
      types,
      ...(readOnly && { options: '-c default_transaction_read_only=on' }),
    })
    // An idle connection was lost; the next query opens another one, or says why not.
    made.on('error', () => {})
    // One that is in use was; whoever uses it is told with the next query.
    made.on('connect', (client) => client.on('error', () => {}))
    return made
  }
  return new Kysely<Schema>({
    dialect: {
      createDriver() {
        const writing = pool(1, readOnly || takesLong ? idleReadingMs : idleWritingMs)
        return makePostgresDriver({ reading: inTurn ? writing : pool(readers, idleReadingMs), writing })
      },
      createAdapter: () => new Adapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  })
}

/** Migrations need no lock of their own: they are done in a transaction, see migrate.ts. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

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
