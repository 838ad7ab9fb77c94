/**
 * One end of a connection that the gateway carries: its encryption and sign-in are ssh2's, while what comes after
 * (RFC 4254: channels, requests, windows) can be taken and sent as it is.
 *
 * ssh2 offers no such thing, so this reaches into it, and is the only file that does. Its version is exact in
 * package.json; the tests of the gateway fail at once when these parts change.
 */
import type { Socket } from 'node:net'
import type { Client, Connection } from 'ssh2'
import inside from 'ssh2/lib/protocol/utils.js'

interface Protocol {
  /** Gets every packet after the first exchange of keys, decrypted. Read when keys are made, so set it before. */
  _onPayload: (payload: Buffer) => unknown
  /** Gone once the connection is cleaned up. */
  _destruct: unknown
  /** Set while keys are exchanged. */
  _kexinit: unknown
  _packetRW: {
    write: {
      allocStart: number
      alloc: (length: number) => Buffer
      finalize: (packet: Buffer) => Buffer
    }
  }
}

/**
 * What both sides are told of who speaks. OpenSSH sends its extensions only to what calls itself so, among them the
 * word that nobody reads any more (`ssh vm cat file | head`), and those go through here.
 */
export const ident = 'OpenSSH_extensions_Slipway'

/** The messages of the connection protocol (RFC 4250, section 4.1.2). */
const isConnection = (type: number) => type >= 80 && type <= 100

export interface Leg {
  readonly socket: Socket
  /** Puts a function in front of ssh2 for messages of the connection protocol; true when it has dealt with one. */
  take(handle: (payload: Buffer) => boolean): void
  /** Hands ssh2 a message that was taken before. */
  giveBack(payload: Buffer): void
  send(payload: Buffer): void
  /** Whether what is sent now would have to be kept. */
  isFull(): boolean
  /** Calls when that may have changed. */
  onRoom(listener: () => void): void
}

/** To be called before keys are exchanged. The connection must not compress. */
export function openLeg(connection: Connection | Client): Leg {
  // Neither is in the declared types: see above.
  const { _protocol: protocol, _sock: socket } = connection as unknown as {
    _protocol: Protocol
    _sock: Socket
  }
  const own = protocol._onPayload
  let handle: ((payload: Buffer) => boolean) | null = null
  let corked = false
  protocol._onPayload = (payload) =>
    handle !== null && isConnection(payload[0] ?? 0) && handle(payload) ? undefined : own(payload)

  /** ssh2 writes a packet in pieces; those of one turn go out together. */
  function cork(): void {
    if (corked) return
    corked = true
    socket.cork()
    process.nextTick(() => {
      corked = false
      socket.uncork()
    })
  }

  return {
    socket,
    take(next) {
      handle = next
    },
    giveBack: (payload) => void own(payload),
    send(payload) {
      if (!protocol._destruct) return
      cork()
      const { write } = protocol._packetRW
      const start = write.allocStart
      const packet = write.alloc(payload.length)
      packet.set(payload, start)
      inside.sendPacket(protocol, write.finalize(packet))
    },
    isFull: () => socket.writableNeedDrain || protocol._kexinit !== undefined,
    onRoom(listener) {
      socket.on('drain', listener)
      // Both kinds of connection tell of it, though their types have no event in common.
      ;(connection as Client).on('handshake', listener)
    },
  }
}
