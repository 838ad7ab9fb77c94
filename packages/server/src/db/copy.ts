import { constants } from 'node:fs'
import { access, open, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { flush } from '../lib/flush.ts'
import { databaseProblem } from './errors.ts'
import type { Db } from './open.ts'

const mebibyte = 1024 ** 2
/** Left over for what is written after the copy. */
const RESERVE_BYTES = mebibyte

/**
 * Copies everything that is stored to a file of its own, for the owner alone: complete or not at all, whoever else
 * reads or writes meanwhile, and on the disk when it resolves. What is there under that name stays, and the copy gets
 * a number behind its name. Throws a sentence when there is no room.
 */
export async function copyBeside(db: Db, file: string): Promise<void> {
  const dir = path.dirname(file)
  const bytes = await sizeOf(db)
  const { bavail, bsize } = await statfs(dir)
  if (bavail * bsize < bytes + RESERVE_BYTES) throw noRoom(file, bytes)
  const part = `${file}.part`
  await rm(part, { force: true })
  // Made first, so that at no moment anybody else could read it.
  await (await open(part, 'wx', 0o600)).close()
  try {
    await sql`vacuum into ${part}`.execute(db)
    await flush(part)
    await rename(part, await freeName(file))
    await flush(dir)
  } catch (error) {
    await rm(part, { force: true })
    throw databaseProblem(error) === null ? error : noRoom(file, bytes, error)
  }
}

/** What the database takes, its log included. */
async function sizeOf(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()
  `.execute(db)
  return rows[0]?.bytes ?? 0
}

async function freeName(file: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? file : `${file}-${number}`
    const isTaken = await access(name, constants.F_OK).then(
      () => true,
      () => false,
    )
    if (!isTaken) return name
  }
}

function noRoom(file: string, bytes: number, cause?: unknown): Error {
  const megabytes = Math.ceil((bytes + RESERVE_BYTES) / mebibyte)
  return new Error(
    `This version changes the database, and there is not enough space for the backup copy (${file}). Nothing was changed. Free ${megabytes} MB in ${path.dirname(file)} and start again.`,
    { cause },
  )
}
