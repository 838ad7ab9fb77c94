import { type FSWatcher, watch } from 'node:fs'
import type { Socket } from 'node:net'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { ConsoleLogs } from '../console/console-logs.ts'
import { openConsoleReader, typeInto } from '../console/console-reader.ts'
import type { MachineConsole } from '../engine.ts'
import { openSerialLine } from './console-log.ts'
import type { Guest } from './guest.ts'
import type { Guests } from './guests.ts'
import type { MachineDirs } from './machine-dir.ts'
import { makeTerminalSizes } from './terminal-size.ts'

/** The kernel tells of new output at once; this is for what it does not tell, such as a first start. */
const LOOK_MS = 500

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
      const path = logs.pathOf(machineId)
      const reader = await openConsoleReader({ logs, log }, machineId)
      let watcher: FSWatcher | null = null
      let closed = false
      const terminal = terminals.open(machineId)
      const follow = () => {
        if (watcher || closed) return
        try {
          watcher = watch(path, { persistent: false }, reader.lookSoon)
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
        reader.lookNow()
      }, LOOK_MS)
      poll.unref()
      follow()

      return {
        ...reader,
        async write(bytes) {
          const guest = guests.held().get(machineId)
          if (!guest) return false
          // The agent may not have been up when the size was told.
          terminal.insist()
          const line = await lineTo(machineId, guest)
          return line !== null && typeInto(line, bytes)
        },
        resize: terminal.resize,
        close() {
          closed = true
          clearInterval(poll)
          terminal.close()
          watcher?.close()
          reader.close()
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
