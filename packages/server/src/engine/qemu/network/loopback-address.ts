import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { EngineError } from '../../engine.ts'

/** How many addresses there are: 127.100.0.1 to 127.100.255.254. */
const ADDRESSES = 65_534

/**
 * An address of the loopback network that no other machine has. It starts looking at a place that follows from the
 * machine id, so that an address is not handed on right after its machine is gone.
 */
export function pickIp(machineId: string, taken: ReadonlySet<string>): string {
  const start = createHash('sha256').update(machineId).digest().readUInt32BE(0) % ADDRESSES
  for (let step = 0; step < ADDRESSES; step += 1) {
    const number = 1 + ((start + step) % ADDRESSES)
    const ip = `127.100.${number >> 8}.${number & 255}`
    if (!taken.has(ip)) return ip
  }
  throw new EngineError('no-address', 'All addresses for VMs are in use.', { retryable: true })
}

/**
 * The port for SSH at an address: 22; where that is not ours to take (no privilege, or an SSH server listening on
 * every address) 2222; else any free one. `preferred` is kept while it is free.
 */
export async function pickPort(ip: string, preferred: number | null): Promise<number> {
  for (const port of [...(preferred === null ? [] : [preferred]), 22, 2222, 0]) {
    const bound = await tryPort(ip, port)
    if (bound !== null) return bound
  }
  throw new EngineError('no-address', 'The host has no free port for SSH.', { retryable: true })
}

/** Listens for a moment; resolves with the port, or null when it cannot be had. */
function tryPort(ip: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ host: ip, port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}
