/**
 * By which names guests of a project find each other. One Service of its namespace leads to all of them, and its endpoints
 * carry the names: a name in DNS is then `<name>.<service>.<namespace>.svc`. A Service for each name would have to begin
 * with a letter, which ids do not. As guests have that Service for their subdomain, KubeVirt's DHCP makes them look for a
 * name without a dot there first.
 */
import { isIPv4 } from 'node:net'
import type { Ground } from './ground.ts'
import { endpointsText, serviceLabel, serviceOfSlice } from './guest-endpoints.ts'
import { type EndpointSlice, kinds } from './kinds.ts'
import { keyOf } from './kube/objects.ts'
import type { MirroredEndpointSlice } from './mirror.ts'
import type { Names } from './names.ts'
import { makeOnce, removeOnce } from './removal.ts'

/** What names end in, as a capability. Search domains of guests complete it by the domain of the cluster. */
export const networkDomainOf = ({ guests, namespaceOf }: Names): string =>
  `${guests}.${namespaceOf('{id}')}.svc`

/** A name and one of the addresses that it means. */
export interface NamedAddress {
  name: string
  address: string
}

/** What all names mean that have a living guest, in an order that stays. */
export const namedAddresses = (
  names: Readonly<Record<string, readonly string[]>>,
  addresses: ReadonlyMap<string, string>,
): NamedAddress[] =>
  Object.keys(names)
    .sort()
    .flatMap((name) =>
      [...new Set(names[name])]
        .flatMap((id) => addresses.get(id) ?? [])
        .sort()
        .map((address) => ({ name, address })),
    )

/** The API server takes no more in one. */
const mostEndpoints = 1000

export interface WantedSlice {
  name: string
  addressType: EndpointSlice['addressType']
  endpoints: NonNullable<EndpointSlice['endpoints']>
}

export function slicesOf(service: string, all: readonly NamedAddress[]): WantedSlice[] {
  const slices: WantedSlice[] = []
  for (const addressType of ['IPv4', 'IPv6'] as const) {
    const some = all.filter(({ address }) => isIPv4(address) === (addressType === 'IPv4'))
    for (let first = 0; first < some.length; first += mostEndpoints)
      slices.push({
        name: `${service}-${addressType.toLowerCase()}-${first / mostEndpoints}`,
        addressType,
        endpoints: some.slice(first, first + mostEndpoints).map(({ name, address }) => ({
          addresses: [address],
          hostname: name,
          conditions: { ready: true },
        })),
      })
  }
  return slices
}

/** Controllers of Kubernetes leave alone what is managed by somebody else. */
const managedBy = { 'endpointslice.kubernetes.io/managed-by': 'slipway.org' }

export function makeGuestNames(ground: Pick<Ground, 'client' | 'mirror' | 'names'>) {
  const { client, mirror, names } = ground
  const service = names.guests

  async function keepService(projectId: string): Promise<boolean> {
    const at = { namespace: names.namespaceOf(projectId), name: service }
    const seen = mirror.services.get(keyOf(at))
    if (seen?.isHeadless) return false
    // What a Service is cannot be changed.
    if (seen) await removeOnce(ground, kinds.services, at)
    const labels = names.labels('project', projectId, projectId)
    const made = await makeOnce(ground, kinds.services, at.namespace, {
      kind: 'Service',
      metadata: { name: at.name, labels },
      spec: { clusterIP: 'None' },
    })
    mirror.services.observe(made)
    return true
  }

  async function keepSlice(
    projectId: string,
    { name, addressType, endpoints }: WantedSlice,
  ): Promise<boolean> {
    const at = { namespace: names.namespaceOf(projectId), name }
    const labels = {
      ...names.labels('project', projectId, projectId),
      ...managedBy,
      [serviceLabel]: service,
    }
    const isRight = (seen: Pick<MirroredEndpointSlice, 'service' | 'endpoints'> | null) =>
      seen?.service === service && seen.endpoints === endpointsText(endpoints)
    const seen = mirror.endpointSlices.get(keyOf(at))
    if (isRight(seen)) return false
    if (!seen) {
      const made = await makeOnce(ground, kinds.endpointSlices, at.namespace, {
        kind: 'EndpointSlice',
        metadata: { name, labels },
        addressType,
        endpoints,
      })
      mirror.endpointSlices.observe(made)
      const { metadata } = made
      if (isRight({ service: serviceOfSlice(metadata.labels), endpoints: endpointsText(made.endpoints) }))
        return true
    }
    mirror.endpointSlices.observe(
      await client.merge(kinds.endpointSlices, at, { metadata: { labels }, endpoints }),
    )
    return true
  }

  async function removeOthers(projectId: string, wanted: readonly WantedSlice[]): Promise<void> {
    const there = mirror.endpointSlices.by('id', projectId)
    for (const { namespace, name } of there)
      if (!wanted.some((slice) => slice.name === name))
        await removeOnce(ground, kinds.endpointSlices, { namespace, name })
  }

  return {
    /** @returns whether something was made or changed */
    async keep(projectId: string, all: readonly NamedAddress[]): Promise<boolean> {
      const wanted = slicesOf(service, all)
      let changed = await keepService(projectId)
      for (const slice of wanted) if (await keepSlice(projectId, slice)) changed = true
      await removeOthers(projectId, wanted)
      return changed
    },

    /** For projects that have networks no more. */
    async remove(projectId: string): Promise<void> {
      for (const { namespace, name } of mirror.services.by('id', projectId))
        await removeOnce(ground, kinds.services, { namespace, name })
      await removeOthers(projectId, [])
    },
  }
}

export type GuestNames = ReturnType<typeof makeGuestNames>
