/** What the errors of both databases say, and of the disk under them. */
import { isDiskFull } from '../lib/way-out.ts'

/** The connection to the database is lost or never came about: what was asked is undone, or nobody knows. */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`The database cannot be reached: ${why}`, { cause })
  }
}

/** All connections are taken, and those who wait for one are many; or another program writes for long. */
export class DatabaseBusy extends Error {
  constructor(cause: unknown) {
    super('The database is busy: others are reading or writing. Try again in a moment.', { cause })
  }
}

/** A newer server has changed the schema since this connection prepared its statements. Tried again, it works. */
export class DatabaseChanged extends Error {
  constructor(cause: unknown) {
    super('A newer server has changed the database. Try again.', { cause })
  }
}

/** The number under which a server wrote is over: another one drives. Nothing was written. */
export class LeaseLost extends Error {
  constructor(cause: unknown) {
    super('Another server has taken over', { cause })
  }
}

/** SQLSTATE of our own, in a class that is nobody's. */
export const leaseLost = 'SL001'

/** SQLite's own number for an error, the extended one; null for errors of anything else. */
function errcodeOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode : null
}

/** PostgreSQL's SQLSTATE or the name of a system call's error; null for errors without. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Whether an error says that a unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  const errcode = errcodeOf(error)
  // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY; unique_violation.
  return errcode === 2067 || errcode === 1555 || codeOf(error) === '23505'
}

/** Whether an error says that what a row refers to is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  // SQLITE_CONSTRAINT_FOREIGNKEY; foreign_key_violation.
  return errcodeOf(error) === 787 || codeOf(error) === '23503'
}

export const noRoom = 'The server has no disk space left. Nothing was changed. Free some space and try again.'
const notWritable =
  'The database of the server cannot be written because its disk is read-only. Nothing was changed. Contact the operator of the server.'
const notOpened =
  'The database of the server cannot be opened. Nothing was changed. Contact the operator of the server.'
const broken =
  'The disk of the server reports errors. Nothing was changed. Try again, or contact the operator of the server.'
const away =
  'The database of the server cannot be reached. Try again in a moment, or contact the operator of the server.'
const takenOver = 'Another server has taken over. Try again.'
const changed = 'A newer version of the server has changed the database. Try again.'
const busy = 'The database of the server takes too long to answer. Try again in a moment.'

/** By what is common to all of SQLite's errors of a kind, which is their last byte. */
const ofSqlite: Record<number, string> = { 8: notWritable, 10: broken, 14: notOpened }
/** By the name of the system call's error. */
const ofSystem: Record<string, string> = {
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EROFS: notWritable,
  EIO: broken,
}
/** By SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const ofPostgres: Record<string, string> = {
  53100: noRoom,
  53300: busy,
  25006: notWritable,
  58030: broken,
  57014: busy,
}

/**
 * What an error says of the database or the disk under it, as a sentence for a person: that it is full, read-only,
 * broken or away, and that the request is not to blame. Null for every other error.
 */
export function databaseProblem(error: unknown): string | null {
  if (error instanceof DatabaseAway) return away
  if (error instanceof DatabaseBusy) return busy
  if (error instanceof LeaseLost) return takenOver
  if (error instanceof DatabaseChanged) return changed
  const errcode = errcodeOf(error)
  if (errcode !== null) return isDiskFull(error) ? noRoom : (ofSqlite[errcode & 0xff] ?? null)
  const code = codeOf(error) ?? ''
  return ofSystem[code] ?? ofPostgres[code] ?? null
}
