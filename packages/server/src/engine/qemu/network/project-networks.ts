import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import type { Range } from '../../../lib/address-range.ts'
import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import { EngineError, type NetworkSpec } from '../../engine.ts'
import type { Ground } from './ground.ts'
import {
  type GuestLimitSettings,
  guestLimits,
  LIMITS_TABLE,
  limitRules,
  readRefused,
  trackedMost,
} from './guest-limits.ts'
import { addressesOfHost } from './host-addresses.ts'
import {
  bridgeOf,
  isBridge,
  type Link,
  linkCommands,
  placeOfTap,
  readLinks,
  spareTapOf,
  tapOf,
} from './links.ts'
import { makeNameServer, type NameServer } from './name-server.ts'
import { domainOf, fileNamesIn, leasesText, type NamedNetwork, namesText, settingsOf } from './names.ts'
import { makeNetworkBook, wishedPlace } from './network-book.ts'
import type { Plug } from './plug.ts'
import { frameRules, packetRules, type RuledNetwork } from './rules.ts'
import { addressIn, chooseSpace, partOf } from './space.ts'
import { SpaceTakenError } from './space-taken.ts'
import { makeTable } from './table.ts'

/**
 * The private networks of all projects, by bridges and taps in one namespace. `settle` compares what the book says
 * (`network-book.ts`) with what there is, and does what is missing; it is called when something changed and every few
 * seconds, and nothing else changes anything.
 */
export function makeProjectNetworks(deps: {
  dataDir: string
  ground: Ground
  /** The operator's range; null takes one that is free. */
  named: Range | null
  /** Machines whose guest lives, as far as this engine knows. */
  living: () => Iterable<string>
  /** Whether there is such a machine. */
  isMade: (machineId: string) => Promise<boolean>
  /** Whether this host has them; else nothing is kept or done. */
  isOn: () => boolean
  limits: GuestLimitSettings
  log: Pick<Log, 'warn' | 'error'>
}) {
  const { dataDir, ground, named, living, isMade, isOn, log } = deps
  const book = makeNetworkBook({ dataDir, isMade, log })
  /** Machines that are about to have a guest. */
  const joining = new Set<string>()
  /** Taps of guests that no project has yet. */
  const spares = new Set<string>()
  const servers = new Map<string, NameServer>()
  /** Ranges that others turned out to use. */
  const contested: Range[] = []
  /** Why names and addresses of a network are not served now. */
  const failures = new Map<string, unknown>()

  const frames = makeTable((args, input) => ground.inside('nft', args, input), 'bridge slipway')
  const packets = makeTable((args, input) => ground.inside('nft', args, input), 'inet slipway')
  const limits = makeTable((args, input) => ground.inside('nft', args, input), LIMITS_TABLE)

  async function theSpace(): Promise<Range> {
    return book.range() ?? takeSpace()
  }

  /** While no guest has an address of it, the range can be another one: of a new setting, or because it is in use now. */
  async function takeSpace(): Promise<Range> {
    const taken = chooseSpace(await ground.takenRanges(), { named, usedSoFar: book.range(), contested })
    await book.useRange(taken)
    return taken
  }

  function serverOf(name: string): NameServer {
    const known = servers.get(name)
    if (known) return known
    const server = makeNameServer(fileNamesIn(ground.files, name), ground.inside)
    servers.set(name, server)
    return server
  }

  /** The networks that have a guest, with those of their machines that have one. */
  function wantedNetworks(links: readonly Link[]) {
    const alive = new Set([...living(), ...joining])
    // A guest that does not answer now is not known to live, but QEMU has its tap.
    const inUse = new Set(links.filter(({ isUsed }) => isUsed).map(({ name }) => name))
    return [...book.all()].flatMap(([projectId, { index, places, spec }]) => {
      const machines = Object.entries(places)
        .filter(([id, place]) => alive.has(id) || inUse.has(tapOf(index, place)))
        .map(([id, place]) => ({ id, place, mac: macOf(id, place) }))
      if (machines.length === 0) return []
      const told = spec ?? UNTOLD
      const network = { projectId, index, bridge: bridgeOf(index), machines }
      return [{ ...network, spec: told, places: new Map(Object.entries(places)) }]
    })
  }
  type Wanted = ReturnType<typeof wantedNetworks>[number]

  const ruled = (range: Range, { bridge, index, spec, machines }: Wanted): RuledNetwork => ({
    bridge,
    index,
    internet: spec.internet,
    ports: machines.map(({ mac, place }) => ({
      tap: tapOf(index, place),
      mac,
      ip: addressIn(range, index, place),
    })),
  })

  async function linksNow(): Promise<Link[]> {
    return readLinks(await ground.inside('ip', ['-json', 'address', 'show']))
  }

  /** No guest is left: nothing of it has to be. */
  async function dissolve(): Promise<void> {
    servers.clear()
    await ground.remove()
  }

  /** The bridges for which names are served, as files of earlier servers tell. */
  async function servedOnDisk(): Promise<string[]> {
    const files = await readdir(ground.files).catch(() => [])
    return files.map((file) => file.replace(/\.conf$/, '')).filter(isBridge)
  }

  /** @returns what had been removed or ended by somebody else */
  async function settleOnce(): Promise<string[]> {
    await book.open()
    const isThere = await ground.isThere()
    const before = isThere ? await linksNow() : []
    const wanted = wantedNetworks(before)
    if (wanted.length === 0 && spares.size === 0) {
      if (isThere && !hasGuest(before)) await dissolve()
      return []
    }
    const range = isThere ? await theSpace() : await takeSpace()
    const back: string[] = []
    await ground.make()
    if ((await ground.ensureWayOut(range)) && isThere) back.push('the way out')
    const bridges = wanted.map(({ bridge, index, machines }) => ({
      name: bridge,
      address: `${partOf(range, index).gateway}/${partOf(range, index).range.prefix}`,
      taps: machines.map(({ place }) => tapOf(index, place)),
    }))
    // Rules first: a guest whose tap is there finds them in force.
    const all = wanted.map((one) => ruled(range, one))
    const tables = [
      [frames, frameRules(all)],
      [packets, packetRules(range, all, addressesOfHost())],
      [limits, limitRules(guestLimits(deps.limits, await trackedMost()))],
    ] as const
    for (const [table, rules] of tables)
      if ((await table.ensure(rules)) === 'put back') back.push('firewall rules')
    back.push(...(await ground.keepWayOut(range)))
    const commands = linkCommands(isThere ? before : await linksNow(), bridges, [...spares])
    if (commands.length > 0) await ground.inside('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
    failures.clear()
    for (const one of wanted) {
      try {
        if (await serveNames(range, one)) back.push('a name server')
      } catch (error) {
        // One project is no reason for others to wait.
        failures.set(one.projectId, error)
        log.error({ project: one.projectId, err: error }, 'The names of a project are not served')
      }
    }
    const needed = new Set(wanted.map(({ bridge }) => bridge))
    for (const name of new Set([...servers.keys(), ...(await servedOnDisk())])) {
      if (needed.has(name)) continue
      await serverOf(name).remove()
      servers.delete(name)
    }
    return back
  }

  async function serveNames(range: Range, network: NamedNetwork): Promise<boolean> {
    const texts = {
      settings: settingsOf(range, network, fileNamesIn(ground.files, network.bridge), {
        user: ground.user,
        resolver: ground.resolver(range),
      }),
      names: namesText(range, network),
      leases: leasesText(range, network),
    }
    return (await serverOf(network.bridge).ensure(texts)) === 'put back'
  }

  /** One after the other; those that come while one is under way share the next. */
  let next: Promise<string[]> | null = null
  let current: Promise<unknown> = Promise.resolve()
  function settle(): Promise<string[]> {
    if (next) return next
    const mine = current
      .catch(() => {})
      .then(() => {
        next = null
        return settleOnce().catch(async (error: unknown) => {
          const space = book.range()
          if (!(error instanceof SpaceTakenError) || named !== null || space === null) throw error
          // Guests that live have addresses of it.
          if (hasGuest(await linksNow())) throw error
          contested.push(space)
          await dissolve()
          return settleOnce()
        })
      })
    next = mine
    current = mine
    return mine
  }

  const failed = (cause: unknown): EngineError =>
    cause instanceof EngineError
      ? cause
      : new EngineError(
          'internal',
          'The network of the project could not be set up on the host. Run npm run doctor on the host.',
          { retryable: true, cause },
        )

  return {
    /** Reads what is kept, and puts up what is missing for guests that live. */
    async open(): Promise<void> {
      await book.open()
      await settle()
    },

    /** Gives a machine an address in the network of its project, for its life. */
    assign: async (projectId: string, machineId: string): Promise<void> =>
      isOn() ? book.assign(projectId, machineId) : undefined,

    /**
     * Plugs a machine in that is about to start. Throws a retryable `EngineError` when what protects others from it is
     * not in force, or its network cannot be made; it must not start then. `done` is to be called when its guest lives or has
     * failed to.
     */
    async join(machineId: string): Promise<{ plug: Plug; done: () => void }> {
      const its = await book.placeOf(machineId)
      if (its === null)
        throw new EngineError('internal', 'The VM has no address in the network of its project yet.', {
          retryable: true,
        })
      joining.add(machineId)
      try {
        await settle()
        if (failures.has(its.projectId)) throw failures.get(its.projectId)
        const { index, place } = its
        const ip = addressIn(await theSpace(), index, place)
        const { reach } = ground
        const domain = domainOf((await book.find(its.projectId))?.spec ?? UNTOLD)
        const plug = { tap: tapOf(index, place), mac: macOf(machineId, place), ip, domain, reach }
        return { plug, done: () => void joining.delete(machineId) }
      } catch (error) {
        joining.delete(machineId)
        throw failed(error)
      }
    },

    /**
     * A plug for a guest that no project has yet: nothing passes it. Of its machine it has the MAC already, unless the place
     * in the network of its project is taken that it would have. `dropSpare` takes it back.
     */
    async spare(machineId: string): Promise<Plug> {
      const tap = spareTapOf(machineId)
      spares.add(tap)
      try {
        await settle()
      } catch (error) {
        spares.delete(tap)
        throw failed(error)
      }
      return { tap, mac: macOf(machineId, wishedPlace(machineId)), ip: NOWHERE, reach: ground.reach }
    },

    dropSpare(machineId: string): void {
      if (!spares.delete(spareTapOf(machineId))) return
      inBackground(log, 'removing a tap', settle())
    },

    /** Makes the tap of `spare` that of a machine in the network of its project; false when that cannot be. */
    async useSpare(machineId: string): Promise<boolean> {
      const its = await book.placeOf(machineId)
      const tap = spareTapOf(machineId)
      if (its === null || its.place !== wishedPlace(machineId) || !spares.has(tap)) return false
      try {
        await ground.inside('ip', ['link', 'set', 'dev', tap, 'name', tapOf(its.index, its.place)])
        joining.add(machineId)
        spares.delete(tap)
        return true
      } catch (err) {
        log.warn({ machine: machineId, err }, 'The tap of a reserved guest cannot be used')
        return false
      }
    },

    leave: book.leave,

    async put(projectId: string, spec: NetworkSpec): Promise<void> {
      if (!isOn()) return
      await book.put(projectId, spec)
      if (await ground.isThere()) await settle().catch((error: unknown) => Promise.reject(failed(error)))
    },

    async addresses(projectId: string): Promise<Map<string, string>> {
      if (!isOn()) return new Map()
      const network = await book.find(projectId)
      if (!network) return new Map()
      const range = await theSpace()
      return new Map(
        Object.entries(network.places).map(([id, place]) => [id, addressIn(range, network.index, place)]),
      )
    },

    /** Packets by which guests were to take more than their limits, by machine. */
    async refused(): Promise<Map<string, number>> {
      if (!isOn() || !(await ground.isThere())) return new Map()
      const printed = await ground.inside('nft', ['-j', 'list', 'set', ...LIMITS_TABLE.split(' '), 'refused'])
      const packets = readRefused(printed)
      if (packets.size === 0) return new Map()
      const range = await theSpace()
      return new Map(
        [...book.all()].flatMap(([, { index, places }]) =>
          Object.entries(places).flatMap(([id, place]) => {
            const count = packets.get(addressIn(range, index, place))
            return count === undefined ? [] : [[id, count] as const]
          }),
        ),
      )
    },

    projects: book.ids,
    remove: book.remove,
    saveTo: book.saveTo,

    /** What no guest needs any more goes now; nobody will look at it. */
    async close(): Promise<void> {
      if ([...living()].length > 0 || !(await ground.isThere())) return
      await settle().catch((err: unknown) => log.error({ err }, 'The networks of projects were not cleared'))
    },

    /** Looks at everything while there is anything. @returns what had to be put back */
    async look(): Promise<string[]> {
      return (await ground.isThere()) || [...living()].length > 0 ? settle() : []
    },
  }
}

/** An address that nobody has (RFC 5737). */
const NOWHERE = '192.0.2.1'

/** Of a network whose project nobody has told of yet. */
const UNTOLD: NetworkSpec = { label: 'project', internet: true, names: {} }

/** Its own for the life of the machine: what is kept of a guest's memory knows it. */
function macOf(machineId: string, place: number): string {
  const hash = createHash('sha256').update(machineId).digest()
  const bytes = [0x52, 0x54, hash[0] ?? 0, hash[1] ?? 0, place >> 8, place & 255]
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':')
}

const hasGuest = (links: readonly Link[]): boolean =>
  links.some(({ name, isUsed }) => isUsed && placeOfTap(name) !== null)

export type ProjectNetworks = ReturnType<typeof makeProjectNetworks>

const LOOK_MS = 5000

/** Looks every few seconds, puts back what is missing and says so. Returns the way to stop. */
export function watchNetworks(
  networks: Pick<ProjectNetworks, 'look'> & { settleDoors: () => void },
  log: Pick<Log, 'warn' | 'error'>,
): () => void {
  let looking = false
  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      networks.settleDoors()
      const back = await networks.look()
      if (back.length > 0)
        log.warn({ back }, 'Parts of the networks of projects were missing and have been put back')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => inBackground(log, 'looking at the networks of projects', look()), LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
