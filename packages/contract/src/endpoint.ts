import type { z } from 'zod'
import { routes } from './routes.ts'

/**
 * One call of the HTTP API as plain data. The server mounts it, the browser calls it, the OpenAPI document and
 * the two-user test are read from it: an endpoint that is not in this form does not exist.
 */
export interface EndpointDef {
  summary: string
  /**
   * `session` answers 401 without a signed-in user, `operator` without the operator's token as a bearer token;
   * `public` does not ask.
   */
  auth: 'session' | 'operator' | 'public'
  /** Success status. */
  status: 101 | 200 | 201 | 202 | 204
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  /** The body comes as an HTML form sends it, or is bytes of a file, in place of JSON. */
  takes?: 'form' | 'file'
  /** The largest body in bytes as it is sent, where 64 kB are not enough. */
  bodyBytes?: number
  /** Absent for 204 and for everything that is not JSON. */
  response?: z.ZodType
  /** Status of a refused body; 400 unless the catalogue says otherwise. */
  invalidStatus?: 400 | 422
  /** Failures a caller can act on: status and the sentences it may carry. */
  errors?: Partial<Record<400 | 403 | 404 | 408 | 409 | 413 | 422 | 429 | 503, readonly string[]>>
  /** It creates an object and takes an `Idempotency-Key`: the same request with the same key creates it once. */
  idempotent?: true
  /**
   * What it answers with in place of JSON by a schema; a document is JSON of another kind, a file is bytes to save. A socket
   * starts with a GET that asks for an upgrade.
   */
  answers?: 'events' | 'text' | 'document' | 'file' | 'socket'
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type EndpointId = keyof typeof routes
export type Endpoint<D extends EndpointDef = EndpointDef, Id extends EndpointId = EndpointId> = D &
  Route & { id: Id }

interface Route {
  method: Method
  path: string
}

/** Method and path of a call. */
export function routeOf(id: EndpointId): Route {
  const [method, path] = routes[id].split(' ') as [Method, string]
  return { method, path }
}

/**
 * Whether a call takes one of the places that an account has for calls in flight. Event streams, sockets and files have
 * limits of their own; health and metrics are never behind anybody.
 */
export const takesPlace = ({
  auth,
  answers,
  takes,
}: Pick<EndpointDef, 'auth' | 'answers' | 'takes'>): boolean =>
  auth === 'session' && answers !== 'events' && answers !== 'socket' && answers !== 'file' && takes !== 'file'

/** `vmSnapshot` as people type it: `vm-snapshot`. */
const kebab = (word: string): string => word.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)

/** The words of a call on the command line: `vm-snapshot` and `create-vms` for `vmSnapshot.createVms`. */
export function commandWords(id: EndpointId): { noun: string; verb: string } {
  const [noun = '', verb = ''] = id.split('.')
  return { noun: kebab(noun), verb: kebab(verb) }
}

/** Says what a call of `routes.ts` takes and answers: `endpoint('project.create', { … })`. */
export function endpoint<Id extends EndpointId, const D extends EndpointDef>(
  id: Id,
  def: D,
): Endpoint<D, Id> {
  return { ...def, ...routeOf(id), id }
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined
type Input<S> = S extends z.ZodType ? z.input<S> : undefined

/** What a handler gets, after validation. */
export interface Parsed<E extends EndpointDef> {
  params: Output<E['params']>
  query: Output<E['query']>
  body: Output<E['body']>
}

type Part<K extends string, S> = S extends z.ZodType ? { [P in K]: Input<S> } : unknown

/** What a caller passes: exactly the parts the endpoint has. */
export type CallInput<E extends EndpointDef> = Part<'params', E['params']> &
  (E['query'] extends z.ZodType ? { query?: Input<E['query']> } : unknown) &
  Part<'body', E['body']>

/** What a caller gets back. */
export type CallOutput<E extends EndpointDef> = E['response'] extends z.ZodType
  ? z.output<E['response']>
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response returns nothing
    void

/** Fills `:name` parts of a path, percent-encoding the values. Throws when one is missing. */
export function fillPath(path: string, params: Record<string, string> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${path} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
}
