import { existsSync } from 'node:fs'
import { openPostgres } from './postgres.ts'
import type { Db } from './schema.ts'
import { openSqlite } from './sqlite.ts'

export type { Db, Tx } from './schema.ts'

/** Where everything is stored: a file of SQLite, or what a `postgres://` URL names. */
export type DatabasePlace = { file: string } | { url: string }

/**
 * Opens the database. Repositories write plain SQL that both take; what differs between them is made equal here, in
 * sqlite.ts, postgres.ts and errors.ts. `readOnly` is for programs beside the server, `takesLong` for migrations and
 * copies of whole tables, which no time limit may end. For tests are `inTurn`, as some
 * count on the order of what is asked at once, and `content`, with which a database of SQLite in memory begins. `makeRoom`
 * is asked when SQLite finds the disk full under something that is to get out of that (lib/way-out.ts).
 */
export function openDatabase(
  place: DatabasePlace,
  {
    readOnly = false,
    takesLong = false,
    inTurn = false,
    content,
    makeRoom,
  }: {
    readOnly?: boolean
    takesLong?: boolean
    inTurn?: boolean
    content?: Uint8Array | undefined
    makeRoom?: (() => boolean) | undefined
  } = {},
): Db {
  return 'url' in place
    ? openPostgres(place.url, { readOnly, takesLong, inTurn })
    : openSqlite(place.file, { readOnly, content, makeRoom })
}

/** Whether there is anything to open; a database that a URL names is asked when it is used. */
export const isThere = (place: DatabasePlace): boolean => 'url' in place || existsSync(place.file)
