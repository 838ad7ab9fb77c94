import { chmod, open, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './command.ts'

/** How often a socket that is there and not listened on yet is tried, and the pause between two tries. */
const TRIES = 200
const RETRY_MS = 10

/**
 * Connects to a Unix socket by way of its directory's handle, because the address of a socket holds 107 bytes and
 * a data directory may be deeper than that. A socket that is there but not yet listened on is tried again for two
 * seconds; one whose queue is full, because its process is stopped, is refused at once.
 */
export async function connectUnix(path: string): Promise<Socket> {
  const directory = await open(dirname(path))
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await connectOnce(`/proc/self/fd/${directory.fd}/${basename(path)}`)
      } catch (error) {
        if (attempt === TRIES || errorCode(error) !== 'ECONNREFUSED') throw error
        await sleep(RETRY_MS)
      }
    }
  } finally {
    // Not waited for: the connection might end meanwhile, with nobody listening for that yet.
    directory.close().catch(() => {})
  }
}

const connectOnce = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    // For good: a guest may end before its caller listens, and an error that nobody hears ends the server.
    socket.on('error', reject)
  })

/**
 * Listens on a socket that only its owner may use, by the same way. What an earlier process left there is replaced, so
 * the caller has to be sure that none lives. Returns the way to end it; connections are the caller's.
 */
export async function listenUnix(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<() => Promise<void>> {
  // Held open as long as it listens: the end removes the socket by the same name.
  const directory = await open(dirname(path))
  try {
    await rm(path, { force: true })
    const server = createServer(onConnection)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(`/proc/self/fd/${directory.fd}/${basename(path)}`, resolve)
    })
    await chmod(path, 0o600)
    return async () => {
      await new Promise((resolve) => server.close(resolve))
      await directory.close()
    }
  } catch (error) {
    await directory.close()
    throw error
  }
}
