/** Where the cluster is and who we are there. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.ts'
import { KubeError } from './kube-error.ts'

/** What goes with a call to show who calls. */
export interface Login {
  /** Of the header `Authorization`. */
  authorization?: string
  /** PEM texts of a client certificate. */
  cert?: string
  key?: string
}

export interface Cluster {
  server: URL
  /** How the server shows that it is the right one. */
  tls: { ca?: string; servername?: string; rejectUnauthorized?: false }
  /** Where objects go when nobody says where: our own namespace inside of a cluster. */
  namespace: string
  /** Read anew every minute, since tokens and certificates are renewed; at once after `anew`, for one that was refused. */
  login(anew?: boolean): Promise<Login>
}

const keptMs = 60_000

/** Keeps a login for a while, or for as long as it says itself, so that a call does not cost a look at the disk. */
export function keptLogin(
  find: () => Promise<Login & { until?: number }>,
  clock: Pick<Clock, 'now'>,
): Cluster['login'] {
  let kept: { found: Promise<Login & { until?: number }>; until: number } | null = null
  return async (anew = false) => {
    if (kept && !anew && clock.now() < kept.until) return loginIn(await kept.found)
    const mine = { found: find(), until: clock.now() + keptMs }
    kept = mine
    try {
      const found = await mine.found
      mine.until = found.until ?? mine.until
      return loginIn(found)
    } catch (error) {
      if (kept === mine) kept = null
      throw error
    }
  }
}

const loginIn = ({ until: _, ...login }: Login & { until?: number }): Login => login

/** Where Kubernetes puts what a pod needs to speak to its cluster. */
const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster that this program runs in, with the account of its pod. Throws a {@link KubeError} when it runs in none. */
export async function ownCluster(
  at: { host: string | undefined; port: string | undefined; directory?: string },
  clock: Pick<Clock, 'now'>,
): Promise<Cluster> {
  const directory = at.directory ?? accountDirectory
  if (!at.host || !at.port)
    throw new KubeError('refused', 'Not inside of a cluster: KUBERNETES_SERVICE_HOST and _PORT are not set')
  const read = (name: string) => readText(join(directory, name))
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  const login = keptLogin(async () => ({ authorization: `Bearer ${(await read('token')).trim()}` }), clock)
  await login()
  return {
    server: new URL(`https://${host}:${at.port}`),
    tls: { ca: await read('ca.crt') },
    namespace: (await read('namespace')).trim(),
    login,
  }
}

/** A file that must be there. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new KubeError('refused', `${path} cannot be read`, { cause })
  }
}
