import { type FSWatcher, watch } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { MachineConsole } from '../engine.ts'
import { type ConsoleLogs, openLog, openSerialLine } from './console-log.ts'
import type { Guest } from './guest.ts'
import type { Guests } from './guests.ts'
import type { MachineDirs } from './machine-dir.ts'
import { makeTerminalSizes } from './terminal-size.ts'

/** The kernel tells of new output at once; this is for what it does not tell, such as a first start. */
const LOOK_MS = 500
/** A guest prints a byte at a time; within this time they are told of together. */
const GATHER_MS = 8

/**
 * The serial consoles of machines. What is read comes from the file that QEMU writes, never from the line to the
 * guest, so nothing is lost or doubled however many look and whenever they come. The line is opened when somebody
 * types first.
 */
export function makeConsoles(deps: { dirs: MachineDirs; guests: Guests; logs: ConsoleLogs; log: Log }) {
  const { dirs, guests, logs, log } = deps
  /** By run. */
  const lines = new Map<string, Promise<Socket | null>>()
  const terminals = makeTerminalSizes({ guest: (machineId) => guests.held().get(machineId), log })

  function lineTo(machineId: string, guest: Guest): Promise<Socket | null> {
    const { run } = guest.run
    const begun = lines.get(run)
    if (begun !== undefined) return begun
    const opening = openLine(machineId, guest, () => {
      if (lines.get(run) === opening) lines.delete(run)
    })
    lines.set(run, opening)
    return opening
  }

  async function openLine(machineId: string, { gone }: Guest, forget: () => void): Promise<Socket | null> {
    const line = await openSerialLine(dirs, machineId)
    if (!line) {
      forget()
      return null
    }
    line.on('error', () => line.destroy())
    line.on('close', forget)
    inBackground(
      log,
      'closing a serial line',
      gone.then(() => line.destroy()),
    )
    return line
  }

  return {
    async open(machineId: string): Promise<MachineConsole | null> {
      if (!(await dirs.readRecord(machineId))) return null
      const index = await logs.indexOf(machineId)
      const path = logs.pathOf(machineId)
      let end = await logs.sizeOf(machineId)
      let file: Promise<FileHandle | null> | null = null
      let watcher: FSWatcher | null = null
      let gathering: NodeJS.Timeout | undefined
      let closed = false
      const terminal = terminals.open(machineId)
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
      const soon = () => {
        gathering ??= setTimeout(() => {
          gathering = undefined
          lookNow()
        }, GATHER_MS)
      }
      const follow = () => {
        if (watcher || closed) return
        try {
          watcher = watch(path, { persistent: false }, soon)
          watcher.on('error', () => {
            watcher?.close()
            watcher = null
          })
        } catch {
          // It has not been started yet.
        }
      }
      const poll = setInterval(() => {
        follow()
        lookNow()
      }, LOOK_MS)
      poll.unref()
      follow()
      const stopNotes = logs.onChange(machineId, () => {
        look().then(tell, tell)
      })

      /** One handle for all reads, also for those that begin together, and none once it is closed. */
      async function openOnce(): Promise<FileHandle | null> {
        if (closed) return null
        file ??= openLog(path)
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
        async write(bytes) {
          const guest = guests.held().get(machineId)
          if (!guest) return false
          // The agent may not have been up when the size was told.
          terminal.insist()
          const line = await lineTo(machineId, guest)
          if (!line) return false
          if (line.write(bytes)) return true
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
        },
        resize: terminal.resize,
        close() {
          closed = true
          clearInterval(poll)
          clearTimeout(gathering)
          terminal.close()
          stopNotes()
          watcher?.close()
          inBackground(log, 'closing the output of a machine', closeFile())
        },
      }
    },

    /** Lets go of all lines; guests print on. */
    release(): void {
      for (const line of lines.values())
        line.then(
          (one) => one?.destroy(),
          () => {},
        )
    },
  }
}
