import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonedSignal } from './abandoned.ts'

/** Who asks, as far as a request tells it. `signal`: aborts when nobody waits for the answer any more. */
export const askerOf = (request: FastifyRequest, reply: FastifyReply) => ({
  ip: request.ip,
  signal: abandonedSignal(reply),
  userAgent: request.headers['user-agent'],
})
