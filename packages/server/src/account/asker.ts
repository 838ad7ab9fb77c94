import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonedSignal } from '../http/abandoned.ts'
import type { Asker } from './account.service.ts'

/** Who asks, as far as a request tells it. */
export const askerOf = (request: FastifyRequest, reply: FastifyReply): Asker => ({
  ip: request.ip,
  signal: abandonedSignal(reply),
  userAgent: request.headers['user-agent'],
})
