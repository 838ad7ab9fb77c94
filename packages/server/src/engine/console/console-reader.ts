/** One who reads the kept output of a machine while it grows. */
import { type FileHandle, open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { MachineConsole } from '../engine.ts'
import type { ConsoleLogs } from './console-logs.ts'

/** A guest prints a byte at a time; within this time they are told of together. */
const GATHER_MS = 8

type Reading = Pick<MachineConsole, 'extent' | 'read' | 'notes' | 'onChange' | 'close'>

/**
 * Reads from the file, so nothing is lost or doubled however many look and whenever they come.
 * `lookSoon` is for who finds out that there is more; changes that the logs tell of are seen without it.
 */
export async function openConsoleReader(
  { logs, log }: { logs: ConsoleLogs; log: Log },
  machineId: string,
): Promise<Reading & { lookNow: () => void; lookSoon: () => void }> {
  const index = await logs.indexOf(machineId)
  let end = await logs.sizeOf(machineId)
  let file: Promise<FileHandle | null> | null = null
  let gathering: NodeJS.Timeout | undefined
  let closed = false
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of [...listeners]) listener()
  }

  const look = async () => {
    const now = await logs.sizeOf(machineId)
    if (now === end || closed) return
    end = now
    tell()
  }
  const lookNow = () => inBackground(log, 'looking at the output of a machine', look())
  const stopNotes = logs.onChange(machineId, () => {
    look().then(tell, tell)
  })

  /** One handle for all reads, also for those that begin together, and none once it is closed. */
  async function openOnce(): Promise<FileHandle | null> {
    if (closed) return null
    file ??= open(logs.pathOf(machineId)).catch(() => null)
    const opening = file
    const opened = await opening
    // It has not printed anything yet.
    if (!opened && file === opening) file = null
    return closed ? null : opened
  }

  async function closeFile(): Promise<void> {
    const opened = await file
    await opened?.close()
  }

  return {
    extent: () => ({ first: index.first, end }),
    async read(from, max) {
      const opened = await openOnce()
      if (!opened) return Buffer.alloc(0)
      const { buffer, bytesRead } = await opened.read(Buffer.allocUnsafe(max), 0, max, from)
      return buffer.subarray(0, bytesRead)
    },
    notes: () => index.notes,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lookNow,
    lookSoon() {
      gathering ??= setTimeout(() => {
        gathering = undefined
        lookNow()
      }, GATHER_MS)
    },
    close() {
      closed = true
      clearTimeout(gathering)
      stopNotes()
      inBackground(log, 'closing the output of a machine', closeFile())
    },
  }
}

/** Types into a line; resolves to whether it took the bytes, when it did. */
export function typeInto(line: Writable, bytes: Buffer): Promise<boolean> {
  if (line.destroyed || line.writableEnded) return Promise.resolve(false)
  if (line.write(bytes)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const settle = (taken: boolean) => () => {
      line.off('drain', drained)
      line.off('close', lost)
      resolve(taken)
    }
    const drained = settle(true)
    const lost = settle(false)
    line.on('drain', drained)
    line.on('close', lost)
  })
}
