/** A plain client of a Kubernetes cluster, as somebody with kubectl is one: no cache, and nothing is tried again. */
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'

/** What all objects of Kubernetes have. */
export interface KubeObject {
  metadata: {
    name: string
    namespace?: string
    uid: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: { uid: string }[]
    deletionTimestamp?: string
  }
}

/** Where a cluster is, how it shows that it is the right one, and how we show who we are. */
export interface KubeAccess {
  server: URL
  options: RequestOptions
}

interface Kubeconfig {
  'current-context': string
  contexts: { name: string; context: { cluster: string; user: string } }[]
  clusters: { name: string; cluster: Record<string, string> }[]
  users: { name: string; user: Record<string, string> }[]
}

/** The current context of a kubeconfig, in YAML or JSON, that names a certificate or a token. */
export async function readKubeAccess(file: string): Promise<KubeAccess> {
  const config: Kubeconfig = parse(await readFile(file, 'utf8'))
  const named = <T extends { name: string }>(all: T[], name: string) => all.find((one) => one.name === name)
  const context = named(config.contexts, config['current-context'])?.context
  const cluster = named(config.clusters, context?.cluster ?? '')?.cluster
  const user = named(config.users, context?.user ?? '')?.user
  if (!cluster?.server || !user) throw new Error(`${file} has no current context`)
  const given = async (of: Record<string, string>, key: string) => {
    if (of[`${key}-data`]) return Buffer.from(of[`${key}-data`] ?? '', 'base64')
    return of[key] ? readFile(resolve(dirname(file), of[key])) : undefined
  }
  const [ca, cert, key] = await Promise.all([
    given(cluster, 'certificate-authority'),
    given(user, 'client-certificate'),
    given(user, 'client-key'),
  ])
  return {
    server: new URL(cluster.server),
    options: {
      ...(ca ? { ca } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
      ...(user.token ? { headers: { authorization: `Bearer ${user.token}` } } : {}),
    },
  }
}

/** What is measured, and what is told and forgotten after an hour: nobody could leave it behind. */
const isPassing = (path: string) => path.includes('metrics.k8s.io') || path.endsWith('/events')

interface Resources {
  /** `subresources.kubevirt.io` says of nothing what can be done with it. */
  resources: { name: string; verbs: string[] | null }[]
}
interface Groups {
  groups: { preferredVersion: { groupVersion: string } }[]
}

export function makeKube({ server, options }: KubeAccess) {
  const isPlain = server.protocol === 'http:'
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })

  /** @param agentOf false: a connection of its own, for what stays open */
  function send(
    method: string,
    path: string,
    {
      body,
      type = 'application/json',
      alone = false,
    }: { body?: object; type?: string; alone?: boolean } = {},
  ): Promise<IncomingMessage> {
    const payload = body && JSON.stringify(body)
    return new Promise((resolved, rejected) => {
      const sent = (isPlain ? httpRequest : httpsRequest)(new URL(path, server), {
        ...options,
        ...(isPlain || alone ? {} : { agent }),
        method,
        headers: {
          accept: 'application/json',
          ...options.headers,
          ...(payload ? { 'content-type': type, 'content-length': Buffer.byteLength(payload) } : {}),
        },
      })
      sent.on('response', resolved).on('error', rejected)
      sent.end(payload)
    })
  }

  async function text(method: string, path: string, body?: object, type?: string) {
    const answer = await send(method, path, { ...(body ? { body } : {}), ...(type ? { type } : {}) })
    let text = ''
    answer.setEncoding('utf8')
    for await (const part of answer) text += part
    return { status: answer.statusCode ?? 0, text }
  }

  /** Throws what the cluster says when it refuses. */
  async function call<T>(method: string, path: string, body?: object, type?: string): Promise<T> {
    const { status, text: said } = await text(method, path, body, type)
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${said}`)
    return JSON.parse(said)
  }

  /** The paths of all kinds of objects that can be listed and that somebody could leave behind. */
  async function everyKind(): Promise<string[]> {
    const { groups } = await call<Groups>('GET', '/apis')
    const versions = groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)
    const found = ['/api/v1', ...versions].map(async (root) => {
      const { resources } = await call<Resources>('GET', root)
      const kept = resources.filter(({ name, verbs }) => !name.includes('/') && verbs?.includes('list'))
      return kept.map(({ name }) => `${root}/${name}`)
    })
    return (await Promise.all(found)).flat().filter((path) => !isPassing(path))
  }

  return {
    call,
    send,
    everyKind,
    /** All items of a path such as `/api/v1/namespaces`. */
    async list<T extends KubeObject>(path: string): Promise<T[]> {
      const all: T[] = []
      for (let next: string | undefined = ''; next !== undefined; ) {
        const from = next === '' ? '' : `&continue=${encodeURIComponent(next)}`
        type Page = { items?: T[]; metadata?: { continue?: string } }
        const page: Page = await call('GET', `${path}?limit=500${from}`)
        all.push(...(page.items ?? []))
        next = page.metadata?.continue || undefined
      }
      return all
    },
    merge: (path: string, change: object): Promise<KubeObject> =>
      call('PATCH', path, change, 'application/merge-patch+json'),
    /** Tells an object to go; one that is not there is as good. */
    async remove(path: string): Promise<void> {
      const { status, text: said } = await text('DELETE', path)
      if (status >= 300 && status !== 404) throw new Error(`${path} could not be removed: ${said}`)
    },
    close: () => agent.destroy(),
  }
}

export type Kube = ReturnType<typeof makeKube>
