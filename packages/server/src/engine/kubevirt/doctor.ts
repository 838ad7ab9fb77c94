/** What a cluster has of all that Slipway needs, each with what helps where it lacks: for `npm run doctor`. */

import { bad, type Finding, good, note } from '../../lib/finding.ts'
import { examineMetrics } from './doctor-metrics.ts'
import { examineNetwork } from './doctor-network.ts'
import { examineStorage } from './doctor-storage.ts'
import { type Examined, grantHelp, patienceMs, reasonOf } from './finding.ts'
import { kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { Kind, KubeObject } from './kube/objects.ts'
import {
  hasGate,
  howToOpen,
  isNamed,
  isOlder,
  type KubeVirt,
  neededGates,
  oldHotPlug,
} from './kubevirt-gates.ts'
import { type Right, rights } from './rights.ts'

/** Everything but a trial, in the order in which a VM needs it. */
export async function* examine(cluster: Examined): AsyncGenerator<Finding> {
  const apiServer = await examineApiServer(cluster)
  yield apiServer
  // Without it every other line would say the same.
  if (apiServer.state === 'bad') return
  yield* await examineKubeVirt(cluster)
  yield await examineCdi(cluster)
  yield* await examineStorage(cluster)
  yield await examineNetwork(cluster)
  for (const right of rights) yield await examineRight(cluster, right)
  yield await examineMetrics(cluster)
}

/** Since then there are policies of admission, and pods can sleep before they stop (kubeVersion in Chart.yaml). */
const oldestKubernetes = 'v1.30'
/** KubeVirt 1.9 is made for the three that were current when it came out. */
const kubernetesOfKubeVirt = { first: 'v1.34', last: 'v1.36' }

async function examineApiServer({ client }: Examined): Promise<Finding> {
  const { host } = client.cluster.server
  try {
    const { gitVersion } = JSON.parse(await client.text('/version', { deadlineMs: patienceMs }))
    const text = `${host} is Kubernetes ${gitVersion}`
    if (isOlder(gitVersion, oldestKubernetes))
      return bad('API server', text, `the chart needs ${oldestKubernetes} or newer; upgrade the cluster`)
    const { first, last } = kubernetesOfKubeVirt
    return isOlder(gitVersion, first) || isOlder(last, gitVersion)
      ? note(
          'API server',
          text,
          `KubeVirt 1.9 is made for ${first} to ${last}; look up what yours is made for`,
        )
      : good('API server', text)
  } catch (error) {
    if (isKube(error, 'forbidden'))
      return bad(
        'API server',
        `${host} does not accept this account: ${error.message}`,
        'renew the credentials in the file that SLIPWAY_KUBECONFIG names',
      )
    return bad(
      'API server',
      `${host} does not answer: ${reasonOf(error)}`,
      'check SLIPWAY_KUBECONFIG and the network: kubectl get --raw /version',
    )
  }
}

interface Component extends Pick<KubeVirt, 'metadata' | 'spec'> {
  status?: NonNullable<KubeVirt['status']> & { observedVersion?: string }
}
const cdis: Kind<Component> = { group: 'cdi.kubevirt.io', version: 'v1beta1', plural: 'cdis' }

/** The first object of a kind; null where there is none, or the cluster does not know the kind. */
async function firstOf<T extends KubeObject>({ client }: Examined, kind: Kind<T>): Promise<T | null> {
  try {
    return (await client.list(kind, {}, { deadlineMs: patienceMs })).items[0] ?? null
  } catch (error) {
    if (isKube(error, 'not-found')) return null
    throw error
  }
}

/** Asks for one of the two that Slipway stands on, and says how it is. */
async function examineComponent(
  cluster: Examined,
  {
    name,
    kind,
    tested,
    oldest,
    url,
  }: { name: string; kind: Kind<Component>; tested: string; oldest?: string; url: string },
): Promise<{ finding: Finding; component: Component | null }> {
  const answer = (finding: Finding, component: Component | null = null) => ({ finding, component })
  let component: Component | null
  try {
    component = await firstOf(cluster, kind)
  } catch (error) {
    return answer(bad(name, `cannot be read: ${reasonOf(error)}`, grantHelp))
  }
  if (!component) return answer(bad(name, 'not installed', `install ${name} ${tested} or newer: ${url}`))
  const { phase, observedKubeVirtVersion, observedVersion, conditions } = component.status ?? {}
  const version = observedKubeVirtVersion ?? observedVersion ?? 'of unknown version'
  if (phase !== 'Deployed') {
    const why = conditions?.find(({ type, status }) => type === 'Degraded' && status === 'True')?.message
    return answer(
      bad(
        name,
        `${version} is not ready: ${why || `phase ${phase ?? 'unknown'}`}`,
        `kubectl get ${kind.plural}.${kind.group} -A -o yaml`,
      ),
      component,
    )
  }
  const help = `Slipway was tested with ${tested}; upgrade ${name}`
  if (oldest && isOlder(version, oldest)) return answer(bad(name, `${version} is too old`, help), component)
  if (isOlder(version, tested)) return answer(note(name, version, help), component)
  return answer(good(name, version), component)
}

async function examineKubeVirt(cluster: Examined): Promise<Finding[]> {
  const { finding, component } = await examineComponent(cluster, {
    name: 'KubeVirt',
    kind: kinds.kubevirts,
    tested: 'v1.9',
    oldest: 'v1.9',
    url: 'https://kubevirt.io/user-guide/cluster_admin/installation/',
  })
  if (!component) return [finding]
  const where = `${kinds.kubevirts.plural}.${kinds.kubevirts.group}`
  const ofGates = neededGates.map(({ gate, for: what }) =>
    hasGate(component, gate)
      ? good('feature gate', `${gate} is on: ${what}`)
      : bad('feature gate', `${gate} is off, so there is no ${what}`, `${howToOpen(component)} of ${where}`),
  )
  if (!isNamed(component, oldHotPlug)) return [finding, ...ofGates]
  const isInTheWay = bad(
    'feature gate',
    `${oldHotPlug} is on, which switches DeclarativeHotplugVolumes off, so there is no attaching of disks to running VMs`,
    `remove it from featureGates of ${where}`,
  )
  return [finding, ...ofGates, isInTheWay]
}

const examineCdi = async (cluster: Examined): Promise<Finding> =>
  (
    await examineComponent(cluster, {
      name: 'CDI',
      kind: cdis,
      tested: 'v1.66',
      url: 'https://kubevirt.io/user-guide/storage/containerized_data_importer/',
    })
  ).finding

interface AccessReview extends KubeObject {
  spec: { resourceAttributes: Record<string, string> }
  status?: { allowed: boolean }
}
const accessReviews: Kind<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
}

/** Asks for each verb on each resource: a refusal in the middle of work would come too late. */
async function examineRight({ client, prefix }: Examined, right: Right): Promise<Finding> {
  const namespace = right.only === 'images' ? `${prefix}-images` : ''
  const asked = right.resources.flatMap((resource) => right.verbs.map((verb) => ({ resource, verb })))
  const where = namespace ? ` in ${namespace}` : ''
  const name = 'right'
  try {
    const answers = await Promise.all(
      asked.map(async ({ resource, verb }) => {
        const [plural = '', part = ''] = resource.split('/')
        const resourceAttributes = {
          verb,
          group: right.group,
          resource: plural,
          ...(part ? { subresource: part } : {}),
          ...(namespace ? { namespace } : {}),
        }
        const { status } = await client.create(
          accessReviews,
          undefined,
          { kind: 'SelfSubjectAccessReview', metadata: {}, spec: { resourceAttributes } },
          { deadlineMs: 3 * patienceMs, repeat: true },
        )
        return { resource, verb, allowed: status?.allowed === true }
      }),
    )
    const missing = answers.filter(({ allowed }) => !allowed)
    if (missing.length === 0) return good(name, `${inWords(answers)}${where}`)
    return bad(name, `missing for ${right.for}: ${inWords(missing)}${where}`, grantHelp)
  } catch (error) {
    return bad(name, `cannot be asked for: ${reasonOf(error)}`, 'kubectl auth can-i --list')
  }
}

/** Such as `get, list namespaces; get pods`. */
function inWords(all: { resource: string; verb: string }[]): string {
  const byVerbs = new Map<string, string[]>()
  for (const resource of new Set(all.map((one) => one.resource))) {
    const verbs = all.filter((one) => one.resource === resource).map(({ verb }) => verb)
    byVerbs.set(verbs.join(', '), [...(byVerbs.get(verbs.join(', ')) ?? []), resource])
  }
  return [...byVerbs].map(([verbs, resources]) => `${verbs} ${resources.join(', ')}`).join('; ')
}
