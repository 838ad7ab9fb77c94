import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../lib/command.ts'
import { flush } from '../../lib/flush.ts'
import { copyWhole } from '../../lib/whole-copy.ts'
import { EngineError } from '../engine.ts'
import { fewAtATime } from './turns.ts'

/**
 * Something is there, or may be, and cannot be read now. Reads of this engine return null for what is absent and throw
 * this for what is unreadable, so that a caller who forgets the third answer fails, and never takes a file that
 * cannot be read for one that was not completely made.
 */
export class UnreadableError extends EngineError {
  /** The file, for the operator's log; null where the sentence says all. */
  readonly path: string | null
  /** Its content is wrong, so that trying again does not help by itself. */
  readonly damaged: boolean

  constructor(sentence: string, options: { path?: string; damaged?: boolean; cause?: unknown } = {}) {
    super('internal', sentence, { retryable: true, cause: options.cause })
    this.name = 'UnreadableError'
    this.path = options.path ?? null
    this.damaged = options.damaged ?? false
  }
}

/** What errors of the file system mean; by the names of errno(3). */
const meanings: Record<string, string> = {
  EMFILE: 'the server has too many files open',
  ENFILE: 'the host has too many files open',
  EACCES: 'the server is not allowed to read it',
  EPERM: 'the server is not allowed to read it',
  EIO: 'the disk of the host reports an error',
  ENOMEM: 'the host is out of memory',
}

/** Resolves with what is there, or with null when it certainly is not; throws an {@link UnreadableError}. */
export async function ifThere<T>(path: string, reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof UnreadableError) throw error
    const code = errorCode(error)
    if (code === 'ENOENT') return null
    throw unreadable(path, code, error)
  }
}

/** What could not be read, by the name of its error in errno(3). */
export function unreadable(path: string, code: string | null, cause: unknown): UnreadableError {
  const why = meanings[code ?? ''] ?? 'the host refused'
  return new UnreadableError(`A file on the host cannot be read: ${why}.`, { path, cause })
}

/** Says whether a value that came from a file has the shape of a T. */
export type Shape<T> = (value: unknown) => value is T

/**
 * A JSON file's value; null when there is no such file. Throws an {@link UnreadableError} when it cannot be read, is
 * no JSON or has another shape.
 */
export async function readJson<T>(path: string, hasShape: Shape<T>): Promise<T | null> {
  const text = await ifThere(path, readFile(path, 'utf8'))
  if (text === null) return null
  const damaged = (cause?: unknown) =>
    new UnreadableError('A file on the host cannot be read: its content is damaged.', {
      path,
      damaged: true,
      cause,
    })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw damaged(error)
  }
  if (!hasShape(value)) throw damaged()
  return value
}

/** Whether a file or directory is there; throws an {@link UnreadableError} when that cannot be found out. */
export const exists = async (path: string): Promise<boolean> => (await ifThere(path, stat(path))) !== null

/** Those ids of which something is there, readable now or not. */
export async function presentAmong(
  ids: readonly string[],
  read: (id: string) => Promise<unknown>,
): Promise<string[]> {
  const found = await fewAtATime(ids, async (id) => {
    try {
      return (await read(id)) === null ? null : id
    } catch (error) {
      if (error instanceof UnreadableError) return id
      throw error
    }
  })
  return found.filter((id) => id !== null)
}

/**
 * Moves a file in one step; to another file system as a copy that is whole before it has the name. A crash leaves it
 * where it was, or in both places, so that it can be done again.
 */
export async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyAway(from, to)
    await rm(from)
  }
}

async function copyAway(from: string, to: string): Promise<void> {
  const fresh = `${to}.new`
  try {
    await copyWhole(from, fresh, new AbortController().signal)
    await rename(fresh, to)
    await flush(dirname(to))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

/** The write of a file that is under way, by its path. */
const writes = new Map<string, Promise<void>>()

/**
 * Replaces a JSON file in one step that survives a power failure; a crash leaves the old or the new content. Writes of
 * one file come one after the other, the last one wins.
 */
export function writeDurably(path: string, value: unknown): Promise<void> {
  const before = writes.get(path) ?? Promise.resolve()
  const mine = before.catch(() => {}).then(() => replace(path, value))
  writes.set(path, mine)
  const forget = () => {
    if (writes.get(path) === mine) writes.delete(path)
  }
  mine.then(forget, forget)
  return mine
}

async function replace(path: string, value: unknown): Promise<void> {
  const fresh = `${path}.new`
  try {
    await writeFile(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
    await rename(fresh, path)
  } catch (error) {
    // A full disk keeps no half of it.
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
  await flush(dirname(path))
}
