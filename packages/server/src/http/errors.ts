import { endpoints, messages } from '@slipway/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { databaseProblem, isForeignKeyViolation } from '../db/errors.ts'
import { Problem } from '../lib/problem.ts'

/** What Fastify's own refusals become; every other one of its errors is a malformed request. */
const fastifyProblems: Record<string, [400 | 404 | 413 | 414 | 415, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, messages.tooLarge],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, messages.unsupportedMediaType],
  FST_ERR_BAD_URL: [400, messages.invalidUrl],
  FST_ERR_MAX_PARAM_LENGTH: [404, messages.notFound],
}

function asProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  const ofDatabase = databaseProblem(error)
  if (ofDatabase !== null) return new Problem(503, ofDatabase)
  // What requests store refers to a project that can end in between; accounts stay.
  if (isForeignKeyViolation(error)) return new Problem(404, messages.projectNotFound)
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code ? fastifyProblems[code] : undefined
  if (known) return new Problem(...known)
  return statusCode === 400 ? new Problem(400, messages.invalidBody) : null
}

/** What errors of other parts become that have a word for it; null: they are unexpected. */
type ReadProblem = (error: unknown) => Problem | null

/** Answers with an error in the contract's shape; the unexpected becomes a logged 500 with the body `{}`. */
function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem | null,
): FastifyReply {
  if (!problem) {
    request.log.error({ err: error }, 'unexpected error')
    return reply.status(500).send({})
  }
  const { status, message, code, fields, retryAfterS } = problem
  if (retryAfterS !== undefined) reply.header('retry-after', retryAfterS)
  return reply.status(status).send({ message, ...(code && { code }), ...(fields && { fields }) })
}

/** What Fastify refuses before there is a route, such as a URL that cannot be decoded. */
export const frameworkErrors = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
  answerError(error, request, reply, asProblem(error))
}

/**
 * Turns everything thrown into a response: refusals with their sentence, the unexpected into a logged 500 with the
 * body `{}`, so that each screen shows its own text (catalogue G-038).
 */
export function installErrorHandler(app: FastifyInstance, readProblem: ReadProblem = () => null): void {
  app.setErrorHandler((error, request, reply) =>
    answerError(error, request, reply, asProblem(error) ?? readProblem(error)),
  )
}

const paths = endpoints.map(({ method, path }) => ({
  method,
  matches: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
}))

/** The methods that the contract has for a path, without the query. */
export const methodsOf = (path: string): string[] =>
  paths.filter(({ matches }) => matches.test(path)).map(({ method }) => method)
