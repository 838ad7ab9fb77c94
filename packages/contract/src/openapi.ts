import { z } from 'zod'
import { accessTexts, isOfProject, leastRoles } from './access.rules.ts'
import { mayWhileFrozen } from './account-deletion.rules.ts'
import { apiTokenMay, apiTokenNeeds, apiTokenTexts } from './api-token.rules.ts'
import type { Endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ErrorBody } from './error.ts'
import { headers } from './header.rules.ts'

type Json = Record<string, unknown>

const jsonOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

const content = (schema: Json, takes?: 'form') => ({
  [takes === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']: { schema },
})

const statusTexts: Record<number, string> = {
  400: 'The request is not valid',
  401: 'Not signed in',
  403: 'Refused',
  404: 'The object does not exist or belongs to another account',
  409: 'Not possible in the current state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Something required is missing, the request contradicts an earlier one, or the engine cannot do this',
  429: 'Too many attempts',
  503: 'Temporarily unavailable',
}

function parametersOf(endpoint: Endpoint): Json[] {
  const list = (where: 'path' | 'query', schema?: z.ZodType) => {
    if (!schema) return []
    const { properties = {}, required = [] } = jsonOf(schema, 'input') as {
      properties?: Json
      required?: string[]
    }
    return Object.entries(properties).map(([name, one]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      schema: one,
    }))
  }
  const key = {
    name: headers.idempotencyKey,
    in: 'header',
    required: false,
    description:
      'A UUID. The same request with the same key creates the object once and gets the same answer for a day.',
    schema: { type: 'string', format: 'uuid' },
  }
  return [
    ...list('path', endpoint.params),
    ...list('query', endpoint.query),
    ...(endpoint.idempotent ? [key] : []),
  ]
}

function responsesOf(endpoint: Endpoint): Json {
  const text = { schema: { type: 'string' } }
  const body = {
    events: { 'text/event-stream': text },
    text: { 'text/plain': text },
    socket: undefined,
    json: endpoint.response && content(jsonOf(endpoint.response, 'output')),
  }[endpoint.answers ?? 'json']
  const failures: Record<number, readonly string[]> = { ...endpoint.errors }
  if (endpoint.idempotent) {
    failures[400] = [...(failures[400] ?? []), messages.invalidIdempotencyKey]
    failures[422] = [...(failures[422] ?? []), messages.idempotencyKeyReused]
  }
  const least = isOfProject(endpoint.id) ? leastRoles[endpoint.id] : 'viewer'
  if (least !== 'viewer') failures[403] = [...(failures[403] ?? []), accessTexts[least]]
  const frozen = isOfProject(endpoint.id) ? mayWhileFrozen(endpoint) : true
  if (frozen !== true) failures[403] = [...(failures[403] ?? []), frozen]
  if (endpoint.auth !== 'public') failures[401] = ['Not authenticated']
  if (apiTokenNeeds(endpoint)) {
    failures[401] = [...(failures[401] ?? []), apiTokenTexts.invalid]
    const refusals = tokenRefusalsOf(endpoint)
    if (refusals.length > 0) failures[403] = [...(failures[403] ?? []), ...refusals]
  }
  return {
    [endpoint.status]: {
      description: endpoint.answers === 'socket' ? 'Becomes a WebSocket' : 'Success',
      ...(body && { content: body }),
    },
    ...Object.fromEntries(
      Object.entries(failures).map(([status, texts]) => [
        status,
        {
          description: [statusTexts[Number(status)], ...texts.map((text) => `- ${text}`)].join('\n'),
          content: content({ $ref: '#/components/schemas/Error' }),
        },
      ]),
    ),
  }
}

/** How an API token may be refused at an endpoint that takes one. */
function tokenRefusalsOf(endpoint: Endpoint): string[] {
  const projectId = endpoint.path.includes(':projectId') ? 'another' : undefined
  return [
    apiTokenMay({ access: 'read', project_ids: null }, endpoint, projectId),
    apiTokenMay({ access: 'write', project_ids: [] }, endpoint, projectId),
  ].filter((verdict) => verdict !== true)
}

/** Who may call an endpoint; of a token, the access that it needs. */
function securityOf(endpoint: Endpoint): Json[] {
  if (endpoint.auth === 'public') return []
  const needs = apiTokenNeeds(endpoint)
  return [{ [endpoint.auth]: [] }, ...(needs ? [{ apiToken: [needs] }] : [])]
}

/** The API as an OpenAPI 3.1 document, made from the endpoints alone. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const parameters = parametersOf(endpoint)
    const entry = paths[path] ?? {}
    paths[path] = entry
    entry[endpoint.method.toLowerCase()] = {
      operationId: endpoint.id,
      summary: endpoint.summary,
      tags: [endpoint.id.split('.')[0]],
      security: securityOf(endpoint),
      ...(parameters.length > 0 && { parameters }),
      ...(endpoint.body && {
        requestBody: { content: content(jsonOf(endpoint.body, 'input'), endpoint.takes) },
      }),
      responses: responsesOf(endpoint),
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Slipway',
      version: '1',
      description: 'Virtual machines in projects. Times are ISO 8601 UTC, lists oldest first.',
    },
    paths,
    components: {
      schemas: { Error: jsonOf(ErrorBody, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'slipway_session' },
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API token of an account. The role of an operation is the access that it needs: `read`, or `write`, which includes it.',
        },
        operator: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
