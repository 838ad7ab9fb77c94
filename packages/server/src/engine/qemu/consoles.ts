import { type FSWatcher, watch } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Log } from '../../lib/log.ts'
import type { MachineConsole } from '../engine.ts'
import { type ConsoleLogs, openLog, openSerialLine } from './console-log.ts'
import type { Guest } from './guest.ts'
import type { Guests } from './guests.ts'
import type { MachineDirs } from './machine-dir.ts'

/** The kernel tells of new output at once; this is for what it does not tell, such as a first start. */
const LOOK_MS = 500
/** A guest prints a byte at a time; within this time they are told of together. */
const GATHER_MS = 8
const RESIZE_MS = 300

/**
 * The serial consoles of machines. What is read comes from the file that QEMU writes, never from the line to the
 * guest, so nothing is lost or doubled however many look and whenever they come. The line is opened when somebody
 * types first.
 */
export function makeConsoles(deps: { dirs: MachineDirs; guests: Guests; logs: ConsoleLogs; log: Log }) {
  const { dirs, guests, logs, log } = deps
  /** By run. */
  const lines = new Map<string, Promise<Socket | null>>()

  function lineTo(machineId: string, { run: { run }, gone }: Guest): Promise<Socket | null> {
    const begun = lines.get(run)
    if (begun !== undefined) return begun
    const forget = () => {
      if (lines.get(run) === opening) lines.delete(run)
    }
    const opening = openSerialLine(dirs, machineId).then((line) => {
      if (!line) forget()
      else void gone.then(() => line.destroy())
      line?.on('error', () => line.destroy())
      line?.on('close', forget)
      return line
    })
    lines.set(run, opening)
    return opening
  }

  return {
    async open(machineId: string): Promise<MachineConsole | null> {
      if (!(await dirs.readRecord(machineId))) return null
      const index = await logs.indexOf(machineId)
      const path = logs.pathOf(machineId)
      let end = await logs.sizeOf(machineId)
      let file: FileHandle | null = null
      let watcher: FSWatcher | null = null
      let gathering: NodeJS.Timeout | undefined
      let resizing: NodeJS.Timeout | undefined
      let closed = false
      let resized = false
      let size: { cols: number; rows: number } | null = null
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
      const soon = () => {
        gathering ??= setTimeout(() => {
          gathering = undefined
          void look()
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
        void look()
      }, LOOK_MS)
      poll.unref()
      follow()
      const stopNotes = logs.onChange(machineId, () => {
        look().then(tell, tell)
      })

      /** Tells the terminal of our own images how large it is; the serial line itself cannot. */
      async function applySize(): Promise<void> {
        const guest = guests.held().get(machineId)
        if (!guest || !size || closed) return
        resized = await guest.agent.setTerminal('/dev/ttyS0', size)
      }

      return {
        extent: () => ({ first: index.first, end }),
        async read(from, max) {
          file ??= await openLog(path)
          if (!file) return Buffer.alloc(0)
          const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(max), 0, max, from)
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
          if (!resized) void applySize().catch(() => {})
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
        resize(wanted) {
          size = wanted
          resized = false
          clearTimeout(resizing)
          resizing = setTimeout(() => {
            applySize().catch((error: unknown) =>
              log.debug({ machine: machineId, error }, 'A terminal kept its size'),
            )
          }, RESIZE_MS)
          resizing.unref()
        },
        close() {
          closed = true
          clearInterval(poll)
          clearTimeout(gathering)
          clearTimeout(resizing)
          stopNotes()
          watcher?.close()
          file?.close().catch(() => {})
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
