import { readFileSync } from 'node:fs'
import { commandWords, type EndpointId, routeOf } from '@slipway/contract/endpoint.ts'
import { routes } from '@slipway/contract/routes.ts'

/** JSON Schema, as far as the contract uses it. */
export interface Schema {
  type?: string
  enum?: readonly (string | number)[]
  const?: unknown
  default?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  items?: Schema
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: readonly string[]
}

/** A field of the body or the query, which a flag gives. */
export interface Flag {
  name: string
  where: 'body' | 'query'
  required: boolean
  schema: Schema
}

/** A call of the contract as a command: `vm.create` is `vm create`. */
export interface Command {
  id: EndpointId
  noun: string
  verb: string
  summary: string
  /** Names of the parameters in the path, that of the project included. */
  params: readonly string[]
  flags: readonly Flag[]
  hasBody: boolean
  idempotent: boolean
  /** Its body is the bytes of a file. */
  takesFile: boolean
  answers: 'json' | 'nothing' | 'text' | 'file' | 'events' | 'socket'
  /** Who may call it: anyone, an API token, the operator's token, or only a person in the console. */
  by: 'anyone' | 'token' | 'operator' | 'person'
}

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }

interface Operation {
  summary: string
  security: readonly Record<string, unknown>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/**
 * Every command there is. They are read from the OpenAPI document, which is written from the endpoints: loading all their
 * schemas would take several times as long.
 */
export function readCommands(): Command[] {
  const file = new URL('../../../docs/openapi.json', import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document
  return Object.entries(routes).map(([id, route]) => {
    const [method = '', path = ''] = route.split(' ')
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (!operation) throw new Error(`The API description lacks ${id}`)
    // The keys of a constant.
    return commandOf(id as EndpointId, operation, (part) => resolved(part, document))
  })
}

/** As far as it is used: the contract has written it, and a test of the contract compares the two. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

/** A part of the document with what it refers to in place. No schema of the contract holds itself. */
function resolved<T>(part: T, document: Document): T {
  if (Array.isArray(part)) return part.map((one) => resolved(one, document)) as T
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...own } = part as Record<string, unknown>
  const fields = Object.entries(own).map(([key, value]) => [key, resolved(value, document)])
  const whole = Object.fromEntries(fields)
  if (typeof $ref !== 'string') return whole as T
  const [kind = '', name = ''] = $ref.replace('#/components/', '').split('/')
  return { ...Object(resolved(document.components[kind]?.[name], document)), ...whole } as T
}

function commandOf(id: EndpointId, operation: Operation, resolve: <T>(part: T) => T): Command {
  const params = [...routeOf(id).path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const body = resolve(Object.values(operation.requestBody?.content ?? {})[0]?.schema)
  const takesFile = operation.requestBody?.content[fileType] !== undefined
  const parameters = resolve(operation.parameters ?? [])
  const query = parameters.filter((one) => one.in === 'query')
  return {
    id,
    ...commandWords(id),
    summary: operation.summary,
    params,
    flags: [
      ...fieldsOf(body),
      ...query.map(({ name, required, schema }) => ({ name, where: 'query' as const, required, schema })),
      // The project is in the path already; a body may only repeat it.
    ].filter(({ name }) => name !== 'project_id' || !params.includes('projectId')),
    hasBody: body !== undefined && !takesFile,
    takesFile,
    idempotent: parameters.some((one) => one.in === 'header'),
    answers: answersOf(operation),
    by: byOf(operation),
  }
}

/** The fields of a body. Of one that has several forms: those of all, of which some go with one form only. */
function fieldsOf(body: Schema | undefined): Flag[] {
  const forms = body?.oneOf ?? (body ? [body] : [])
  const names = new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))
  return [...names].map((name) => {
    const schemas = forms.flatMap(({ properties }) => properties?.[name] ?? [])
    const words = schemas.flatMap((one) => (typeof one.const === 'string' ? [one.const] : []))
    return {
      name,
      where: 'body',
      required: forms.every(({ required }) => required?.includes(name)),
      // The word that says which form it is.
      schema: words.length > 1 ? { type: 'string', enum: words } : (schemas[0] ?? {}),
    }
  })
}

const fileType = 'application/octet-stream'

function answersOf({ responses }: Operation): Command['answers'] {
  const [status = '', answer] = Object.entries(responses)[0] ?? []
  if (status === '101') return 'socket'
  const type = Object.keys(answer?.content ?? {})[0]
  if (type === undefined) return 'nothing'
  if (type === fileType) return 'file'
  return type === 'text/event-stream' ? 'events' : type === 'application/json' ? 'json' : 'text'
}

function byOf({ security }: Operation): Command['by'] {
  const ways = security.flatMap((one) => Object.keys(one))
  if (ways.length === 0) return 'anyone'
  if (ways.includes('apiToken')) return 'token'
  return ways.includes('operator') ? 'operator' : 'person'
}

/** The parameters that are given in place: all but the project, unless the command is about projects. */
export const positionsOf = ({ noun, params }: Pick<Command, 'noun' | 'params'>): string[] =>
  params.filter((name) => name !== 'projectId' || noun === 'project')

/** `vmSnapshotId` in words: `VM snapshot`. */
export const thingOf = (param: string): string =>
  param
    .replace(/Id$/, '')
    .replace(/[A-Z]/g, (sign) => ` ${sign.toLowerCase()}`)
    .replace(/^(vm|ssh|api)\b/, (word) => word.toUpperCase())

/** Calls that answer with something else than they are about. */
const answersWith: Partial<Record<EndpointId, string>> = {
  'vmSnapshot.restore': 'vm',
  'vmSnapshot.createVms': 'vm',
  'diskSnapshot.createDisk': 'disk',
}

/** What a call answers with, by the noun of that. */
export const kindOfAnswer = ({ id, noun }: Pick<Command, 'id' | 'noun'>): string => answersWith[id] ?? noun

/** The words of a command: `vm stop VM`. */
export const usageOf = (command: Pick<Command, 'noun' | 'verb' | 'params'>): string =>
  [command.noun, command.verb, ...positionsOf(command).map(placeholder)].join(' ')

const placeholder = (param: string) => thingOf(param).toUpperCase().replaceAll(' ', '_')
