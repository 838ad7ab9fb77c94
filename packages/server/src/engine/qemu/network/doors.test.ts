import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import type { Address } from '../../engine.ts'
import { type Door, makeDoors } from './doors.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A guest that says its name to whoever comes, and repeats what it hears. */
async function guest(name: string): Promise<Address> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write(`${name}\n`)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return { ip: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

/** A port that was free a moment ago. */
async function freePort(ip: string): Promise<Address> {
  const server = createServer().listen(0, ip)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return { ip, port }
}

/** The first line that is said there; null when nobody answers. */
const heardAt = ({ ip, port }: Address) =>
  new Promise<string | null>((resolve) => {
    const socket = connect(port, ip)
    socket.once('data', (text) => {
      resolve(String(text).trim())
      socket.destroy()
    })
    socket.once('error', () => resolve(null)).once('close', () => resolve(null))
  })

function openDoors() {
  const wanted = new Map<string, Door>()
  const warn = vi.fn()
  const doors = makeDoors({
    wanted: () => wanted,
    connect: async (ip, port) => {
      const line = connect(port, ip)
      await once(line, 'connect')
      return line
    },
    log: { warn },
  })
  ends.push(doors.close)
  return { wanted, doors, warn }
}

it('opens what is wanted, leads to the guest of the next run, and shuts what is not wanted any more', async () => {
  const { wanted, doors } = openDoors()
  const at = await freePort('127.0.0.1')
  for (const name of ['before', 'after']) {
    wanted.set('web', { at, to: await guest(name) })
    doors.settle()
    await vi.waitFor(async () => expect(await heardAt(at)).toBe(name))
  }
  const line = connect(at.port, at.ip)
  await once(line, 'data')
  wanted.clear()
  doors.settle()
  // With what is open through it.
  await once(line, 'close')
  expect(await heardAt(at)).toBeNull()
})

it('tries an address again that somebody else has', async () => {
  const { wanted, doors, warn } = openDoors()
  const at = await freePort('127.0.0.1')
  const other = createServer().listen(at.port, at.ip)
  await once(other, 'listening')
  wanted.set('web', { at, to: await guest('web') })
  doors.settle()
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce())
  await new Promise((resolve) => other.close(resolve))
  doors.settle()
  await vi.waitFor(async () => expect(await heardAt(at)).toBe('web'))
})

it('shuts in the face of who comes while the guest cannot be reached', async () => {
  const { wanted, doors } = openDoors()
  const [at, to] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')]
  wanted.set('web', { at, to })
  doors.settle()
  await vi.waitFor(async () => {
    const socket = connect(at.port, at.ip)
    await once(socket, 'connect')
    await once(socket.resume(), 'close')
  })
})
