import { messages } from '@slipway/contract'
import type { FastifyError, FastifyInstance } from 'fastify'
import { storageProblem } from '../db/open.ts'
import { Problem } from '../lib/problem.ts'

/** What Fastify's own refusals become; every other one of its errors is a malformed request. */
const fastifyProblems: Record<string, [413 | 415, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, messages.tooLarge],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, messages.unsupportedMediaType],
}

function asProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  const onDisk = storageProblem(error)
  if (onDisk !== null) return new Problem(503, onDisk)
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code ? fastifyProblems[code] : undefined
  if (known) return new Problem(...known)
  return statusCode === 400 ? new Problem(400, messages.invalidBody) : null
}

/**
 * Turns everything thrown into a response: refusals with their sentence, the unexpected into a logged 500 with the
 * body `{}`, so that each screen shows its own text (catalogue G-038).
 */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error)
    if (!problem) {
      request.log.error({ err: error }, 'unexpected error')
      return reply.status(500).send({})
    }
    const { status, message, fields } = problem
    return reply.status(status).send({ message, ...(fields && { fields }) })
  })
}
