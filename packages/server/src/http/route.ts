import {
  apiTokenTexts,
  type CallOutput,
  type Endpoint,
  headers,
  type Me,
  mayWhileFull,
  messages,
  type Parsed,
  takesPlace,
  uploadTexts,
} from '@slipway/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { noRoom } from '../db/errors.ts'
import { apiTokenOf } from '../lib/bearer.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import { jsonPieces } from '../lib/json-pieces.ts'
import { Problem } from '../lib/problem.ts'
import { mapInTurns, pace } from '../lib/turn.ts'
import { asWayOut } from '../lib/way-out.ts'
import { type Admit, requireScope } from './admission.ts'
import { inPlace } from './call-places.ts'
import type { Idempotency } from './idempotency.ts'
import type { Session } from './sessions.ts'

/** What a handler gets: the checked parts of the request and, behind a session, the user and that session. */
export type Input<E extends Endpoint> = Parsed<E> &
  (E['auth'] extends 'session' ? { user: Me; session: Session } : unknown)

export type Authenticate = (request: FastifyRequest) => Promise<Session | null>

/** Who asks, and whether they may. */
export interface Gate {
  authenticate: Authenticate
  admit: Admit
}

/** How the objects of a kind are listed that an endpoint creates one of. */
type ListOf<E extends Endpoint> = (input: Input<E>) => Promise<readonly CallOutput<E>[]>

/** Mounts an endpoint of the contract. Responses pass their schema, so a field it does not name never leaves. */
export type Route = <E extends Endpoint>(
  endpoint: E,
  handler: (input: Input<E>, request: FastifyRequest, reply: FastifyReply) => Promise<CallOutput<E>>,
  ...list: E['idempotent'] extends true ? [list: ListOf<E>] : []
) => void

/** What every route stands on. */
export interface RouteBase extends Gate {
  /** What an answer that is begun now includes at least; the answers behind a session carry it. */
  revision: () => string
  idempotency: Idempotency
  /** Whether what is left on the disk is for the calls alone that end or delete something. */
  isShortOfRoom: () => boolean
  /** The places of calls in flight, by account. */
  calls: FairQueue
}

export function makeRoute(
  app: FastifyInstance,
  { revision, idempotency, isShortOfRoom, calls, ...gate }: RouteBase,
): Route {
  return (endpoint, handler, ...lists) => {
    // An endpoint that is not idempotent brings none; the type follows from a flag that is not known here.
    const [list] = lists as [ListOf<typeof endpoint>?]
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(endpoint.bodyBytes !== undefined && { bodyLimit: endpoint.bodyBytes }),
      async handler(request, reply) {
        const who = () => sessionOf(endpoint, request, gate)
        const session = await who()
        const answer = (of: Session | null) => answerTo(of, request, reply)
        await (session && takesPlace(endpoint)
          ? inPlace(calls, session, reply, who, answer)
          : answer(session))
        // Not within: whoever waits for it waits until the client has all of the answer.
        return reply
      },
    })

    async function answerTo(
      session: Session | null,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<void> {
      const input = await readInput(endpoint, session, request, gate)
      const isWayOut = mayWhileFull(endpoint, request.body)
      if (!isWayOut && endpoint.method !== 'GET' && isShortOfRoom()) throw new Problem(503, noRoom)
      if (endpoint.auth === 'session') reply.header(headers.revision, revision())
      const handle = () => asWayOut(() => handler(input, request, reply), isWayOut)
      const output = list
        ? await idempotency.once(endpoint, { request, reply, ...callerOf(input) }, handle, () => list(input))
        : await handle()
      if (reply.sent || endpoint.answers) return
      reply.status(endpoint.status)
      const text = endpoint.response && (await textOf(endpoint.response, output))
      if (text === undefined) reply.send()
      else
        reply
          .header('content-type', 'application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(text)
    }
  }
}

/** Reads bodies as HTML forms send them. Not for all routes: pages of other sites can send forms without asking first. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_, body, done) => void done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
  )
}

/** Hands on bodies that are bytes of a file as they come; nothing else is taken. */
export function acceptFiles(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/octet-stream', (_, payload, done) => void done(null, payload))
  app.addContentTypeParser('*', (_, __, done) => void done(new Problem(415, uploadTexts.pieceType)))
}

/** Who sends what; an endpoint that creates something for somebody is behind a session. */
const callerOf = (input: object): { accountId: string; body: unknown } => {
  const { user, body } = input as { user?: Me; body?: unknown }
  return { accountId: user?.id ?? '', body }
}

/** An answer as JSON. A long list is put through its schema and written in pieces, so that it keeps nobody waiting. */
async function textOf(schema: z.ZodType, output: unknown): Promise<string> {
  const isList = schema instanceof z.ZodArray && Array.isArray(output)
  const parsed = isList
    ? await mapInTurns(output, (one) => (schema.element as z.ZodType).parse(one))
    : schema.parse(output)
  let text = ''
  const turn = pace()
  for (const part of jsonPieces(parsed)) {
    text += part
    if (turn.isUsedUp()) await turn.rest()
  }
  return text
}

/** Who asks, null where it does not matter; throws what is answered instead. */
async function sessionOf(endpoint: Endpoint, request: FastifyRequest, gate: Gate): Promise<Session | null> {
  if (endpoint.auth !== 'session') return null
  const session = await gate.authenticate(request)
  if (!session) throw notAuthenticated(request)
  requireAccount(session, request)
  requireScope(endpoint, session, request.params)
  return session
}

/** Checks what is asked for, and whether that is theirs; throws what is answered instead. */
async function readInput<E extends Endpoint>(
  endpoint: E,
  session: Session | null,
  request: FastifyRequest,
  gate: Gate,
): Promise<Input<E>> {
  const caller = session && { user: session.user, session }
  // The parts are what their schemas say; the mapped type cannot follow the runtime check.
  const input = { ...parseParts(endpoint, request), ...caller } as unknown as Input<E>
  await gate.admit(endpoint, input)
  return input
}

const notAuthenticated = (request: FastifyRequest) =>
  new Problem(401, apiTokenOf(request) === null ? messages.notAuthenticated : apiTokenTexts.invalid)

/** A page may still show a user after another one signed in, in the same browser: it must not act for that one. */
export function requireAccount({ user }: Session, request: FastifyRequest): void {
  const shown = request.headers[headers.account]
  if (shown !== undefined && shown !== user.id) throw new Problem(401, messages.otherAccount)
}

/** The same for an endpoint that is behind a session, whatever its type says. */
export async function readSessionInput<E extends Endpoint>(
  endpoint: E,
  request: FastifyRequest,
  gate: Gate,
): Promise<{ input: Input<E>; session: Session }> {
  const session = await sessionOf(endpoint, request, gate)
  if (!session) throw notAuthenticated(request)
  return { input: await readInput(endpoint, session, request, gate), session }
}

function parseParts(endpoint: Endpoint, request: FastifyRequest) {
  return {
    // A malformed id cannot exist.
    params: endpoint.params && parse(endpoint.params, request.params, 404),
    query: endpoint.query && parse(endpoint.query, request.query, 400),
    body: endpoint.body && parse(endpoint.body, request.body, endpoint.invalidStatus ?? 400),
  }
}

function parse(schema: z.ZodType, value: unknown, status: 400 | 404 | 422): unknown {
  const result = schema.safeParse(value)
  if (result.success && !hasNull(result.data)) return result.data
  if (status === 404) throw new Problem(404, messages.notFound)
  if (result.success) throw new Problem(status, messages.nullCharacter)
  const fields: Record<string, string> = {}
  for (const issue of result.error.issues) {
    const field = issue.path[0]
    if (field !== undefined) fields[String(field)] ??= issue.message
  }
  const first = result.error.issues[0]
  if (!first) throw new Problem(status, messages.invalidBody)
  if (first.path.length > 0) throw new Problem(status, first.message, fields)
  // A rule of the contract about the body as a whole has a sentence of its own.
  throw new Problem(status, first.code === 'custom' ? first.message : messages.invalidBody)
}

/** Whether there is a null character in any text: PostgreSQL stores none, and refuses to look for one. */
const hasNull = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.values(value).some(hasNull)
