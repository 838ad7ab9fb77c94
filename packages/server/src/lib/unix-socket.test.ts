import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectUnix, listenUnix } from './unix-socket.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-socket-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('a connection that ends at once is heard to end by whoever gets it', async () => {
  const path = join(dir, 'ends.sock')
  const stop = await listenUnix(path, (socket) => void socket.destroy())
  for (let tries = 0; tries < 50; tries += 1) {
    const socket = await connectUnix(path)
    expect(socket.destroyed).toBe(false)
    socket.resume()
    await once(socket, 'close', { signal: AbortSignal.timeout(5000) })
  }
  await stop()
})
