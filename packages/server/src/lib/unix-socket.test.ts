import { once } from 'node:events'
import { expect, test } from 'vitest'
import { directoryOfFile } from './directory.test-kit.ts'
import { connectUnix, listenUnix } from './unix-socket.ts'

const path = `${directoryOfFile()}/ends.sock`

test('a connection that ends at once is heard to end by whoever gets it', async () => {
  const stop = await listenUnix(path, (socket) => void socket.destroy())
  for (let tries = 0; tries < 50; tries += 1) {
    const socket = await connectUnix(path)
    expect(socket.destroyed).toBe(false)
    socket.resume()
    await once(socket, 'close', { signal: AbortSignal.timeout(5000) })
  }
  await stop()
})
