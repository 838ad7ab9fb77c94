import { type Range, rangeText } from '../../../lib/address-range.ts'
import type { Namespace } from './namespace.ts'
import { UPLINK } from './rules.ts'
import { uplinkOf } from './space.ts'
import { SpaceTakenError } from './space-taken.ts'

/** Both ends know each other by these; nobody else is on that line. */
const HOST_MAC = '52:54:00:5c:00:01'
const INSIDE_MAC = '52:54:00:5c:00:02'

/**
 * Sees to it that a way leads out of the namespace. The first step that is missing is the first that is done again: it
 * may have ended anywhere.
 *
 * @returns whether something was missing
 */
export async function ensureUplink(namespace: Namespace, space: Range): Promise<boolean> {
  const { link, inside, outside } = namespace
  const end = uplinkOf(space)
  if (await stands(namespace, space)) return false
  // Whatever is left of it is half of it.
  await outside('ip', ['link', 'delete', link]).catch(() => {})
  const inner = ['name', UPLINK, 'address', INSIDE_MAC, 'netns', namespace.name]
  await outside('ip', ['link', 'add', link, 'address', HOST_MAC, 'type', 'veth', 'peer', ...inner])
  // Nothing but IPv4 is spoken in there, and the host says nothing else into it.
  await inside('sh', [
    '-c',
    setting({ 'ipv6/conf/all/disable_ipv6': 1, 'ipv4/ip_forward': 1, 'ipv4/conf/all/rp_filter': 1 }),
  ])
  await outside('sh', ['-c', setting({ [`ipv6/conf/${link}/disable_ipv6`]: 1, 'ipv4/ip_forward': 1 })])
  await inside(
    'ip',
    ['-batch', '-'],
    [
      'link set lo up',
      `address add ${end.inside}/${end.prefix} dev ${UPLINK}`,
      `link set ${UPLINK} up mtu ${await mtuOut(namespace)}`,
      `neighbour replace ${end.host} lladdr ${HOST_MAC} dev ${UPLINK} nud permanent`,
      `route replace default via ${end.host}`,
    ].join('\n'),
  )
  await outside('ip', ['link', 'set', link, 'up'])
  // A route makes the address the host's own, and no address comes or goes: browsers on the host take that for another
  // network, and end what they are loading.
  const own = ['local', end.host, 'dev', link]
  const neighbour = [end.inside, 'lladdr', INSIDE_MAC, 'dev', link, 'nud', 'permanent']
  const way = [rangeText(space), 'via', end.inside, 'dev', link, 'onlink', 'src', end.host]
  try {
    await outside('ip', ['route', 'add', ...own])
    await outside('ip', ['neighbour', 'replace', ...neighbour])
    await outside('ip', ['route', 'add', ...way])
  } catch (cause) {
    // Another installation on this host took the same range in this very moment.
    throw new SpaceTakenError(cause)
  }
  return true
}

/** The way out is whole when the last step of making it was done. */
async function stands({ outside, link }: Namespace, space: Range): Promise<boolean> {
  const route = ['-4', 'route', 'show', rangeText(space), 'dev', link]
  return (await outside('ip', route).catch(() => '')).includes(uplinkOf(space).inside)
}

/** How large packets may be on the host's way to the Internet. */
async function mtuOut({ outside }: Namespace): Promise<number> {
  const route = await outside('ip', ['-4', 'route', 'show', 'default']).catch(() => '')
  const device = /\bdev (\S+)/.exec(route)?.[1]
  const shown = device ? await outside('ip', ['link', 'show', device]).catch(() => '') : ''
  return Number(/\bmtu (\d+)/.exec(shown)?.[1] ?? 1500)
}

const setting = (values: Record<string, number>): string =>
  Object.entries(values)
    .map(([name, value]) => `[ ! -e /proc/sys/net/${name} ] || echo ${value} > /proc/sys/net/${name}`)
    .join(' && ')
