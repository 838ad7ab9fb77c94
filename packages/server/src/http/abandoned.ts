import type { FastifyReply } from 'fastify'

/**
 * A signal that aborts when the client leaves before it has its answer. Fastify's own `request.signal` also aborts
 * once the body was read, which is not the end of anything.
 */
export function abandonedSignal({ raw, request }: FastifyReply): AbortSignal {
  const abandoned = new AbortController()
  const leave = () => {
    if (!raw.writableFinished) abandoned.abort()
  }
  if (request.raw.socket.destroyed) leave()
  else raw.once('close', leave)
  return abandoned.signal
}
