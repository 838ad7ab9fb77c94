/** The chart in a cluster, as `helm install` brings it there, and its accounts. */
import type { Cluster } from '../engine/kubevirt/kube/cluster.ts'
import type { KubeClient } from '../engine/kubevirt/kube/kube-client.ts'
import { isKube } from '../engine/kubevirt/kube/kube-error.ts'
import type { At, Kind, KubeObject } from '../engine/kubevirt/kube/objects.ts'
import type { Rendered } from './chart.test-kit.ts'

const namespaces: Kind = { group: '', version: 'v1', plural: 'namespaces' }
const accounts: Kind = { group: '', version: 'v1', plural: 'serviceaccounts' }

export const kindOf = ({ apiVersion, kind }: Rendered): Kind => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const plural = kind.toLowerCase().replace(/y$/, 'ie').replace(/s$/, 'se')
  return { group, version, plural: `${plural}s` }
}
const isPolicy = ({ kind }: Rendered) => kind.startsWith('ValidatingAdmissionPolicy')
const isOfCluster = (one: Rendered) =>
  one.kind.startsWith('Cluster') || one.kind === 'Namespace' || isPolicy(one)

/** The namespace of an object of the chart; none for those of the whole cluster. */
export const whereOf = (one: Rendered, release: string): string | undefined =>
  isOfCluster(one) ? undefined : (one.metadata.namespace ?? release)

/**
 * Creates everything in a namespace that exists. Unknown fields are refused; policies of admission are left out where the
 * cluster has none, as a played one.
 */
export async function install(admin: KubeClient, release: string, rendered: Rendered[]) {
  // Namespaces first, as Helm does it.
  const rank = ({ kind }: Rendered) => (kind === 'Namespace' ? 0 : 1)
  const made: KubeObject[] = []
  for (const one of [...rendered].sort((a, b) => rank(a) - rank(b)))
    try {
      made.push(await admin.create<KubeObject>(kindOf(one), whereOf(one, release), one))
    } catch (error) {
      if (!isPolicy(one) || !isKube(error, 'not-found')) throw error
      console.log(`NOT SHOWN on this cluster: that it takes a ${one.kind}`)
    }
  return made
}

/** Removes it with the namespace of the release. */
export async function uninstall(admin: KubeClient, release: string, rendered: Rendered[]): Promise<void> {
  const ofCluster = rendered
    .filter(isOfCluster)
    .map((one) => ({ kind: kindOf(one), name: one.metadata.name }))
  for (const { kind, name } of [...ofCluster, { kind: namespaces, name: release }])
    await admin.remove(kind, { name }).catch((error: unknown) => {
      if (!isKube(error, 'not-found')) throw error
    })
}

/** The cluster of `admin`, as an account sees it. */
export async function clusterAs(admin: KubeClient, account: At): Promise<Cluster> {
  const answer = await admin.post(accounts, account, 'token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  })
  const { token } = (answer as { status: { token: string } }).status
  return { ...admin.cluster, login: async () => ({ authorization: `Bearer ${token}` }) }
}
