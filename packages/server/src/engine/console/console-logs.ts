/** What machines print, kept in a file for each, and what is known of it beside: the same for every engine that keeps files. */
import { rename, stat, writeFile } from 'node:fs/promises'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import type { MachineNote } from '../engine.ts'

/** Output kept per machine: when there is more than the second, all but the first is forgotten. */
const KEPT_BYTES = 8 * 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024
const MOST_NOTES = 1000

/** What is known of a machine's output beside the output itself. */
export interface ConsoleIndex {
  /** The oldest byte that is kept. */
  first: number
  notes: MachineNote[]
  /** The run whose output comes last, where whoever writes it down has to know that. */
  run?: string
  /** There is another one that cannot be read now: this one must not take its place. */
  provisional?: true
}

/** Where the files of a machine are. */
export interface ConsoleFiles {
  output: (machineId: string) => string
  index: (machineId: string) => string
  /** Null when there is none. Throws when it cannot be read; `isDamaged` tells whether that will stay so. */
  readIndex: (path: string) => Promise<ConsoleIndex | null>
  isDamaged: (error: unknown) => boolean
}

/**
 * The output of machines over all their runs: the place in the file is the offset. Whoever makes machines print appends
 * to it (QEMU itself, or a recorder). What is forgotten becomes a hole in the file, so that offsets never change
 * (fallocate(1), `--punch-hole`).
 */
export function makeConsoleLogs({ files, log }: { files: ConsoleFiles; log: Log }) {
  const indexes = new Map<string, Promise<ConsoleIndex>>()
  const listeners = new Map<string, Set<() => void>>()

  const pathOf = files.output
  const sizeOf = (machineId: string) =>
    stat(pathOf(machineId)).then(
      ({ size }) => size,
      () => 0,
    )

  function indexOf(machineId: string): Promise<ConsoleIndex> {
    const known = indexes.get(machineId)
    if (known !== undefined) return known
    const reading = read(machineId)
    indexes.set(machineId, reading)
    return reading
  }

  /** A machine whose index cannot be read prints all the same: without notes, until it can be read again. */
  async function read(machineId: string): Promise<ConsoleIndex> {
    const path = files.index(machineId)
    try {
      return (await files.readIndex(path)) ?? { first: 0, notes: [] }
    } catch (error) {
      log.warn({ machine: machineId, path, error }, 'What is known of the output of a VM could not be read')
      if (files.isDamaged(error)) {
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
  async function store(machineId: string, index: ConsoleIndex): Promise<void> {
    const path = files.index(machineId)
    await writeFile(`${path}.new`, JSON.stringify(index), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  function tell(machineId: string): void {
    for (const listener of [...(listeners.get(machineId) ?? [])]) listener()
  }

  async function change(machineId: string, by: (index: ConsoleIndex) => void): Promise<void> {
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

    /**
     * Writes down what happened to a machine now, behind everything it has printed so far.
     *
     * @param run what prints from now on
     */
    async note(machineId: string, what: MachineNote['what'], run?: string): Promise<void> {
      const offset = await sizeOf(machineId)
      const { notes } = await indexOf(machineId)
      const last = notes.at(-1)
      // One restart resets the machine more than once.
      if (what === 'rebooted' && last?.what === what && last.offset === offset) return
      await change(machineId, (index) => {
        notes.push({ what, offset, at: Date.now() })
        notes.splice(0, Math.max(0, notes.length - MOST_NOTES))
        if (run !== undefined) index.run = run
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

    forget(machineId: string): void {
      indexes.delete(machineId)
      tell(machineId)
    },
  }
}

export type ConsoleLogs = ReturnType<typeof makeConsoleLogs>
