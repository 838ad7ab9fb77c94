import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { byteRangeOf } from './byte-range.ts'
import { connectionLimits } from './connections.ts'
import { cutUnlessTaken } from './least-speed.ts'

/** A file to send. */
interface Sent {
  name: string
  bytes: number
  /** The same for the same bytes; null: a broken transfer cannot be continued. */
  tag: string | null
  read: (from: number, to: number) => AsyncIterable<Buffer>
  close: () => Promise<void>
}

/**
 * Answers with a file, or the part of it that `Range` asks for. Preparing it may take longer than a connection may be silent;
 * `signal` is aborted when the client goes away.
 */
export async function answerFile(
  request: FastifyRequest,
  reply: FastifyReply,
  open: (signal: AbortSignal) => Promise<Sent>,
): Promise<void> {
  const gone = new AbortController()
  const silent = (ms: number) => void request.raw.socket.setTimeout?.(ms)
  const leave = () => gone.abort()
  reply.raw.once('close', leave)
  silent(0)
  const file = await open(gone.signal).finally(() => silent(connectionLimits.silentMs))
  const etag = file.tag && `"${file.tag}"`
  const { range, 'if-range': ifRange } = request.headers
  // Whoever continues what has changed since gets all of it.
  const mayContinue = etag !== null && (ifRange === undefined || ifRange === etag)
  const part = mayContinue ? byteRangeOf(range, file.bytes) : null
  reply
    .type('application/octet-stream')
    .header('cache-control', 'no-store')
    .header('accept-ranges', etag === null ? 'none' : 'bytes')
    .header('content-disposition', dispositionOf(file.name))
  if (etag !== null) reply.header('etag', etag)
  if (part === 'none') {
    await file.close()
    reply.status(416).header('content-range', `bytes */${file.bytes}`).send()
    return
  }
  const { from, to } = part ?? { from: 0, to: file.bytes }
  if (part) reply.status(206).header('content-range', `bytes ${from}-${to - 1}/${file.bytes}`)
  reply.header('content-length', to - from)
  if (request.method === 'HEAD') {
    await file.close()
    reply.send()
    return
  }
  const stream = Readable.from(file.read(from, to), { objectMode: false, highWaterMark: 512 * 1024 })
  cutUnlessTaken(reply, file.name)
  stream.once(
    'close',
    () => void file.close().catch((error) => request.log.warn({ err: error }, 'a file was not closed')),
  )
  reply.send(stream)
}

/** The name to save it under, in ASCII for old clients and as it is (RFC 6266). */
function dispositionOf(name: string): string {
  const safe = name.replace(/[\\/:*?"<>|\p{C}]/gu, '_')
  const plain = safe.replace(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
