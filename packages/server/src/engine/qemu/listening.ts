import type { Agent } from './agent-line.ts'
import { readGuestFile } from './guest-files.ts'

/** Some four hundred sockets; a guest may have more, and what is behind them is not told. */
const READ_BYTES = 64 * 1024
/** State of a socket that waits for connections: `TCP_LISTEN` in the kernel's include/net/tcp_states.h. */
const LISTENING = '0A'
/** An address in the order of bytes of the processor: 127.x.y.z, ::1, and the first as IPv6. */
const LOOPBACK = /^([0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/

/** TCP ports that programs of a guest listen on where others reach them, lowest first; null when the agent tells none of it. */
export async function askForPorts(agent: Agent): Promise<number[] | null> {
  const texts: (string | null)[] = []
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6'])
    texts.push((await readGuestFile(agent, path, 'beginning', READ_BYTES))?.toString('latin1') ?? null)
  // A guest without IPv6 has one of them only.
  if (texts.every((text) => text === null)) return null
  return portsIn(texts.join('\n'))
}

/** Ports of sockets that listen, from tables as /proc/net/tcp has them; see proc_net_tcp(5). */
export function portsIn(tables: string): number[] {
  const ports = new Set<number>()
  for (const line of tables.split('\n')) {
    const [, local = '', , state] = line.trim().split(/\s+/)
    const [, address = '', port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local) ?? []
    if (state === LISTENING && !LOOPBACK.test(address)) ports.add(Number.parseInt(port, 16))
  }
  return [...ports].filter((port) => port > 0).sort((a, b) => a - b)
}
