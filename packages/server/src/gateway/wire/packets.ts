/** The few messages of SSH that the gateway reads or writes itself (RFC 4253, section 11.1; RFC 4254). */

const DISCONNECT = 1
const GLOBAL_REQUEST = 80
const CHANNEL_OPEN = 90
const CHANNEL_OPEN_CONFIRMATION = 91
const CHANNEL_OPEN_FAILURE = 92

/** What ssh2 takes at most of data in one packet; whoever may send more would break the connection. */
const maxDataBytes = 32 * 1024

function stringAt(payload: Buffer, at: number): { text: string; end: number } | null {
  if (at + 4 > payload.length) return null
  const end = at + 4 + payload.readUInt32BE(at)
  return end > payload.length ? null : { text: payload.toString('utf8', at + 4, end), end }
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const string = (text: string): Buffer => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)])

/** Lowers the size of packets that a message asks for to what ssh2 can read, in place. */
export function limitPackets(payload: Buffer): void {
  const at =
    payload[0] === CHANNEL_OPEN
      ? (stringAt(payload, 1)?.end ?? payload.length) + 8
      : payload[0] === CHANNEL_OPEN_CONFIRMATION
        ? 13
        : payload.length
  if (at + 4 <= payload.length && payload.readUInt32BE(at) > maxDataBytes) {
    payload.writeUInt32BE(maxDataBytes, at)
  }
}

/**
 * Whether a guest tells of its host keys. A client would take them for the gateway's, and could not check them:
 * they are proven with the id of another session.
 */
export const tellsHostKeys = (payload: Buffer): boolean =>
  payload[0] === GLOBAL_REQUEST && stringAt(payload, 1)?.text === 'hostkeys-00@openssh.com'

export interface TunnelRequest {
  /** The number by which the client knows the channel. */
  sender: number
  host: string
  port: number
}

/** The request of a client for a connection to somewhere (`-L`, `-J`, `-W`); null for any other message. */
export function tunnelRequest(payload: Buffer): TunnelRequest | null {
  if (payload[0] !== CHANNEL_OPEN) return null
  const type = stringAt(payload, 1)
  if (type?.text !== 'direct-tcpip') return null
  const host = stringAt(payload, type.end + 12)
  if (!host || host.end + 4 > payload.length) return null
  return { sender: payload.readUInt32BE(type.end), host: host.text, port: payload.readUInt32BE(host.end) }
}

const connectFailed = 2

/** The answer that no such channel can be had, and why. */
export const refusal = (sender: number, why: string): Buffer =>
  Buffer.concat([
    Buffer.from([CHANNEL_OPEN_FAILURE]),
    uint32(sender),
    uint32(connectFailed),
    string(why),
    string(''),
  ])

const byApplication = 11

/** The last word on a connection; clients show it. */
export const goodbye = (why: string): Buffer =>
  Buffer.concat([Buffer.from([DISCONNECT]), uint32(byApplication), string(why), string('')])
