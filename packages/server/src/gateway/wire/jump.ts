import type { Socket } from 'node:net'
import type { Connection } from 'ssh2'
import type { Cut, Way } from '../messages.ts'
import { answerSessions } from './explain.ts'
import type { Leg } from './leg.ts'
import type { Limits } from './limits.ts'
import { refusal, type TunnelRequest, tunnelRequest } from './packets.ts'

export interface JumpDesk {
  wayOf(name: string): Promise<Way>
  /** A connection to the SSH server of a VM; rejects with a reason. */
  connectVm(vmId: string): Promise<Socket>
  /** A tunnel is there; returns the way to say that it is over. */
  came(vm: Extract<Way, { to: 'vm' }>): () => void
  limits: Pick<Limits, 'tunnelsPerConnection' | 'sessionsPerConnection' | 'openTunnel'>
}

/**
 * Leads a client on to VMs (`ssh -J`): tunnels to the SSH port of a VM, called by its name or id, and nothing else.
 * What goes through is between the client and the guest. Returns the way to end the tunnels of one
 * account, all or those into some VMs.
 */
export function jump(
  connection: Connection,
  leg: Leg,
  text: string,
  { wayOf, connectVm, came, limits }: JumpDesk,
): (accountId: string, vmIds: Cut['vmIds']) => void {
  const tunnels = new Map<Socket, { accountId: string; vmId: string }>()
  /** Those that ssh2 is about to open a channel for. */
  const arrived: Socket[] = []

  /** Tunnels that are there or being opened. */
  let count = 0

  answerSessions(connection, { text, status: 255 }, limits.sessionsPerConnection)
  connection.on('tcpip', (accept) => {
    const socket = arrived.shift()
    if (!socket) return
    const channel = accept()
    channel.on('error', () => socket.destroy())
    channel.on('close', () => socket.destroy())
    // Cut off, not ended: the other end hears of it. What ended may still be on its way.
    const onClose = () => socket.readableEnded || channel.close()
    if (socket.destroyed) return void onClose()
    socket.on('close', onClose)
    channel.pipe(socket)
    socket.pipe(channel)
  })
  leg.take((payload) => {
    const request = tunnelRequest(payload)
    if (!request) return false
    const refuse = (why: string) => leg.send(refusal(request.sender, why))
    if (count >= limits.tunnelsPerConnection) {
      refuse(
        `This connection has ${limits.tunnelsPerConnection} tunnels, which is the limit. Close some, or open another connection.`,
      )
      return true
    }
    const kept = Buffer.from(payload)
    count += 1
    open(request, refuse, (socket) => {
      arrived.push(socket)
      leg.giveBack(kept)
    }).catch((error: unknown) => {
      count -= 1
      refuse(String(error))
    })
    return true
  })
  leg.socket.once('close', () => {
    for (const socket of tunnels.keys()) socket.destroy()
  })

  /** Opens a tunnel, or refuses it with a reason; whichever way it ends, it is counted until then. */
  async function open(
    request: TunnelRequest,
    refuse: (why: string) => void,
    onOpen: (socket: Socket) => void,
  ): Promise<void> {
    const giveUp = (why: string) => {
      count -= 1
      refuse(why)
    }
    if (request.port !== 22) return giveUp('Only port 22 of a VM can be reached through this gateway.')
    const way = await wayOf(request.host)
    if (leg.socket.destroyed) return
    if (way.to === 'word' || way.to === 'proof') return giveUp(way.text)
    if (way.to !== 'vm') return giveUp(`No VM named ${request.host} is available to this SSH key.`)
    const leave = await limits.openTunnel(way.accountId)
    if (typeof leave === 'string') return giveUp(leave)
    if (leg.socket.destroyed) return leave()
    let socket: Socket
    try {
      socket = await connectVm(way.vmId)
    } catch (error) {
      leave()
      const why = error instanceof Error ? error.message : String(error)
      return giveUp(`The SSH server of ${way.called} does not respond (${why}).`)
    }
    // Its close says it all.
    socket.on('error', () => {})
    tunnels.set(socket, way)
    socket.once('close', () => {
      tunnels.delete(socket)
      count -= 1
      leave()
    })
    if (leg.socket.destroyed) return void socket.destroy()
    socket.once('close', came(way))
    onOpen(socket)
  }

  return (accountId, vmIds) => {
    for (const [socket, tunnel] of tunnels)
      if (tunnel.accountId === accountId && (vmIds === null || vmIds.includes(tunnel.vmId))) socket.destroy()
  }
}
