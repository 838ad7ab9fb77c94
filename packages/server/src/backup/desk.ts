/**
 * Where `npm run backup` asks a running server for a backup: a socket in the data directory that only its owner may use.
 * Asked is by one line of JSON, answered by several; who hangs up wants it no more.
 */
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Work } from '../engine/engine.ts'
import type { Log } from '../lib/log.ts'
import { connectUnix, listenUnix } from '../lib/unix-socket.ts'
import type { Manifest } from './manifest.ts'
import type { OutsideResult } from './outside.ts'
import { type Installation, writeBackup } from './write.ts'

const socketIn = (dataDir: string) => path.join(dataDir, 'backup.sock')

const question = z.union([
  z.strictObject({ dir: z.string().refine(path.isAbsolute) }),
  z.strictObject({ outside: z.literal(true) }),
])
export type Question = z.infer<typeof question>
const answer = z.union([
  z.strictObject({ progress: z.number() }),
  z.strictObject({ failed: z.string() }),
  z.strictObject({ done: z.custom<Summary>() }),
])

export const noRepository =
  'No repository is configured. Set SLIPWAY_BACKUP_REPOSITORY and SLIPWAY_BACKUP_PASSWORD_FILE, and restart the server.'

/** What is told of a backup that was made. */
export type Summary = Pick<Manifest, 'left_out'> & {
  files: number
  bytes: number
  /** Of one outside the host: its id, and by how much the repository grew. */
  outside?: { id: string; added_bytes: number; removed: number }
}

export const summaryOf = ({ files, left_out }: Manifest): Summary => ({
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  left_out,
})

export const outsideSummaryOf = ({ id, manifest, addedBytes, removed }: OutsideResult): Summary => ({
  ...summaryOf(manifest),
  outside: { id, added_bytes: addedBytes, removed },
})

/** Makes backups for who asks at the socket, one at a time. Returns the way to end it, and what is under way. */
export async function openBackupDesk(
  installation: Installation,
  log: Log,
  outside?: (work: Work) => Promise<OutsideResult>,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  let underWay: Promise<void> | null = null

  async function serve(socket: Socket, line: string): Promise<void> {
    const ends = new AbortController()
    socket.once('close', () => ends.abort())
    const say = (what: z.infer<typeof answer>) => void socket.write(`${JSON.stringify(what)}\n`)
    try {
      const asked = question.parse(JSON.parse(line))
      const onProgress = (progress: number | null) => progress !== null && say({ progress })
      const work = { signal: ends.signal, onProgress }
      if ('dir' in asked) say({ done: summaryOf(await writeBackup(installation, asked.dir, work)) })
      else if (outside) say({ done: outsideSummaryOf(await outside(work)) })
      else say({ failed: noRepository })
    } catch (error) {
      log.warn({ err: error }, 'A backup could not be made')
      say({ failed: error instanceof Error ? error.message : String(error) })
    }
    socket.end()
  }

  const close = await listenUnix(socketIn(installation.dataDir), (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    createInterface(socket).once('line', (line) => {
      if (underWay !== null) {
        socket.end(
          `${JSON.stringify({ failed: 'Another backup is being made. Try again when it is done.' })}\n`,
        )
        return
      }
      underWay = serve(socket, line).finally(() => {
        underWay = null
      })
    })
  })
  return async () => {
    for (const socket of sockets) socket.destroy()
    await close()
    await underWay
  }
}

/** Has the server that works in a data directory make a backup. Throws what it says when it cannot. */
export async function askForBackup(
  dataDir: string,
  asked: Question,
  onProgress: (fraction: number) => void,
): Promise<Summary> {
  const socket = await connectUnix(socketIn(dataDir)).catch((error: unknown) => {
    throw new Error(
      `A server is using ${dataDir} and does not answer in backup.sock. Restart it, or stop it, then try again.`,
      { cause: error },
    )
  })
  socket.write(`${JSON.stringify(asked)}\n`)
  for await (const line of createInterface(socket)) {
    const said = answer.parse(JSON.parse(line))
    if ('failed' in said) throw new Error(said.failed)
    if ('done' in said) return said.done
    onProgress(said.progress)
  }
  throw new Error('The server ended before the backup was complete. There is none.')
}
