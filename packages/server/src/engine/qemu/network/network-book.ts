import { createHash } from 'node:crypto'
import { parseRange, type Range, rangeText } from '../../../lib/address-range.ts'
import type { Log } from '../../../lib/log.ts'
import { EngineError, type NetworkSpec } from '../../engine.ts'
import { fewAtATime, makeTurns } from '../turns.ts'
import { type KeptNetwork, keptNetworksIn } from './kept-networks.ts'
import { freePlace, LAST_PLACE, partsOf, placeAfter } from './space.ts'

/** Where the search for a place begins: for a machine always at the same. */
const wishOf = (machineId: string): number =>
  createHash('sha256').update(machineId).digest().readUInt32BE(0) % LAST_PLACE

/** The place that a machine gets in the network of any project where it is free. */
export const wishedPlace = (machineId: string): number => placeAfter(wishOf(machineId))

/**
 * Who has which number and which address: kept in files, and in memory once they were read. A project whose file cannot
 * be read keeps its number, and is read again when it is needed.
 */
export function makeNetworkBook(deps: {
  dataDir: string
  /** Whether there is such a machine. */
  isMade: (machineId: string) => Promise<boolean>
  log: Pick<Log, 'error'>
}) {
  const { dataDir, isMade, log } = deps
  const kept = keptNetworksIn(dataDir)
  const networks = new Map<string, KeptNetwork>()
  const projectOf = new Map<string, string>()
  const inTurn = makeTurns()
  let range: Range | null = null
  let reading: Promise<void> | null = null

  /** Changes one after the other: numbers are given to all. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => inTurn('kept', work)

  function remember(projectId: string, network: KeptNetwork): void {
    networks.set(projectId, network)
    for (const machineId of Object.keys(network.places)) projectOf.set(machineId, projectId)
  }

  async function readAll(): Promise<void> {
    const text = await kept.readRange()
    range = text === null ? null : parseRange(text)
    for (const projectId of await kept.ids()) {
      try {
        const network = await kept.read(projectId)
        if (network) remember(projectId, network)
      } catch (err) {
        log.error({ project: projectId, err }, 'The network of a project cannot be read')
      }
    }
  }

  function open(): Promise<void> {
    reading ??= readAll().catch((error: unknown) => {
      reading = null
      throw error
    })
    return reading
  }

  /** What is kept of a project, read again when it could not be read before. */
  async function find(projectId: string): Promise<KeptNetwork | null> {
    await open()
    const known = networks.get(projectId)
    if (known) return known
    const network = await kept.read(projectId)
    if (network) remember(projectId, network)
    return network
  }

  async function write(projectId: string, network: KeptNetwork): Promise<void> {
    await kept.write(projectId, network)
    remember(projectId, network)
  }

  async function findOrNew(projectId: string): Promise<KeptNetwork> {
    return (await find(projectId)) ?? { index: await freeIndex(), places: {}, spec: null }
  }

  /** A number for a project that no other has, those included that cannot be read now. */
  async function freeIndex(): Promise<number> {
    const unread = (await kept.ids()).filter((id) => !networks.has(id))
    if (unread.length > 0) await Promise.all(unread.map(find))
    const taken = new Set([...networks.values()].map(({ index }) => index))
    const parts = range === null ? Number.POSITIVE_INFINITY : partsOf(range)
    for (let index = 0; index < parts; index += 1) if (!taken.has(index)) return index
    throw new EngineError(
      'no-address',
      'All addresses for networks of projects are in use. The operator can set aside more with SLIPWAY_NETWORK.',
      { retryable: true },
    )
  }

  async function assignAll(projectId: string, machineIds: readonly string[]): Promise<void> {
    const network = await findOrNew(projectId)
    const fresh = machineIds.filter((id) => network.places[id] === undefined)
    if (networks.has(projectId) && fresh.length === 0) return
    const taken = new Set(Object.values(network.places))
    const places = { ...network.places }
    for (const id of fresh) {
      const place = freePlace(wishOf(id), taken)
      if (place === null)
        throw new EngineError('no-address', 'All addresses of the network of this project are in use.', {
          retryable: true,
        })
      taken.add(place)
      places[id] = place
    }
    await write(projectId, { ...network, places })
  }

  /** Machines of earlier versions: nobody has said before whose they are. */
  async function withoutPlace({ names }: NetworkSpec): Promise<string[]> {
    const ids = new Set(Object.values(names).flat())
    const strangers = [...ids].filter((id) => !projectOf.has(id))
    return (await fewAtATime(strangers, async (id) => ((await isMade(id)) ? [id] : []))).flat()
  }

  return {
    /** Reads it, once. */
    open,
    find,
    all: (): Iterable<[projectId: string, KeptNetwork]> => networks,
    /** Projects of which something is kept, those included that cannot be read now. */
    ids: kept.ids,

    /** Where a machine is; null when nobody has given it an address yet. */
    async placeOf(machineId: string): Promise<{ projectId: string; index: number; place: number } | null> {
      await open()
      const projectId = projectOf.get(machineId)
      const network = projectId === undefined ? null : await find(projectId)
      const place = network?.places[machineId]
      return projectId === undefined || !network || place === undefined
        ? null
        : { projectId, index: network.index, place }
    },

    /** The range that addresses come from; null before there was one. */
    range: () => range,
    async useRange(next: Range): Promise<void> {
      if (range === null || rangeText(next) !== rangeText(range)) await kept.writeRange(rangeText(next))
      range = next
    },

    /** Gives a machine an address in the network of its project, for its life. */
    assign: (projectId: string, machineId: string): Promise<void> =>
      alone(() => assignAll(projectId, [machineId])),

    /** The machine is gone, and its address free again. */
    leave: (machineId: string): Promise<void> =>
      alone(async () => {
        const projectId = projectOf.get(machineId)
        const network = projectId === undefined ? null : await find(projectId)
        if (projectId === undefined || !network) return
        const { [machineId]: _, ...places } = network.places
        await kept.write(projectId, { ...network, places })
        networks.set(projectId, { ...network, places })
        projectOf.delete(machineId)
      }),

    put: (projectId: string, spec: NetworkSpec): Promise<void> =>
      alone(async () => {
        await write(projectId, { ...(await findOrNew(projectId)), spec })
        await assignAll(projectId, await withoutPlace(spec))
      }),

    /** Forgets a project that has no machines any more; false when it has some. */
    remove: (projectId: string): Promise<boolean> =>
      alone(async () => {
        const network = await find(projectId)
        if (network && Object.keys(network.places).length > 0) return false
        await kept.remove(projectId)
        networks.delete(projectId)
        return true
      }),

    /** Writes what is kept of these machines' networks into another data directory. */
    async saveTo(to: string, machineIds: readonly string[]): Promise<void> {
      await open()
      const there = keptNetworksIn(to)
      const wanted = new Set(machineIds)
      for (const [projectId, network] of networks) {
        const places = Object.entries(network.places).filter(([id]) => wanted.has(id))
        if (places.length > 0)
          await there.write(projectId, { ...network, places: Object.fromEntries(places) })
      }
      if (range !== null) await there.writeRange(rangeText(range))
    },
  }
}
