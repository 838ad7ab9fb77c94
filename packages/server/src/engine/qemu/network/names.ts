/** What dnsmasq is told: leases and names of one project, and the forwarder on the host. Pure texts; man page dnsmasq(8). */

import { dotted, type Range } from '../../../lib/address-range.ts'
import type { NetworkSpec } from '../../engine.ts'
import { addressIn, partOf, uplinkOf } from './space.ts'

/** Who serves a network drops to this user, which owns nothing; what it reads is open to it. */
const common = ['user=nobody', 'no-hosts', 'no-poll', 'domain-needed', 'bogus-priv', 'bind-interfaces']

/** Port 53 may be taken on all addresses of the host, by a name server of its own. */
export const FORWARDER_PORT = 10_053

export interface NamedNetwork {
  index: number
  bridge: string
  spec: NetworkSpec
  /** MAC and place of those that may ask for an address. */
  machines: readonly { id: string; mac: string; place: number }[]
  /** Places of all machines of the project, running or not, by id. */
  places: ReadonlyMap<string, number>
}

/** The settings of a project's dnsmasq: it has to be started anew when they change. */
export function settingsOf(space: Range, { index, bridge, spec }: NamedNetwork, file: FileNames): string {
  const { range, gateway, netmask } = partOf(space, index)
  const lines = [
    ...common,
    `interface=${bridge}`,
    'except-interface=lo',
    'no-resolv',
    'no-ping',
    'leasefile-ro',
    'dhcp-authoritative',
    `dhcp-range=${dotted(range.first)},static,${netmask},12h`,
    `dhcp-option=option:router,${gateway}`,
    `dhcp-option=option:dns-server,${gateway}`,
    `dhcp-option=option:domain-search,${spec.label}.internal`,
    `domain=${spec.label}.internal`,
    'local=/internal/',
    // Names of the Internet are a way out as well.
    ...(spec.internet ? [`server=${uplinkOf(space).host}#${FORWARDER_PORT}`] : []),
    `addn-hosts=${file.names}`,
    `dhcp-hostsfile=${file.leases}`,
    `pid-file=${file.pid}`,
  ]
  return `${lines.join('\n')}\n`
}

/** The settings of the forwarder on the host, which asks whomever the host asks. */
export const forwarderSettings = (space: Range, file: Pick<FileNames, 'pid'>): string =>
  `${[
    ...common.filter((line) => line !== 'no-poll'),
    `listen-address=${uplinkOf(space).host}`,
    `port=${FORWARDER_PORT}`,
    'cache-size=1000',
    `pid-file=${file.pid}`,
  ].join('\n')}\n`

export interface FileNames {
  settings: string
  names: string
  leases: string
  pid: string
}

/** One line for each address: every name of it, with the network's domain and without. */
export function namesText(space: Range, { index, spec, places }: NamedNetwork): string {
  const namesOf = new Map<number, string[]>()
  for (const [name, ids] of Object.entries(spec.names))
    for (const id of ids) {
      const place = places.get(id)
      if (place !== undefined) namesOf.set(place, [...(namesOf.get(place) ?? []), name])
    }
  return [...namesOf]
    .map(([place, names]) => {
      const all = names.flatMap((name) => [`${name}.${spec.label}.internal`, name])
      return `${addressIn(space, index, place)} ${all.join(' ')}\n`
    })
    .join('')
}

export const leasesText = (space: Range, { index, machines }: NamedNetwork): string =>
  machines.map(({ mac, place }) => `${mac},${addressIn(space, index, place)}\n`).join('')
