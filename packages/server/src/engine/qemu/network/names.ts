/** What dnsmasq is told: leases and names of one project, and the forwarder on the host. Pure texts; man page dnsmasq(8). */

import { join } from 'node:path'
import { dotted, type Range } from '../../../lib/address-range.ts'
import type { NetworkSpec } from '../../engine.ts'
import { addressIn, partOf, partsOf, uplinkOf } from './space.ts'

const common = ['no-hosts', 'no-poll', 'domain-needed', 'bogus-priv', 'bind-interfaces']

/**
 * Questions that a project's name server asks elsewhere at a time. A name server that does not answer keeps a place for ten
 * seconds, so one project would use up those that all share.
 */
const QUESTIONS_OF_PROJECT = 30
/** Those of all projects in the usual range, and some; each takes a few hundred bytes while it is open. */
const QUESTIONS_OF_ALL = 10_000

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

/**
 * The settings of a project's dnsmasq: it has to be started anew when they change.
 *
 * @param by.user whom it drops to, who owns nothing and reads what is open to all; null where there is nobody else
 * @param by.resolver whom it asks for names of the Internet
 */
export function settingsOf(
  space: Range,
  { index, bridge, spec }: NamedNetwork,
  file: FileNames,
  by: { user: string | null; resolver: string },
): string {
  const { range, gateway, netmask } = partOf(space, index)
  const lines = [
    ...common,
    // Nothing behind the name: it stays who it is, and asks the kernel for nothing that is refused there.
    ...(by.user === null ? ['user=', 'group='] : [`user=${by.user}`]),
    `interface=${bridge}`,
    'except-interface=lo',
    'no-resolv',
    'no-ping',
    'leasefile-ro',
    'dhcp-authoritative',
    `dhcp-range=${dotted(range.first)},static,${netmask},12h`,
    `dhcp-option=option:router,${gateway}`,
    `dhcp-option=option:dns-server,${gateway}`,
    `dhcp-option=option:domain-search,${domainOf(spec)}`,
    `domain=${domainOf(spec)}`,
    'local=/internal/',
    // Names of the Internet are a way out as well.
    ...(spec.internet ? [`server=${by.resolver}`] : []),
    `dns-forward-max=${QUESTIONS_OF_PROJECT}`,
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
    'user=nobody',
    `listen-address=${uplinkOf(space).host}`,
    `port=${FORWARDER_PORT}`,
    'cache-size=1000',
    `dns-forward-max=${Math.min(QUESTIONS_OF_ALL, QUESTIONS_OF_PROJECT * partsOf(space))}`,
    `pid-file=${file.pid}`,
  ].join('\n')}\n`

export const FORWARDER = 'forwarder'

export const fileNamesIn = (directory: string, name: string): FileNames => ({
  settings: join(directory, `${name}.conf`),
  names: join(directory, `${name}.names`),
  leases: join(directory, `${name}.leases`),
  pid: join(directory, `${name}.pid`),
})

export interface FileNames {
  settings: string
  names: string
  leases: string
  pid: string
}

/** What the names of a network end in. */
export const domainOf = ({ label }: Pick<NetworkSpec, 'label'>): string => `${label}.internal`

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
      const all = names.flatMap((name) => [`${name}.${domainOf(spec)}`, name])
      return `${addressIn(space, index, place)} ${all.join(' ')}\n`
    })
    .join('')
}

export const leasesText = (space: Range, { index, machines }: NamedNetwork): string =>
  machines.map(({ mac, place }) => `${mac},${addressIn(space, index, place)}\n`).join('')
