import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectUnix } from '../../../lib/unix-socket.ts'
import { makeRelay } from './relay.ts'

let files: string
let relay: ReturnType<typeof makeRelay>
beforeEach(async () => {
  files = await mkdtemp(join(tmpdir(), 'slipway-relay-'))
  // Into no other namespace than that of the test.
  relay = makeRelay({ files, entry: () => ['env', '--'] })
})
afterEach(async () => {
  await relay.close()
  await rm(files, { recursive: true })
})

async function echo() {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

it('carries what both sides say, whole, and the end of it', async () => {
  const guest = await echo()
  const line = await relay.connect('127.0.0.1', guest.port)
  const sent = Buffer.alloc(3 * 1024 * 1024, 'slipway')
  const parts: Buffer[] = []
  line.on('data', (part) => parts.push(part))
  line.end(sent)
  await once(line, 'end')
  expect(Buffer.concat(parts).equals(sent)).toBe(true)
  guest.close()
})

it('says when no program listens', async () => {
  const guest = await echo()
  guest.close()
  await expect(relay.connect('127.0.0.1', guest.port)).rejects.toMatchObject({
    code: 'unreachable',
    message: 'No program is listening on it.',
  })
})

it('is started anew when it has ended', async () => {
  const guest = await echo()
  const first = await relay.connect('127.0.0.1', guest.port)
  await relay.close()
  await once(first.resume(), 'close')
  const second = await relay.connect('127.0.0.1', guest.port)
  second.write('still there')
  expect(String((await once(second, 'data'))[0])).toBe('still there')
  second.destroy()
  guest.close()
})

it('hangs up on who says nothing that it understands', async () => {
  const guest = await echo()
  ;(await relay.connect('127.0.0.1', guest.port)).destroy()
  const stranger = await connectUnix(join(files, 'relay.sock'))
  stranger.write('x'.repeat(100))
  await once(stranger.resume(), 'close')
  guest.close()
})
