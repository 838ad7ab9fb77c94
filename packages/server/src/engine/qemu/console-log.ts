import { constants, open as openCallback } from 'node:fs'
import { chmod, open, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import type { MachineNote } from '../engine.ts'
import { ifThere, readJson, UnreadableError } from './durable.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { isConsoleIndex } from './record-shapes.ts'

/** A plain descriptor: it goes to the socket, which closes it. */
const openFd = promisify(openCallback)

/** Output kept per machine: when there is more than the second, all but the first is forgotten. */
const KEPT_BYTES = 8 * 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024
const MOST_NOTES = 1000

/** What is known of a machine's output beside the output itself. */
interface Index {
  /** The oldest byte that is kept. */
  first: number
  notes: MachineNote[]
  /** There is another one that cannot be read now: this one must not take its place. */
  provisional?: true
}

/**
 * What machines print, as QEMU itself writes it to a file in the machine's directory over all its runs, whether a
 * server lives or not: the place in that file is the offset. What is forgotten becomes a hole in the file, so that
 * offsets never change (fallocate(1), `--punch-hole`).
 */
export function makeConsoleLogs({ dirs, log }: { dirs: MachineDirs; log: Log }) {
  const indexes = new Map<string, Promise<Index>>()
  const listeners = new Map<string, Set<() => void>>()

  const pathOf = (machineId: string) => dirs.fileOf(machineId, fileNames.serialLog)
  const sizeOf = (machineId: string) =>
    stat(pathOf(machineId)).then(
      ({ size }) => size,
      () => 0,
    )

  function indexOf(machineId: string): Promise<Index> {
    const known = indexes.get(machineId)
    if (known !== undefined) return known
    const reading = read(machineId)
    indexes.set(machineId, reading)
    return reading
  }

  /** A machine whose index cannot be read prints all the same: without notes, until it can be read again. */
  async function read(machineId: string): Promise<Index> {
    const path = dirs.fileOf(machineId, fileNames.console)
    try {
      return (await readJson(path, isConsoleIndex)) ?? { first: 0, notes: [] }
    } catch (error) {
      log.warn({ machine: machineId, path, error }, 'What is known of the output of a VM could not be read')
      if (error instanceof UnreadableError && error.damaged) {
        const moved = await rename(path, `${path}.damaged`).then(
          () => true,
          () => false,
        )
        if (moved) return { first: 0, notes: [] }
      }
      indexes.delete(machineId)
      return { first: 0, notes: [], provisional: true }
    }
  }

  /** Not flushed to the disk: what a power failure takes of it is a note, or some zeros before the oldest output. */
  async function store(machineId: string, index: Index): Promise<void> {
    const path = dirs.fileOf(machineId, fileNames.console)
    await writeFile(`${path}.new`, JSON.stringify(index), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  function tell(machineId: string): void {
    for (const listener of [...(listeners.get(machineId) ?? [])]) listener()
  }

  async function change(machineId: string, by: (index: Index) => void): Promise<void> {
    const index = await indexOf(machineId)
    by(index)
    if (!index.provisional) await store(machineId, index)
    tell(machineId)
  }

  return {
    pathOf,
    sizeOf,
    indexOf,
    tell,

    onChange(machineId: string, listener: () => void): () => void {
      const all = listeners.get(machineId) ?? new Set()
      listeners.set(machineId, all)
      all.add(listener)
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(machineId)
      }
    },

    /** Writes down what happened to a machine now, behind everything it has printed so far. */
    async note(machineId: string, what: MachineNote['what']): Promise<void> {
      const offset = await sizeOf(machineId)
      const { notes } = await indexOf(machineId)
      const last = notes.at(-1)
      // One restart resets the machine more than once.
      if (what === 'rebooted' && last?.what === what && last.offset === offset) return
      await change(machineId, () => {
        notes.push({ what, offset, at: Date.now() })
        notes.splice(0, Math.max(0, notes.length - MOST_NOTES))
      }).catch((error: unknown) => log.warn({ machine: machineId, error }, 'A note was not written'))
    },

    /** Forgets old output of a guest that talks without end. */
    async trim(machineId: string): Promise<void> {
      const size = await sizeOf(machineId)
      const { first, provisional } = await indexOf(machineId)
      if (size - first <= MOST_BYTES || provisional) return
      const keptFrom = size - KEPT_BYTES
      await change(machineId, (index) => {
        index.first = keptFrom
        index.notes = index.notes.filter(({ offset }) => offset >= keptFrom)
      })
      const hole = ['--punch-hole', '--offset', '0', '--length', String(keptFrom)]
      await run('fallocate', [...hole, pathOf(machineId)])
    },

    /** Lets nobody else read what a machine prints; earlier versions let everybody. */
    async seal(machineId: string): Promise<void> {
      await ifThere(pathOf(machineId), chmod(pathOf(machineId), 0o600))
    },

    forget(machineId: string): void {
      indexes.delete(machineId)
      tell(machineId)
    },
  }
}

export type ConsoleLogs = ReturnType<typeof makeConsoleLogs>

/** Opens a machine's output for reading; null when it has not printed anything yet. */
export const openLog = (path: string) => open(path).catch(() => null)

/**
 * Makes what QEMU needs for a serial line. It opens the pipe for both ways, so the line outlives every writer. The log
 * is made for it, because QEMU would let everybody read it; QEMU opens it before it becomes the guests' user.
 */
export async function makeSerialLine(dirs: MachineDirs, machineId: string): Promise<void> {
  const output = await open(dirs.fileOf(machineId, fileNames.serialLog), 'a', 0o600)
  await output.chmod(0o600).finally(() => output.close())
  if (await dirs.has(machineId, fileNames.serialIn)) return
  await rm(dirs.fileOf(machineId, fileNames.serialOut), { force: true })
  await symlink('/dev/null', dirs.fileOf(machineId, fileNames.serialOut))
  await run('mkfifo', ['-m', '600', dirs.fileOf(machineId, fileNames.serialIn)])
}

/** Opens the line to a living guest; null when nobody listens at the other end. */
export async function openSerialLine(dirs: MachineDirs, machineId: string): Promise<Socket | null> {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK
    const fd = await openFd(dirs.fileOf(machineId, fileNames.serialIn), flags)
    return new Socket({ fd, readable: false, writable: true })
  } catch {
    return null
  }
}
