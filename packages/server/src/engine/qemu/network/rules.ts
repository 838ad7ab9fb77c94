/**
 * What guests may do, as nft reads it: pure texts. Each replaces its table in one step.
 *
 * Inside (the namespace of all project networks) two tables: `bridge` judges every frame that comes out of a guest, so
 * that nobody takes another's address; `inet` judges what leaves a project. They alone protect the host, its networks
 * and other projects, and nothing that is done to the rules of the host opens them. On the host a third one translates
 * addresses, and says it once more.
 */

import { type Range, rangeText } from '../../../lib/address-range.ts'
import { specialRangesV4 } from '../../../lib/public-hosts.ts'
import { FORWARDER_PORT } from './names.ts'
import { partOf, uplinkOf } from './space.ts'
import { replaced } from './table.ts'

/** A guest's port of the bridge of its project. */
export interface Port {
  /** The name of its tap. */
  tap: string
  mac: string
  ip: string
}

/** What the rules have to know of a project. */
export interface RuledNetwork {
  bridge: string
  index: number
  internet: boolean
  ports: readonly Port[]
}

/** Both ends of the way out have this name in the namespace. */
export const UPLINK = 'uplink'
const TABLE = 'slipway'

const elements = (all: readonly string[]): string =>
  all.length > 0 ? ` elements = { ${all.join(', ')} }` : ''

/**
 * Frames of guests. A guest speaks with its own MAC and its own address only, as far as ARP and IPv4 go; everything else
 * (IPv6, VLANs, spanning tree) is dropped, offers of addresses and answers to names that are asked to everybody are the
 * gateway's alone, and nobody floods the others.
 */
export function frameRules(networks: readonly RuledNetwork[]): string {
  const ports = networks.flatMap((network) => network.ports)
  return replaced(`bridge ${TABLE}`, [
    `set ports { type ifname . ether_addr;${elements(ports.map(({ tap, mac }) => `"${tap}" . ${mac}`))} }`,
    `set members { type ifname . ether_addr . ipv4_addr;${elements(
      ports.map(({ tap, mac, ip }) => `"${tap}" . ${mac} . ${ip}`),
    )} }`,
    'set floods { type ifname; size 2048; flags dynamic,timeout; timeout 1m; }',
    'chain prerouting {',
    '  type filter hook prerouting priority -300; policy drop;',
    '  iifname . ether saddr != @ports counter drop',
    '  meta pkttype { broadcast, multicast } add @floods { iifname limit rate over 200/second burst 400 packets } counter drop',
    '  ether type arp arp htype 1 arp ptype ip iifname . arp saddr ether . arp saddr ip @members accept',
    // A guest asks whether anybody has an address before it takes it (RFC 5227).
    '  ether type arp arp htype 1 arp ptype ip arp operation request arp saddr ip 0.0.0.0 iifname . arp saddr ether @ports accept',
    '  ether type ip ip saddr 0.0.0.0 ip daddr 255.255.255.255 udp sport 68 udp dport 67 accept',
    '  ether type ip iifname . ether saddr . ip saddr @members jump packets',
    '  counter drop',
    '}',
    'chain packets {',
    // DHCP, and names by NetBIOS, mDNS and LLMNR: whoever answers first would be believed.
    '  udp sport 67 counter drop',
    '  udp dport { 137, 138, 5353, 5355 } counter drop',
    '  udp sport { 137, 138, 5353, 5355 } counter drop',
    '  accept',
    '}',
  ])
}

/** What leaves a project, or asks its gateway. */
export function packetRules(
  space: Range,
  networks: readonly RuledNetwork[],
  hostAddresses: readonly string[],
): string {
  const uplink = uplinkOf(space)
  const quoted = (all: readonly RuledNetwork[]) => elements(all.map(({ bridge }) => `"${bridge}"`))
  const gateways = networks.map(({ bridge, index }) => `"${bridge}" . ${partOf(space, index).gateway}`)
  return replaced(`inet ${TABLE}`, [
    `set bridges { type ifname;${quoted(networks)} }`,
    `set online { type ifname;${quoted(networks.filter(({ internet }) => internet))} }`,
    `set within { type ifname . ifname;${elements(networks.map(({ bridge }) => `"${bridge}" . "${bridge}"`))} }`,
    `set gateways { type ifname . ipv4_addr;${elements(gateways)} }`,
    `set private { type ipv4_addr; flags interval;${elements(specialRangesV4.map(([net, bits]) => `${net}/${bits}`))} }`,
    // Those of them that are public.
    `set host { type ipv4_addr;${elements(hostAddresses)} }`,
    'chain refuse {',
    '  counter',
    '  meta l4proto tcp reject with tcp reset',
    '  reject with icmpx admin-prohibited',
    '}',
    'chain input {',
    '  type filter hook input priority 0; policy drop;',
    '  ct state established,related accept',
    '  iifname @bridges udp sport 68 udp dport 67 accept',
    '  iifname . ip daddr @gateways meta l4proto { tcp, udp } th dport 53 accept',
    '  iifname . ip daddr @gateways icmp type echo-request accept',
    '  iifname @bridges meta pkttype unicast goto refuse',
    '  counter drop',
    '}',
    'chain forward {',
    '  type filter hook forward priority 0; policy drop;',
    '  tcp flags syn tcp option maxseg size set rt mtu',
    '  ct state established,related accept',
    // Within a project nothing is forwarded but by a host that has bridged packets judged here (br_netfilter).
    '  iifname . oifname @within accept',
    `  iifname "${UPLINK}" ip saddr ${uplink.host} oifname @bridges accept`,
    `  iifname @online oifname "${UPLINK}" ip daddr != @private ip daddr != @host accept`,
    '  iifname @bridges goto refuse',
    '  counter drop',
    '}',
  ])
}

/** Inside, where the way out is a program that knows one address only: that of the link to it. */
export const translationRules = (): string =>
  replaced(`inet ${TABLE}_out`, [
    'chain postrouting {',
    '  type nat hook postrouting priority 100; policy accept;',
    `  oifname "${UPLINK}" masquerade`,
    '}',
  ])

/** The table of an installation on the host, by the name of its namespace. */
export const hostTable = (name: string): string => name.replaceAll('-', '_')

/** The hashes that such tables are named by, in what `nft list tables` prints. */
export const hashesOfTables = (listing: string): string[] =>
  [...listing.matchAll(/^table inet slipway_([0-9a-f]{8})$/gm)].map(([, hash = '']) => hash)

/** What the host's ends of all ways out are called. */
export const HOST_LINK = 'sw-'

/**
 * On the host: guests get to the Internet under its address, and to nothing else of it but its forwarder of names. It
 * lets be what goes through the way out of another installation, which has a table of its own: one that was left behind
 * would otherwise keep all from whoever takes its range next.
 */
export function hostRules(name: string, link: string, space: Range): string {
  const uplink = uplinkOf(space)
  const internal = specialRangesV4.map(([net, bits]) => `${net}/${bits}`).join(', ')
  return replaced(`inet ${hostTable(name)}`, [
    'chain input {',
    '  type filter hook input priority 0; policy accept;',
    // The address is the host's for whoever asks, and only guests' name servers may.
    `  iifname != "lo" iifname != "${HOST_LINK}*" ip daddr ${uplink.host} counter drop`,
    `  iifname != "${link}" return`,
    '  ct state established,related accept',
    `  ip saddr ${uplink.inside} ip daddr ${uplink.host} meta l4proto { tcp, udp } th dport ${FORWARDER_PORT} accept`,
    '  meta l4proto tcp counter reject with tcp reset',
    '  counter drop',
    '}',
    'chain forward {',
    '  type filter hook forward priority 0; policy accept;',
    `  iifname "${link}" goto out`,
    `  oifname "${link}" goto in`,
    '}',
    'chain out {',
    '  ct state established,related accept',
    `  ip daddr { ${internal} } counter drop`,
    `  ip saddr ${rangeText(space)} accept`,
    '  counter drop',
    '}',
    'chain in {',
    '  ct state established,related accept',
    '  counter drop',
    '}',
    'chain postrouting {',
    '  type nat hook postrouting priority 100; policy accept;',
    `  ip saddr ${rangeText(space)} oifname != "${HOST_LINK}*" masquerade`,
    '}',
  ])
}
