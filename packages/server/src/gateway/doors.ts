/**
 * Doors: how the thread of the gateway gets a connection that the server has. A door is a socket in a directory of the
 * server's own, for one who knows its name; it is gone once somebody came through, or nobody did for long.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type Duplex, pipeline } from 'node:stream'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { listenUnix } from '../lib/unix-socket.ts'
import type { Line } from './messages.ts'

/** Makes a connection to a port of a VM, says where anybody on this host can make one, or why there is none. */
export type Dial = (
  vmId: string,
  port: number,
) => Promise<Exclude<Line, { door: string }> | { stream: Duplex }>

/** The thread comes at once, unless it is busy. */
const patienceMs = 20_000

export interface Doors {
  /** Makes a door to a connection. Returns its path. The connection ends with who came through, or when nobody does. */
  open(behind: Duplex): Promise<string>
}

/** @param dir of this alone; what an earlier server left there is removed before the first door is made */
export function makeDoors(dir: string, log: Pick<Log, 'error'>): Doors {
  let made: Promise<unknown> | null = null

  async function makeDirectory(): Promise<void> {
    await rm(dir, { recursive: true, force: true })
    await mkdir(dir, { recursive: true, mode: 0o700 })
  }

  return {
    async open(behind) {
      made ??= makeDirectory()
      await made
      const path = join(dir, randomUUID())
      const close = await listenUnix(path, enter)
      const timer = setTimeout(shut, patienceMs)
      behind.once('close', shut).on('error', () => {})
      let isShut = false

      function shut(): void {
        if (isShut) return
        isShut = true
        clearTimeout(timer)
        behind.off('close', shut)
        inBackground(log, 'closing a door of the gateway', close())
        // Nobody came.
        if (!entered) behind.destroy()
      }
      let entered = false
      function enter(socket: Socket): void {
        if (entered) return void socket.destroy()
        entered = true
        shut()
        pipeline(socket, behind, socket, () => {})
      }
      return path
    },
  }
}
