import { connect, type Socket } from 'node:net'
import { connectUnix } from '../../lib/unix-socket.ts'
import type { Line } from '../messages.ts'

/** A connection to the SSH server of a VM. Rejects with a reason for people. */
export async function connectLine(line: Line): Promise<Socket> {
  if ('refused' in line) throw new Error(line.refused)
  const socket = await ('door' in line ? connectUnix(line.door) : connectTo(line.at))
  socket.setNoDelay(true).setKeepAlive(true, 30_000)
  return socket
}

const connectTo = ({ ip, port }: { ip: string; port: number }): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: ip, port })
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
