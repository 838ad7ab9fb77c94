/** A Kubernetes cluster, read past the server: everything of one installation, of whatever kind. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeKube, readKubeAccess } from '@slipway/e2e/kube'
import { z } from 'zod'

/** An object of any kind, with the little that is asked of all. */
const ClusterObject = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string().default(''),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
})

export type ClusterObject = z.infer<typeof ClusterObject> & {
  /** As the API server calls its kind in paths, such as `virtualmachines`. */
  resource: string
}

export interface Cluster {
  /** Of a new installation, all of whose namespaces begin so. */
  prefix: string
  /** What a server is started with to work there. */
  settings: Record<string, string>
  /** Everything in the namespaces of the installation, and everything of the cluster that speaks of them. */
  objects: () => Promise<ClusterObject[]>
  /** Removes all of its namespaces, and waits until they are gone. */
  remove: () => Promise<void>
}

const goneMs = 120_000

/** The cluster of a kubeconfig with a certificate or a token, for an installation that nobody has used yet. */
export async function openCluster(file: string, prefix: string): Promise<Cluster> {
  const kubeconfig = resolve(file)
  const kube = makeKube(await readKubeAccess(kubeconfig))

  async function list(path: string): Promise<ClusterObject[]> {
    const items = z.array(ClusterObject).parse(await kube.list(path))
    return items.map((item) => ({ ...item, resource: path.slice(path.lastIndexOf('/') + 1) }))
  }

  const isOurs = (object: ClusterObject) =>
    object.metadata.namespace === undefined
      ? JSON.stringify(object).includes(`"${prefix}-`)
      : object.metadata.namespace.startsWith(`${prefix}-`)
  const namespaces = async () => (await list('/api/v1/namespaces')).filter(isOurs)

  return {
    prefix,
    settings: { SLIPWAY_ENGINE: 'kubevirt', SLIPWAY_KUBECONFIG: kubeconfig, SLIPWAY_KUBE_PREFIX: prefix },
    async objects() {
      const all = await Promise.all((await kube.everyKind()).map(list))
      return all.flat().filter(isOurs)
    },
    async remove() {
      const until = Date.now() + goneMs
      for (;;) {
        const left = await namespaces()
        if (left.length === 0) return kube.close()
        if (Date.now() > until) throw new Error(`Namespaces of ${prefix} are not removed`)
        for (const { metadata } of left)
          if (!metadata.deletionTimestamp) await kube.remove(`/api/v1/namespaces/${metadata.name}`)
        await sleep(500)
      }
    },
  }
}
