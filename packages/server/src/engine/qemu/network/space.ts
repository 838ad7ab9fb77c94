/**
 * The addresses of all project networks of an installation: one range, cut into equal parts. A bridge of Linux has at
 * most 1,024 ports, and so many addresses has a part.
 */
import { dotted, overlap, parseRange, type Range, rangeText } from '../../../lib/address-range.ts'
import { EngineError } from '../../engine.ts'

const PART_PREFIX = 22
const PART_SIZE = 2 ** (32 - PART_PREFIX)
/** The first address names the network, the second is the gateway's, the last is for everybody. */
const FIRST_PLACE = 2
export const LAST_PLACE = PART_SIZE - 2

/**
 * Ranges that are tried when the operator names none, in this order: what few others use of the private addresses
 * (RFC 1918). Clusters like 10.96.0.0/12 and 10.244.0.0/16, containers 172.17.0.0/16, home networks 192.168.0.0/16.
 */
const usual: readonly Range[] = [80, 84, 88, 92, 64, 68, 72, 76, 112, 116, 120, 124, 144, 148, 152, 156, 160]
  .concat([164, 168, 172, 176, 180, 184, 188])
  .map((second) => ({ first: (10 * 256 + second) * 65_536, prefix: 14 }))

/** The first usual range that nothing this host has a route to lies in; null when there is none. */
export const freeRange = (routes: readonly Range[]): Range | null =>
  usual.find((range) => !routes.some((route) => overlap(range, route))) ?? null

/**
 * The range that projects get their networks from: the operator's, or the first usual one that is free. Without a route
 * and in use all the same are those that turned out to be `contested`.
 *
 * @param taken what the host has routes to
 */
export function chooseSpace(
  taken: readonly Range[],
  wish: { named: Range | null; usedSoFar: Range | null; contested: readonly Range[] },
): Range {
  const { named, usedSoFar, contested } = wish
  const routes = [...taken, ...(named === null ? contested : [])]
  const isFree = (range: Range) => !routes.some((route) => overlap(route, range))
  if (named !== null) {
    if (isFree(named)) return named
    throw new EngineError(
      'internal',
      `This host has other routes into ${rangeText(named)}. Set SLIPWAY_NETWORK to a range that nothing uses.`,
      { retryable: true },
    )
  }
  const space = usedSoFar !== null && isFree(usedSoFar) ? usedSoFar : freeRange(routes)
  if (space) return space
  throw new EngineError(
    'internal',
    'This host has routes into every range that project networks usually take. Set SLIPWAY_NETWORK to a range of private addresses that nothing uses.',
    { retryable: true },
  )
}

/** How many projects have room; the last part is for the way out. */
export const partsOf = (space: Range): number => 2 ** (PART_PREFIX - space.prefix) - 1

/** The network of the project with this number. */
export function partOf(space: Range, index: number) {
  const first = space.first + index * PART_SIZE
  return { range: { first, prefix: PART_PREFIX }, gateway: dotted(first + 1), netmask: '255.255.252.0' }
}

/** What the machine at an address of a part is told beside it. */
export function aroundOf(ip: string) {
  const range = parseRange(ip)
  if (!range) throw new Error('An address of a guest is none')
  return partOf({ first: range.first - (range.first % PART_SIZE), prefix: PART_PREFIX }, 0)
}

/** The address of a place in it. */
export const addressIn = (space: Range, index: number, place: number): string =>
  dotted(space.first + index * PART_SIZE + place)

/** Both ends of the way out, and of what the host has to do with guests. */
export function uplinkOf(space: Range) {
  const first = space.first + partsOf(space) * PART_SIZE
  return { host: dotted(first + 1), inside: dotted(first + 2), prefix: 30 }
}

/** The place that a number leads to. */
export const placeAfter = (wish: number): number => FIRST_PLACE + (wish % (LAST_PLACE - FIRST_PLACE + 1))

/** A place that is free, starting where `wish` leads, so that one is not given again as soon as its VM is gone. */
export function freePlace(wish: number, taken: ReadonlySet<number>): number | null {
  const places = LAST_PLACE - FIRST_PLACE + 1
  for (let step = 0; step < places; step += 1) {
    const place = placeAfter(wish + step)
    if (!taken.has(place)) return place
  }
  return null
}
