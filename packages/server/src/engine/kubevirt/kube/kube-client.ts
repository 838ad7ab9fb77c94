/** What Kubernetes can be asked to do with its objects, by kind. */
import { type Caller, type CallerOptions, type CallOptions, makeCaller } from './caller.ts'
import type { Cluster } from './cluster.ts'
import { KubeError } from './kube-error.ts'
import {
  type At,
  type Kind,
  type KubeList,
  type KubeObject,
  pathOf,
  pathTo,
  type Unsaved,
} from './objects.ts'
import { makeOpenStream, type OpenStream } from './stream.ts'
import { type Query, queryOf, type WatchHooks, watch } from './watch.ts'

/** A step of a JSON patch (RFC 6902). */
export type PatchStep =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }

export interface WriteOptions extends CallOptions {
  /** The server checks it, with all webhooks, and changes nothing. */
  dryRun?: boolean
  /** A part such as `status` or `scale` is written instead. */
  part?: string
}

export interface RemoveOptions extends WriteOptions {
  propagation?: 'Background' | 'Foreground' | 'Orphan'
  graceSeconds?: number
  /** Only if it is still the one, or still as it was. */
  uid?: string
  resourceVersion?: string
}

export interface KubeClient {
  readonly cluster: Cluster
  get<T extends KubeObject>(kind: Kind<T>, at: At, options?: CallOptions & { part?: string }): Promise<T>
  /** A page of objects: all, or those of `namespace`. */
  list<T extends KubeObject>(
    kind: Kind<T>,
    query?: Query & { namespace?: string },
    options?: CallOptions,
  ): Promise<KubeList<T>>
  /** Also for what is asked by making an object, such as a SelfSubjectAccessReview. Unknown fields are refused. */
  create<T extends KubeObject>(
    kind: Kind<T>,
    namespace: string | undefined,
    object: Unsaved<T>,
    options?: WriteOptions,
  ): Promise<T>
  /** The object has to carry the version it was read with; 409 otherwise. */
  replace<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>
  /** All steps or none. A failed `test` is a conflict. */
  patch<T extends KubeObject>(kind: Kind<T>, at: At, steps: PatchStep[], options?: WriteOptions): Promise<T>
  merge<T extends KubeObject>(kind: Kind<T>, at: At, change: object, options?: WriteOptions): Promise<T>
  /** The object as it is while finalizers hold it, or a Status where it is gone. */
  remove(kind: Kind, at: At, options?: RemoveOptions): Promise<unknown>
  /** Tells an object to do something, such as `start`. Empty answers are null. */
  put(kind: Kind, at: At, part: string, body?: object, options?: CallOptions): Promise<unknown>
  /** Asks an object for something new, such as `token` of a service account. */
  post(kind: Kind, at: At, part: string, body: object, options?: CallOptions): Promise<unknown>
  /** A text of any path, such as `/version`. */
  text(path: string, options?: CallOptions): Promise<string>
  /** Resolves when the server ended it; throws a KubeError when it was cut, silent or unreadable. */
  watch<T extends KubeObject>(
    kind: Kind<T>,
    query: Query & { namespace?: string },
    hooks: WatchHooks<T>,
    signal: AbortSignal,
  ): Promise<void>
  /** A line to a port, console or screen. */
  openStream: OpenStream
  close(): void
}

export function makeKubeClient(cluster: Cluster, options: CallerOptions): KubeClient {
  const caller: Caller = makeCaller(cluster, options)

  const read = async <T>(path: string, wish?: CallOptions): Promise<T> =>
    parsed<T>(await caller.call({ method: 'GET', path }, wish))

  async function write<T>(
    method: string,
    path: string,
    body: object | undefined,
    { dryRun, ...wish }: WriteOptions = {},
    contentType = 'application/json',
  ): Promise<T> {
    const query = queryOf({
      ...(dryRun ? { dryRun: 'All' } : {}),
      ...(method === 'DELETE' ? {} : { fieldValidation: 'Strict' }),
    })
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return parsed<T>(await caller.call({ method, path: path + query, contentType, ...text }, wish))
  }

  return {
    cluster,
    get: (kind, at, wish) => read(pathTo(kind, at, wish?.part), wish),
    list: (kind, { namespace, ...query } = {}, wish = {}) =>
      read(pathOf(kind, namespace) + queryOf({ ...query }), wish),
    create: (kind, namespace, object, wish) =>
      write('POST', pathOf(kind, namespace), { apiVersion: apiVersionOf(kind), ...object }, wish),
    replace: (kind, object, wish) => write('PUT', pathTo(kind, object.metadata, wish?.part), object, wish),
    async patch(kind, at, steps, wish) {
      try {
        return await write('PATCH', pathTo(kind, at, wish?.part), steps, wish, 'application/json-patch+json')
      } catch (error) {
        throw steps.some(({ op }) => op === 'test') ? asConflict(error) : error
      }
    },
    merge: (kind, at, change, wish) =>
      write('PATCH', pathTo(kind, at, wish?.part), change, wish, 'application/merge-patch+json'),
    remove: (kind, at, { propagation, graceSeconds, uid, resourceVersion, ...wish } = {}) =>
      write(
        'DELETE',
        pathTo(kind, at, wish.part),
        {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          ...(propagation ? { propagationPolicy: propagation } : {}),
          ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
          ...(uid || resourceVersion
            ? { preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) } }
            : {}),
        },
        wish,
      ),
    put: (kind, at, part, body = {}, wish) =>
      caller
        .call({ method: 'PUT', path: pathTo(kind, at, part), body: JSON.stringify(body) }, wish)
        .then(parsed),
    post: (kind, at, part, body, wish) => write('POST', pathTo(kind, at, part), body, wish),
    text: (path, wish) => caller.call({ method: 'GET', path }, wish),
    watch: (kind, { namespace, ...query }, hooks, signal) =>
      watch(caller, pathOf(kind, namespace), query, hooks, options.clock, signal),
    openStream: makeOpenStream(cluster, options.clock),
    close: () => caller.close(),
  }
}

const apiVersionOf = ({ group, version }: Kind): string => (group === '' ? version : `${group}/${version}`)

/** The server says of a failed `test` only that the request was wrong, without a cause. */
function asConflict(error: unknown): unknown {
  if (!(error instanceof KubeError) || error.kind !== 'invalid') return error
  const isTest = /the server rejected our request due to an error in our request|testing value|test failed/i
  if (!isTest.test(error.message)) return error
  return new KubeError('conflict', error.message, {
    status: error.status,
    reason: error.reason,
    cause: error,
  })
}

/** What is no JSON is not what was asked for. */
function parsed<T>(text: string): T {
  if (text === '') return null as T
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new KubeError('broken', 'The API server gave an answer that is no JSON', { cause })
  }
}
