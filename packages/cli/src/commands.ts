import { readFileSync } from 'node:fs'
import { type EndpointId, routeOf } from '@slipway/contract/endpoint.ts'

/** JSON Schema, as far as the contract uses it. */
export interface Schema {
  type?: string
  enum?: readonly (string | number)[]
  const?: unknown
  default?: unknown
  anyOf?: readonly Schema[]
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
  answers: 'json' | 'nothing' | 'text' | 'events' | 'socket'
  /** Who may call it: anyone, an API token, the operator's token, or only a person in the console. */
  by: 'anyone' | 'token' | 'operator' | 'person'
}

interface Operation {
  operationId: EndpointId
  summary: string
  security: readonly Record<string, unknown>[]
  parameters?: readonly { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/**
 * Every command there is. They are read from the OpenAPI document, which is written from the endpoints: loading all their
 * schemas would take several times as long.
 */
export function readCommands(): Command[] {
  const file = new URL('../../../docs/openapi.json', import.meta.url)
  // The contract has written it, and a test of the contract compares the two.
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  return Object.values(paths).flatMap((path) => Object.values(path).map(commandOf))
}

/** `vmSnapshot` as people type it: `vm-snapshot`. */
export const kebab = (word: string): string => word.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)

function commandOf(operation: Operation): Command {
  const id = operation.operationId
  const [noun = '', verb = ''] = id.split('.')
  const params = [...routeOf(id).path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query')
  return {
    id,
    noun: kebab(noun),
    verb: kebab(verb),
    summary: operation.summary,
    params,
    flags: [
      ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
        name,
        where: 'body' as const,
        required: body?.required?.includes(name) ?? false,
        schema,
      })),
      ...query.map(({ name, required, schema }) => ({ name, where: 'query' as const, required, schema })),
      // The project is in the path already; a body may only repeat it.
    ].filter(({ name }) => name !== 'project_id' || !params.includes('projectId')),
    hasBody: body !== undefined,
    idempotent: (operation.parameters ?? []).some((one) => one.in === 'header'),
    answers: answersOf(operation),
    by: byOf(operation),
  }
}

function answersOf({ responses }: Operation): Command['answers'] {
  const [status = '', answer] = Object.entries(responses)[0] ?? []
  if (status === '101') return 'socket'
  const type = Object.keys(answer?.content ?? {})[0]
  if (type === undefined) return 'nothing'
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

/** The words of a command: `vm stop VM`. */
export const usageOf = (command: Pick<Command, 'noun' | 'verb' | 'params'>): string =>
  [command.noun, command.verb, ...positionsOf(command).map(placeholder)].join(' ')

const placeholder = (param: string) => thingOf(param).toUpperCase().replaceAll(' ', '_')
