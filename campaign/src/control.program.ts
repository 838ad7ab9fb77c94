/**
 * A program that does next to nothing, in a process of its own: it answers each request once it has written a few bytes
 * to the disk, and says how many milliseconds that write took. `control.ts` starts it with the path of its file.
 */
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [, , path = ''] = process.argv

/** Opened anew each time: the file system may be made read-only while nothing of it is open. */
async function write(): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.write('control')
    await file.datasync()
  } finally {
    await file.close()
  }
}

const server = createServer(async (_request, response) => {
  const began = performance.now()
  // A disk that is full or read-only says so at once.
  await write().catch(() => {})
  response.end(`${performance.now() - began}`)
})
// Ends with the campaign, however that ends.
process.stdin.resume().on('end', () => process.exit())
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
