/**
 * Reads a kubeconfig, as kubectl does, for the parts that name a server and a user. The client library of Kubernetes
 * would do it too, for 88 MB of memory and two seconds at every start.
 */
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { type Cluster, keptLogin, type Login, readText } from './cluster.ts'
import { askPlugin, plugin } from './exec-plugin.ts'
import { KubeError } from './kube-error.ts'

const user = z.object({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  exec: plugin.optional(),
  // Left aside they would make us somebody else, or nobody.
  as: z.undefined().optional(),
  username: z.undefined().optional(),
  'auth-provider': z.undefined().optional(),
})
type User = z.infer<typeof user>

const cluster = z.object({
  server: z.url(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
  'proxy-url': z.undefined().optional(),
})

const kubeconfig = z.object({
  'current-context': z.string(),
  contexts: z.array(
    z.object({
      name: z.string(),
      context: z.object({ cluster: z.string(), user: z.string(), namespace: z.string().optional() }),
    }),
  ),
  clusters: z.array(z.object({ name: z.string(), cluster: z.unknown() })),
  users: z.array(z.object({ name: z.string(), user: z.unknown() })),
})

/** The cluster and the user of the current context. Throws a {@link KubeError} that says what is wrong with the file. */
export async function readKubeconfig(path: string, clock: Pick<Clock, 'now'>): Promise<Cluster> {
  const directory = dirname(resolve(path))
  const wrong = (what: string): KubeError => new KubeError('refused', `${path}: ${what}`)
  const checked = <T>(schema: z.ZodType<T>, value: unknown, where: string): T => {
    const { data, error } = schema.safeParse(value)
    if (!error) return data as T
    const [first] = error.issues
    throw wrong(`${[where, ...(first?.path ?? [])].join('.')} is not understood: ${first?.message}`)
  }
  const config = checked(kubeconfig, await parsed(await readText(path), wrong), 'the file')
  const named = <T extends { name: string }>(all: T[], name: string, what: string): T => {
    const found = all.find((one) => one.name === name)
    if (!found) throw wrong(`there is no ${what} named "${name}"`)
    return found
  }
  const { context } = named(config.contexts, config['current-context'], 'context')
  const to = checked(cluster, named(config.clusters, context.cluster, 'cluster').cluster, 'cluster')
  const as = checked(user, named(config.users, context.user, 'user').user ?? {}, 'user')
  const server = new URL(to.server)
  const ca = await given(directory, to['certificate-authority-data'], to['certificate-authority'])
  return {
    server,
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(to['tls-server-name'] ? { servername: to['tls-server-name'] } : {}),
      ...(to['insecure-skip-tls-verify'] ? { rejectUnauthorized: false as const } : {}),
    },
    namespace: context.namespace ?? 'default',
    login: keptLogin(() => loginOf(as, directory), clock),
  }
}

/** JSON is read without the library: it costs 13 MB. */
async function parsed(text: string, wrong: (what: string) => KubeError): Promise<unknown> {
  try {
    return JSON.parse(text)
  } catch {
    const { parse } = await import('yaml')
    try {
      return parse(text)
    } catch (error) {
      throw wrong(`it is neither JSON nor YAML: ${error instanceof Error ? error.message : error}`)
    }
  }
}

async function loginOf(as: User, directory: string): Promise<Login & { until?: number }> {
  if (as.exec) return askPlugin(as.exec, directory)
  const cert = await given(directory, as['client-certificate-data'], as['client-certificate'])
  const key = await given(directory, as['client-key-data'], as['client-key'])
  const token = as.tokenFile ? (await readText(resolve(directory, as.tokenFile))).trim() : as.token
  return {
    ...(cert !== undefined && key !== undefined ? { cert, key } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
}

/** What stands in the file in base64, or in another beside it. */
async function given(
  directory: string,
  data: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString('utf8')
  return file ? readText(resolve(directory, file)) : undefined
}
