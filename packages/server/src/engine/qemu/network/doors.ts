/**
 * Addresses of the host at which guests answer that it has no route to: the server listens there and passes connections
 * on. They end with the server, and are there again with the next.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { join } from '../../../lib/join.ts'
import type { Log } from '../../../lib/log.ts'
import type { Address } from '../../engine.ts'

export interface Door {
  /** Where to listen. */
  at: Address
  /** Where it leads. */
  to: Address
}

export function makeDoors(deps: {
  /** Those that are to be open now, by machine. */
  wanted: () => Iterable<readonly [machineId: string, Door]>
  connect: (ip: string, port: number) => Promise<Socket>
  log: Pick<Log, 'warn'>
}) {
  const { wanted, connect, log } = deps
  const open = new Map<string, { server: Server; door: Door; lines: Set<Socket> }>()

  function shut(machineId: string): void {
    const one = open.get(machineId)
    open.delete(machineId)
    one?.server.close()
    for (const line of one?.lines ?? []) line.destroy()
  }

  function listen(machineId: string, door: Door): void {
    const lines = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (caller) => {
      lines.add(caller)
      caller.once('close', () => lines.delete(caller)).on('error', () => caller.destroy())
      connect(door.to.ip, door.to.port).then(
        (guest) => {
          if (caller.destroyed) return void guest.destroy()
          join(caller, guest)
        },
        () => caller.destroy(),
      )
    })
    open.set(machineId, { server, door, lines })
    server.on('error', (err) => {
      log.warn({ machine: machineId, err, at: door.at }, 'The address of a VM cannot be listened at')
      // The next look tries again.
      if (open.get(machineId)?.server === server) open.delete(machineId)
    })
    server.listen({ host: door.at.ip, port: door.at.port, exclusive: true })
  }

  return {
    /** Opens those that are wanted and shuts all others. */
    settle(): void {
      const now = new Map(wanted())
      const isSame = (a: Address, b: Address | undefined) => a.ip === b?.ip && a.port === b.port
      for (const [machineId, { door }] of open) {
        const other = now.get(machineId)
        if (!isSame(door.at, other?.at) || !isSame(door.to, other?.to)) shut(machineId)
      }
      for (const [machineId, door] of now) if (!open.has(machineId)) listen(machineId, door)
    },
    /** For a machine whose next run may be at another address. */
    shut,
    close(): void {
      for (const machineId of [...open.keys()]) shut(machineId)
    },
  }
}

export type Doors = ReturnType<typeof makeDoors>
