/** Who reaches the guests of a project, and what they reach: a NetworkPolicy in its namespace. */
import { isDeepStrictEqual } from 'node:util'
import { specialRangesV4 } from '../../lib/public-hosts.ts'
import type { Ground } from './ground.ts'
import { kinds, type NetworkPolicy } from './kinds.ts'
import { keyOf } from './kube/objects.ts'
import { makeOnce } from './removal.ts'

/** What guests reach: only each other, the Internet as well, or all that the cluster lets them reach. */
export type Reach = 'project' | 'internet' | 'anywhere'

/** Where clusters have their name servers; the address is that of NodeLocal DNSCache on each node. */
const dnsNamespaces = ['kube-system', 'openshift-dns']
const nodeLocalDns = '169.254.20.10/32'
/** OpenShift's name servers listen on the second. */
export const dnsPorts = [53, 5353].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port })))

/**
 * It is about the pods that guests run in, and not about those that CDI fills disks with, which have a policy of their own.
 * Lines to ports of guests are opened by virt-api, which connects to their pods.
 */
export function policySpec(reach: Reach, kubevirtNamespace: string): NetworkPolicy['spec'] {
  const own = { podSelector: {} }
  const virtApi = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': kubevirtNamespace } },
    podSelector: { matchLabels: { 'kubevirt.io': 'virt-api' } },
  }
  const launchers = { podSelector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } } }
  const ingress = [{ from: [own, virtApi] }]
  if (reach === 'anywhere') return { ...launchers, policyTypes: ['Ingress'], ingress }
  const dns = {
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: dnsNamespaces }],
    },
  }
  const internet = {
    ipBlock: { cidr: '0.0.0.0/0', except: specialRangesV4.map(([base, bits]) => `${base}/${bits}`) },
  }
  return {
    ...launchers,
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress: [
      { to: reach === 'internet' ? [own, internet] : [own] },
      { to: [dns, { ipBlock: { cidr: nodeLocalDns } }], ports: dnsPorts },
    ],
  }
}

export type Policies = ReturnType<typeof makePolicies>

/** @param isOn whether projects have networks; guests reach whatever the cluster lets them where they have none */
export function makePolicies(ground: Pick<Ground, 'client' | 'mirror' | 'names'>, isOn: boolean) {
  const { client, mirror, names } = ground
  const told = new Map<string, Reach>()
  let kubevirt: Promise<string> | null = null

  function kubevirtNamespace(): Promise<string> {
    kubevirt ??= client
      .list(kinds.kubevirts)
      .then(({ items }) => items[0]?.metadata.namespace ?? 'kubevirt')
      .catch((error: unknown) => {
        kubevirt = null
        throw error
      })
    return kubevirt
  }

  return {
    tell(projectId: string, internet: boolean): void {
      told.set(projectId, internet ? 'internet' : 'project')
    },
    forget(projectId: string): void {
      told.delete(projectId)
    },

    /**
     * Makes the policy of a project, or puts it back; without a word on its network, guests reach only each other by a new
     * one, and one that is there is left as it is. Asks the cluster nothing when all is well.
     *
     * @returns whether something was written
     */
    async keep(projectId: string): Promise<boolean> {
      const at = { namespace: names.namespaceOf(projectId), name: 'project' }
      const reach = isOn ? told.get(projectId) : 'anywhere'
      const spec = policySpec(reach ?? 'project', await kubevirtNamespace())
      const known = mirror.policies.get(keyOf(at))
      let seen = known?.spec
      if (!seen) {
        const labels = names.labels('project', projectId, projectId)
        const made = await makeOnce(ground, kinds.networkPolicies, at.namespace, {
          kind: 'NetworkPolicy',
          metadata: { name: at.name, labels },
          spec,
        })
        mirror.policies.observe(made)
        seen = made.spec
      }
      if (reach === undefined || isDeepStrictEqual(seen, spec)) return known === null
      mirror.policies.observe(
        await client.patch(kinds.networkPolicies, at, [{ op: 'replace', path: '/spec', value: spec }]),
      )
      return true
    },
  }
}
