/**
 * What the simulated engine keeps over a restart of the server, as real machines and files would stay: a line of JSON
 * for every change, written before the change is answered, so that a server that is killed at any moment loses nothing.
 */
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'

export type Section =
  | 'machines'
  | 'volumes'
  | 'machineSnapshots'
  | 'volumeSnapshots'
  | 'papers'
  | 'projects'
  | 'networks'
  | 'counters'
export type Line = [section: Section, id: string, value: unknown]

/** The file in a data directory. */
export const SIMULATED_FILE = 'simulated.jsonl'

/** Until a file that could not be written, as on a full disk, is tried again. */
const againMs = 250
/** Appended bytes after which the file is written anew, with one line for each thing. */
const longBytes = 64 * 1024 ** 2

export interface Kept {
  /** Hands out what was kept; throws when there is something that cannot be read. */
  open: (each: (line: Line) => void) => void
  /** Keeps a value, or with undefined that there is none any more. */
  put: (...line: Line) => void
  /** Whether all of it is: not while the file cannot be written, as on a full disk. */
  isUpToDate: () => boolean
  close: () => void
}

/** @param everything what is to be kept now, for a file without history */
export function makeKept(path: string, clock: Clock, everything: () => Line[]): Kept {
  let file: number | null = null
  let appended = 0
  let behind = false

  function writeAnew(): void {
    saveLines(path, everything())
    if (file !== null) closeSync(file)
    file = null
    file = openSync(path, 'a')
    appended = 0
    behind = false
  }

  function catchUp(): void {
    try {
      if (behind) writeAnew()
    } catch {
      clock.after(againMs, catchUp)
    }
  }

  function fallBehind(): void {
    if (behind) return
    behind = true
    clock.after(againMs, catchUp)
  }

  return {
    open(each) {
      for (const line of readLines(path)) each(line)
      writeAnew()
    },
    put(section, id, value) {
      if (file === null || behind) return
      const line = Buffer.from(`${JSON.stringify([section, id, value ?? null])}\n`)
      try {
        // A torn line is healed by writing the file anew.
        if (writeSync(file, line) !== line.length) fallBehind()
      } catch {
        fallBehind()
      }
      appended += line.length
      if (appended > longBytes) fallBehind()
    },
    isUpToDate: () => !behind,
    close() {
      catchUp()
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

/** Writes a whole file in one step. */
export function saveLines(path: string, lines: readonly Line[]): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(`${path}.new`, text.join(''), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

const sections: readonly string[] = [
  'machines',
  'volumes',
  'machineSnapshots',
  'volumeSnapshots',
  'papers',
  'projects',
  'networks',
  'counters',
] satisfies Section[]

/** What a value of a section looks like is taken at its word: this file is written by this module only. */
const isLine = (value: unknown): value is Line =>
  Array.isArray(value) && value.length === 3 && sections.includes(value[0]) && typeof value[1] === 'string'

const damaged = (path: string, line: number) =>
  new Error(`Line ${line} of ${path}, where the simulated machines are kept, is damaged.`)

function readLines(path: string): Line[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Error(`The simulated machines in ${path} cannot be read: ${(error as Error).message}`)
  }
  // A file of this module has at least the line of the counters.
  if (text === '') throw new Error(`The file ${path}, where the simulated machines are kept, is empty.`)
  const lines = text.split('\n')
  // A server that was killed may have left half a line at the end, of a change that it never answered.
  lines.pop()
  if (lines.length === 0) throw damaged(path, 1)
  return lines.map((line, index) => {
    try {
      const value: unknown = JSON.parse(line)
      if (isLine(value)) return value
    } catch {
      // Told below, as every line that is none of ours.
    }
    throw damaged(path, index + 1)
  })
}
