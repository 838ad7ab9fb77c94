import type { z } from 'zod'
import { apiTokenNeeds } from './api-token.rules.ts'
import type { Endpoint } from './endpoint.ts'
import { ErrorBody } from './error.ts'
import { headers } from './header.rules.ts'
import { endpoints } from './index.ts'
import { type Descriptions, describe } from './openapi.descriptions.ts'
import { type RefusalStatus, refusals, sentencesOf } from './openapi.refusals.ts'
import { type Json, makeSchemas, type Schemas } from './openapi.schemas.ts'
import { tagOf, tags } from './openapi.tags.ts'

/** The API as an OpenAPI 3.1 document, made from the endpoints; `descriptions` are the comments of their schemas. */
export function openApiDocument(descriptions: Descriptions = {}): Json {
  const schemas = makeSchemas()
  const operations = endpoints.map((endpoint) => ({
    path: endpoint.path.replace(/:(\w+)/g, '{$1}'),
    method: endpoint.method.toLowerCase(),
    operation: operationOf(endpoint, schemas, descriptions),
  }))
  const parameters = shareParameters(operations.map(({ operation }) => operation))
  const paths: Record<string, Json> = {}
  for (const { path, method, operation } of operations) paths[path] = { ...paths[path], [method]: operation }
  const error = content(schemas.of(ErrorBody, 'output'))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Slipway',
      version: '1',
      summary: 'Virtual machines in projects',
      description:
        'Bodies are JSON in snake_case. Times are ISO 8601 in UTC. Lists are ordered from oldest to newest unless an operation says otherwise. Objects in responses may get more properties. A request that is refused changes nothing; an unexpected failure (5xx) has the body `{}`.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: Object.entries(tags).map(([name, [title, description]]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas.all()).map(([name, schema]) => [name, describe(schema, name, descriptions)]),
      ),
      parameters,
      responses: Object.fromEntries(
        Object.values(refusals).map(([name, description]) => [name, { description, content: error }]),
      ),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'slipway_session',
          description: 'The cookie that signing in sets. Over https its name is `__Host-slipway_session`.',
        },
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token of an account. The role of an operation is the access that it needs: `read`, or `write`, which includes it.',
        },
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of the operator for metrics, `SLIPWAY_METRICS_TOKEN`.',
        },
      },
    },
  }
}

interface Parameter extends Json {
  name: string
  in: 'path' | 'query' | 'header'
}

interface Operation extends Json {
  parameters?: (Parameter | Json)[]
}

function operationOf(endpoint: Endpoint, schemas: Schemas, descriptions: Descriptions): Operation {
  const parameters = parametersOf(endpoint, schemas, descriptions)
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    tags: [tagOf(endpoint.id)],
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !isOptional(endpoint.body),
        content: content(schemas.of(endpoint.body, 'input'), endpoint.takes),
      },
    }),
    ...(endpoint.takes === 'file' && { requestBody: { required: true, content: bytes } }),
    responses: responsesOf(endpoint, schemas),
  }
}

/** `vmStart` for the call `vm.start`: a name that a program can have in any language. */
const operationIdOf = ({ id }: Endpoint): string =>
  id.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())

const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success

const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

const content = (schema: Json, takes?: Endpoint['takes']) => ({
  [takes === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']: { schema },
})

/** Who may call an endpoint; of a token, the access that it needs. */
function securityOf(endpoint: Endpoint): Json[] {
  if (endpoint.auth === 'public') return []
  const needs = apiTokenNeeds(endpoint)
  return [{ [endpoint.auth]: [] }, ...(needs ? [{ apiToken: [needs] }] : [])]
}

const idempotencyKey: Parameter = {
  name: headers.idempotencyKey,
  in: 'header',
  required: false,
  description:
    'A UUID. The same request with the same key creates the object once and gets the same answer for a day.',
  schema: { type: 'string', format: 'uuid' },
}

function parametersOf(endpoint: Endpoint, schemas: Schemas, descriptions: Descriptions): Parameter[] {
  const list = (where: 'path' | 'query', schema?: z.ZodType): Parameter[] =>
    Object.entries(shapeOf(schema)).map(([name, one]) => {
      const description = descriptions[`${endpoint.id}.${where}.${name}`]
      return {
        name,
        in: where,
        required: where === 'path' || !isOptional(one),
        ...(description && { description }),
        schema: schemas.of(one, 'input'),
      }
    })
  return [
    ...list('path', endpoint.params),
    ...list('query', endpoint.query),
    ...(endpoint.idempotent ? [idempotencyKey] : []),
  ]
}

/** The fields of an object. */
const shapeOf = (schema: z.ZodType | undefined): Record<string, z.ZodType> =>
  // What stands in a URL is an object of texts; the type of its fields is that of the library's core.
  (schema as z.ZodObject<Record<string, z.ZodType>> | undefined)?.shape ?? {}

/** Puts a reference in place of each parameter that several operations have; gives back what is referred to. */
function shareParameters(operations: readonly Operation[]): Record<string, Json> {
  const uses = new Map<string, number>()
  for (const { parameters = [] } of operations)
    for (const one of parameters) uses.set(JSON.stringify(one), (uses.get(JSON.stringify(one)) ?? 0) + 1)
  const shared: Record<string, Json> = {}
  for (const operation of operations) {
    if (!operation.parameters) continue
    operation.parameters = operation.parameters.map((one) => {
      const text = JSON.stringify(one)
      const name = String(one.name)
      if ((uses.get(text) ?? 0) < 2) return one
      shared[name] ??= one
      // Another one of the same name stays where it is.
      return JSON.stringify(shared[name]) === text ? { $ref: `#/components/parameters/${name}` } : one
    })
  }
  return shared
}

function responsesOf(endpoint: Endpoint, schemas: Schemas): Json {
  const text = { schema: { type: 'string' } }
  const body = {
    events: { 'text/event-stream': text },
    text: { 'text/plain': text },
    document: content({ type: 'object' }),
    file: bytes,
    socket: undefined,
    json: endpoint.response && content(schemas.of(endpoint.response, 'output')),
  }[endpoint.answers ?? 'json']
  return {
    [endpoint.status]: {
      description: endpoint.answers === 'socket' ? 'Becomes a WebSocket' : 'Success',
      ...(body && { content: body }),
    },
    ...Object.fromEntries(
      Object.entries(sentencesOf(endpoint)).map(([status, sentences]) => {
        const [name, meaning] = refusals[Number(status) as RefusalStatus]
        return [
          status,
          {
            $ref: `#/components/responses/${name}`,
            description: [meaning, ...sentences.map((text) => `- ${text}`)].join('\n'),
          },
        ]
      }),
    ),
  }
}
