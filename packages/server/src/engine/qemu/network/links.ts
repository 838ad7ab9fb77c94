/** Which bridges and taps there are, and what makes them those that there should be: pure. */
import { z } from 'zod'

/** An interface in the namespace. */
export interface Link {
  name: string
  isUp: boolean
  /** Something is at its other end: of a tap, a QEMU. */
  isUsed: boolean
  bridge: string | null
  /** Such as `10.80.0.1/22`. */
  addresses: readonly string[]
}

export interface WantedBridge {
  name: string
  address: string
  taps: readonly string[]
}

const Listed = z.array(
  z.object({
    ifname: z.string().optional(),
    flags: z.array(z.string()).optional(),
    master: z.string().optional(),
    addr_info: z
      .array(z.object({ local: z.string().optional(), prefixlen: z.number().optional() }))
      .optional(),
  }),
)

/** What `ip -json address show` printed. */
export function readLinks(json: string): Link[] {
  return Listed.parse(JSON.parse(json || '[]')).flatMap((one) =>
    one.ifname === undefined
      ? []
      : [
          {
            name: one.ifname,
            isUp: one.flags?.includes('UP') ?? false,
            isUsed: one.flags?.includes('LOWER_UP') ?? false,
            bridge: one.master ?? null,
            addresses: (one.addr_info ?? []).flatMap(({ local, prefixlen }) =>
              local === undefined ? [] : [`${local}/${prefixlen}`],
            ),
          },
        ],
  )
}

/** Whether a name is that of the bridge of a project. */
export const isBridge = (name: string) => /^p\d+$/.test(name)
const tapName = /^t(\d+)-(\d+)$/
export const bridgeOf = (index: number): string => `p${index}`
export const tapOf = (index: number, place: number): string => `t${index}-${place}`

/** The name of a tap of the reserve: of a guest that no project has yet. It is not up, so nothing passes it. */
export const spareTapOf = (machineId: string): string => `r${machineId.slice(-12)}`
const isSpareTap = (name: string) => /^r[0-9a-f]{12}$/.test(name)

/** Project and place of a tap. */
export function placeOfTap(name: string): { index: number; place: number } | null {
  const found = tapName.exec(name)
  return found && { index: Number(found[1]), place: Number(found[2]) }
}

/**
 * Commands for `ip -batch`, none when all is as it should be. A tap that a guest has is never removed, whoever wants it:
 * a guest that does not answer now keeps its network.
 */
export function linkCommands(
  seen: readonly Link[],
  wanted: readonly WantedBridge[],
  spares: readonly string[] = [],
): string[] {
  const there = new Map(seen.map((link) => [link.name, link]))
  const commands: string[] = []
  for (const { name, address, taps } of wanted) {
    const bridge = there.get(name)
    if (!bridge) commands.push(`link add ${name} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`)
    if (!bridge?.addresses.includes(address)) {
      if (bridge) commands.push(`address flush dev ${name}`)
      commands.push(`address add ${address} dev ${name}`)
    }
    if (!bridge?.isUp) commands.push(`link set ${name} up`)
    for (const tap of taps) {
      const link = there.get(tap)
      if (!link) commands.push(`tuntap add dev ${tap} mode tap`)
      if (link?.bridge !== name) commands.push(`link set ${tap} master ${name}`)
      if (!link?.isUp) commands.push(`link set ${tap} up`)
    }
  }
  for (const tap of spares) if (!there.has(tap)) commands.push(`tuntap add dev ${tap} mode tap`)
  const kept = new Set(wanted.flatMap(({ name, taps }) => [name, ...taps]))
  for (const { name, isUsed, bridge } of seen) {
    if (kept.has(name)) continue
    if (placeOfTap(name) && isUsed && bridge !== null) kept.add(bridge)
    else if (placeOfTap(name) && !isUsed) commands.push(`link delete ${name}`)
    else if (isSpareTap(name) && !spares.includes(name)) commands.push(`link delete ${name}`)
  }
  for (const { name } of seen) if (isBridge(name) && !kept.has(name)) commands.push(`link delete ${name}`)
  return commands
}
