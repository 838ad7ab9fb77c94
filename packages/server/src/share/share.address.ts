/** Where shared ports are: by name below a domain, or at a port of the host. */
import { hostnameOf, projectLabelOf } from '@slipway/contract'
import type { PortRange, ShareRecord, ShareWays } from './share.state.ts'

/** Of a label in the DNS (RFC 1035). */
const longest = 63

/**
 * What the name of a share begins with, such as `web-shop-3000`; with a suffix where another one is called so. Names that
 * are too long lose the end of the VM and of the project, never the port.
 */
export function labelOf(
  { vm, project, port }: { vm: string; project: string; port: number },
  suffix: string | null,
): string {
  const tail = suffix === null ? `${port}` : `${port}-${suffix}`
  const room = longest - tail.length - 1
  const both = `${hostnameOf(vm)}-${projectLabelOf(project)}`
  return `${both.slice(0, room).replace(/-+$/, '')}-${tail}`
}

/** The label of a share that a `Host` header names; null when it is no name directly below the domain. */
export function labelIn(host: string | undefined, domain: string): string | null {
  const name = (host ?? '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (!name.endsWith(`.${domain}`)) return null
  const label = name.slice(0, -domain.length - 1)
  return /^[a-z0-9-]{1,63}$/.test(label) ? label : ''
}

/** Whether a share has an address as things are set now. */
export const isReachable = (share: Pick<ShareRecord, 'kind' | 'hostPort'>, ways: ShareWays): boolean =>
  share.kind === 'http' && ways.domain !== null
    ? true
    : share.hostPort !== null && isIn(share.hostPort, share.kind === 'http' ? ways.httpPorts : ways.tcpPorts)

export const isIn = (port: number, range: PortRange | null): boolean =>
  range !== null && port >= range.first && port <= range.last

/** What a link holds beside the address. */
export const linkOf = (share: Pick<ShareRecord, 'audience' | 'kind' | 'secret'>): string =>
  share.audience === 'link' && share.kind === 'http' ? `?slipway=${share.secret}` : ''

/** Where the console is. */
interface Place {
  publicUrl: URL | null
  /** Where the server answers, without a slash at the end. */
  ownUrl: string
}

/**
 * The origin of a share of HTTP; null while it has none. `host` is what somebody came by, as the header has it, and
 * says by which name of the host a port of it is reached where there is no public URL.
 */
export function originOf(
  share: Pick<ShareRecord, 'kind' | 'hostPort' | 'label'>,
  ways: ShareWays,
  { publicUrl }: Place,
  host: string | undefined,
): string | null {
  if (share.kind !== 'http' || !isReachable(share, ways)) return null
  const { protocol, port } = publicUrl ?? { protocol: 'http:', port: '' }
  if (ways.domain !== null) return `${protocol}//${share.label}.${ways.domain}${port && `:${port}`}`
  return `${protocol}//${publicUrl?.hostname ?? withoutPort(host ?? '')}:${share.hostPort}`
}

/** The origin of the console, for somebody who came to a share by that host. */
export function consoleOf({ publicUrl, ownUrl }: Place, host: string | undefined): string {
  if (publicUrl) return publicUrl.origin
  const own = new URL(ownUrl)
  return `${own.protocol}//${withoutPort(host ?? '') || own.hostname}${own.port && `:${own.port}`}`
}

const withoutPort = (host: string): string => host.replace(/:\d{1,5}$/, '')

/**
 * The address of a share as people read it. Without a public URL the host is missing, because people may reach it by
 * several names.
 */
export function addressOf(share: ShareRecord, ways: ShareWays, place: Place): string {
  if (!isReachable(share, ways)) return ''
  if (share.kind === 'tcp') return `${place.publicUrl?.hostname ?? ''}:${share.hostPort}`
  const isOfHost = ways.domain === null && place.publicUrl === null
  const origin = isOfHost ? `:${share.hostPort}` : originOf(share, ways, place, undefined)
  return `${origin}/${linkOf(share)}`
}

/** The ports of a range in the order in which they are given out: those behind the one given out last come first. */
export function portsFrom(range: PortRange, last: number | null): number[] {
  const all = Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i)
  const begin = last === null ? 0 : all.indexOf(last) + 1
  return [...all.slice(begin), ...all.slice(0, begin)]
}
