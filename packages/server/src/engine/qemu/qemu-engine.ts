import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ImageStore } from '../../image/image-store.ts'
import { ImportError, type Importer } from '../../image/import.ts'
import type { Range } from '../../lib/address-range.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import {
  type Capabilities,
  type Engine,
  EngineError,
  type SnapshotState,
  type VolumeState,
} from '../engine.ts'
import { noLimits } from '../limits.ts'
import type { AcceleratorChoice } from './accelerator.ts'
import { makeAttachments } from './attachments.ts'
import { consoleLogsIn } from './console-log.ts'
import { makeConsoles } from './consoles.ts'
import { makeCopies } from './copies.ts'
import { makeDiskFiles } from './disk-files.ts'
import { makeGrowth } from './growth.ts'
import { makeGuestKeys } from './guest-keys.ts'
import { makeGuestSize } from './guest-size.ts'
import { userOf } from './guest-users.ts'
import { makeGuests } from './guests.ts'
import { findHostFacts, type HostFacts } from './host-facts.ts'
import { makeMachineCopy } from './machine-copy.ts'
import { fileNames, hasScreen, isMachineId, makeMachineDirs } from './machine-dir.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { makeMachineStates } from './machine-states.ts'
import { makeMachines } from './machines.ts'
import { tryAgain } from './network/again.ts'
import { makeDoors } from './network/doors.ts'
import { firewall, watchFirewall } from './network/firewall.ts'
import { clearAbandoned, groundIn } from './network/grounds.ts'
import { derivedLimits, type GuestLimitSettings } from './network/guest-limits.ts'
import { makeProjectNetworks, watchNetworks } from './network/project-networks.ts'
import { makeRefusals } from './network/refusals.ts'
import { makeRelay } from './network/relay.ts'
import { makeOrUnreadable } from './or-unreadable.ts'
import { makePlaces } from './places.ts'
import { rootBytesOf } from './qcow2.ts'
import { makeRestore } from './restore.ts'
import { makeReturns } from './returns.ts'
import { makeRuns } from './runs.ts'
import { makeSaving } from './saving.ts'
import { makeSuspension } from './suspension.ts'
import { makeTakeUp } from './take-up.ts'
import { makeTurns, type Turns } from './turns.ts'
import { makeUsage } from './usage.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'
import { makeVolumes } from './volumes.ts'
import { makeReserve } from './warm/reserve.ts'
import { makeWarmStore } from './warm/store.ts'
import { makeWarmStarts } from './warm/warm-starts.ts'

const LOOK_MS = 15_000
const nothing = () => null
const ONLY_SSH = 'Only port 22 of a VM can be reached on this server. Use an SSH tunnel.'
const UNDECIDED =
  'The host did not finish trying out what project networks and the protection from VMs take; it is tried again every minute. VMs that start before have no project network until they are stopped and started. Check the load of the host.'
const unreadableState = (reason: string) => ({ state: 'unreadable' as const, reason })

/**
 * Virtual machines by QEMU on this host. Each guest is a process of its own that outlives the server; everything
 * about a machine stands in its directory `<dataDir>/machines/<id>/`, so that any later process finds it again.
 * Here the parts are put together; every call of the port is carried out by one of them.
 */
export function makeQemuEngine(deps: {
  dataDir: string
  /** Where the verdict on this host's accelerator is kept; the data directory when it is absent. */
  hostDir?: string
  /** Whether projects have networks, and where those take their addresses from: `auto` takes a range that is free. */
  networks?: 'off' | 'auto' | Range
  /** What one guest may take of the network; derived from the host when it is absent. */
  guestLimits?: GuestLimitSettings
  /** Whether VMs start from frozen guests. */
  warm?: boolean
  /** How many guests are kept ready for VMs at most; none when it is absent. */
  reserve?: number
  /** What is to be left of the host's memory beside them, in MiB; tests say so. */
  reserveLeavesMb?: number
  /** What runs guest code; found out when it is absent. */
  accelerator?: AcceleratorChoice
  /** Finds out about this host; tests have it tell something else. */
  findHost?: typeof findHostFacts
  /** When what came to no end is tried again. */
  clock?: Pick<Clock, 'after'>
  images: ImageStore
  importer: Importer
  log: Log
}): Engine {
  const { images, importer, log, findHost = findHostFacts, clock = systemClock } = deps
  // QEMU runs in the machine's directory, so relative paths would lead elsewhere.
  const dataDir = resolve(deps.dataDir)
  const daemonsDir = join(dataDir, 'daemons')
  const limits = deps.guestLimits ?? derivedLimits
  let facts: HostFacts | null = null
  let stopWatching = () => {}
  const host = () => {
    if (!facts) throw new EngineError('internal', 'The engine has not been opened.')
    return facts
  }
  const listeners = new Set<(machineId: string) => void>()
  const changed = (machineId: string) => {
    for (const listener of listeners) listener(machineId)
  }
  /** Power and records of a machine: short work, by machine id. */
  const inTurn = makeTurns()
  /** Files of disks and snapshots: work that may take long, by what it reads or writes. Comes before `inTurn`. */
  const inPlainDiskTurn = makeTurns()
  /** Whoever works on the disk of a machine finds no guest on it that has not begun. */
  const inDiskTurn: Turns = (ids, work) =>
    inPlainDiskTurn(ids, () => withoutReserved(typeof ids === 'string' ? [ids] : ids, work))
  async function withoutReserved<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const id of ids) if (isMachineId(id)) await inTurn(id, () => machines.endReserved(id))
    return work()
  }

  // What lies on the disk of the host.
  const places = makePlaces(dataDir)
  const dirs = makeMachineDirs(dataDir, places)
  const logs = consoleLogsIn(dirs, log)
  const snapshots = makeMachineSnapshots(dataDir, places)
  const volumeSnapshots = makeVolumeSnapshots(dataDir, places)
  const volumes = makeVolumes({ dataDir, images, importer, snapshots, volumeSnapshots, places })
  const orUnreadable = makeOrUnreadable(log)
  const restore = makeRestore({
    dirs,
    volumes,
    snapshots,
    requireFree: (volumeId, machineId) => guests.requireFree(volumeId, machineId),
  })

  // What is done with it.
  const guests = makeGuests({
    dirs,
    log,
    host,
    logs,
    onVolumeBack: (machineId, volumeId) => giveBack(machineId, volumeId),
    changed,
  })
  const giveBack = makeReturns({ dirs, volumes, guests, inTurn, inDiskTurn, log })
  const ground = groundIn(dataDir, log)
  const relay = makeRelay(ground)
  const doors = makeDoors({
    wanted: () =>
      [...guests.held()].flatMap(([id, { run, address: at }]) =>
        run.plug?.reach === 'door' ? [[id, { at, to: { ip: run.plug.ip, port: 22 } }] as const] : [],
      ),
    connect: relay.connect,
    log,
  })
  const networks = makeProjectNetworks({
    dataDir,
    ground,
    named: typeof deps.networks === 'object' ? deps.networks : null,
    living: () => [...guests.held()].flatMap(([id, { run }]) => (run.plug ? [id] : [])),
    isMade: async (id) => isMachineId(id) && (await dirs.has(id, fileNames.record)),
    isOn: () => facts?.network.apart === null,
    limits,
    log,
  })
  const runs = makeRuns({
    dirs,
    guests,
    log,
    host,
    volumePath: volumes.pathOf,
    entry: ground.entry,
    changed,
  })
  const suspension = makeSuspension({
    dirs,
    guests,
    volumePath: volumes.pathOf,
    host,
    log,
    inTurn,
    inDiskTurn,
    changed,
  })
  const warmDirs = makeMachineDirs(dataDir, places, 'warm')
  const warmStore = makeWarmStore(dataDir, log)
  const reserve = makeReserve({
    dirs: warmDirs,
    machines: dirs,
    store: warmStore,
    images,
    networks,
    entry: ground.entry,
    host,
    most: deps.warm ? (deps.reserve ?? 0) : 0,
    leaveMb: deps.reserveLeavesMb ?? null,
    onLate: (id) => inDiskTurn(id, async () => {}),
    log,
  })
  const warmStarts = makeWarmStarts({
    store: warmStore,
    dirs: warmDirs,
    isOn: deps.warm ?? false,
    host,
    onFrozen: reserve.refill,
    log,
  })
  const states = makeMachineStates({ dirs, guests, runs, logs, log, host, orUnreadable })
  const machines = makeMachines({
    dirs,
    images,
    volumes,
    restore,
    machineCopy: makeMachineCopy({ dirs, images, snapshots }),
    guests,
    runs,
    suspension,
    networks,
    doors,
    warmStarts,
    reserve,
    logs,
    log,
    host,
    inTurn,
    inDiskTurn: inPlainDiskTurn,
    changed,
  })
  const takeUp = makeTakeUp({
    dirs,
    adopt: machines.adopt,
    settle: machines.settle,
    guests,
    restore,
    snapshots,
    log,
  })
  const consoles = makeConsoles({ dirs, guests, logs, log })
  const attachments = makeAttachments({ dirs, volumes, restore, guests, inTurn, inDiskTurn })
  const growth = makeGrowth({ dirs, volumes, guests, inTurn, inDiskTurn })
  const copies = makeCopies({
    dirs,
    volumes,
    snapshots,
    volumeSnapshots,
    restore,
    guests,
    suspension,
    daemonsDir,
    log,
    host,
    inTurn,
    inDiskTurn,
  })

  const saving = makeSaving({
    dataDir,
    dirs,
    volumes,
    snapshots,
    volumeSnapshots,
    networks,
    guests,
    log,
    inTurn,
    inDiskTurn,
  })

  /** By the users of guests that have no network of their project; none where all are one user. */
  async function refusedByUser(): Promise<Map<string, number>> {
    const users = facts?.network.users ?? null
    const alone = [...guests.held()].filter(([, { run }]) => !run.plug)
    if (users === null || users.count === 1 || alone.length === 0) return new Map()
    const packets = await firewall.refused()
    return new Map(
      alone.flatMap(([id]) => {
        const count = packets.get(userOf(users, id))
        return count === undefined ? [] : [[id, count] as const]
      }),
    )
  }
  const refused = makeRefusals({ counts: [networks.refused, refusedByUser], clock: systemClock, log })

  /** The directory itself stays: on a full disk it could not be made again. */
  async function clearDaemons(): Promise<void> {
    await mkdir(daemonsDir, { recursive: true, mode: 0o700 })
    for (const name of await readdir(daemonsDir))
      await rm(join(daemonsDir, name), { recursive: true, force: true })
  }

  const apart = () => facts?.network.apart ?? null
  const showsScreen = (machineId: string) =>
    orUnreadable(
      machineId,
      async () => hasScreen(await dirs.readRecord(machineId)),
      () => false,
    )

  /** Machines whose directory was not mounted at the start are taken up before anything is made beside them. */
  const afterTakeUp =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await takeUp()
      return call(...args)
    }

  return {
    kind: 'qemu',
    get capabilities(): Capabilities {
      return {
        accelerator: facts?.accelerator.kind ?? null,
        acceleratorReason: facts?.accelerator.reason ?? null,
        network: facts?.network.sentence ?? 'Unknown until the engine has started.',
        networkDomain: '{label}.internal',
        addresses: 'this-host',
        cannot: { ...noLimits, networks: apart(), ports: apart() && ONLY_SSH },
        undecided: facts !== null && facts.network.again !== null ? UNDECIDED : null,
        reach: 'one-server',
      }
    },

    async open() {
      // What cannot be read is no reason not to start: it is answered as such, and may be readable later.
      const notRead = (what: string) => (err: unknown) => log.error({ err }, `${what} could not be read`)
      await places.open().catch(notRead('The data directory'))
      await images.open()
      await volumes.open().catch(notRead('The directory of disks'))
      await volumeSnapshots
        .open((id, err) => log.error({ id, err }, 'A disk snapshot cannot be read'))
        .catch(notRead('The directory of disk snapshots'))
      await clearDaemons().catch(notRead('The directory of processes that copy'))
      facts = await findHost({
        dataDir: deps.hostDir ?? dataDir,
        accelerator: deps.accelerator ?? 'auto',
        network: { withNetworks: (deps.networks ?? 'off') !== 'off', limits },
        images,
        log,
      })
      const stopTrying = tryAgain({
        network: facts.network,
        take: async (network) => {
          facts = { ...host(), network }
        },
        clock,
        log,
      })
      // Guests of earlier versions have no network of their project.
      const isNeeded = () => [...guests.held().values()].some(({ run }) => !run.plug)
      const stopFirewall = watchFirewall({ ensure: () => host().network.protect(), isNeeded, log })
      await takeUp().catch(notRead('The directory of VMs'))
      await clearAbandoned().catch(notRead('What other installations left'))
      await warmStarts.open().catch(notRead('The directory of frozen guests'))
      await networks.open().catch(notRead('The networks of projects'))
      doors.settle()
      const stopNetworks = watchNetworks({ look: networks.look, settleDoors: doors.settle }, log)
      stopWatching = () => {
        stopTrying()
        stopFirewall()
        stopNetworks()
      }
    },

    async close() {
      stopWatching()
      doors.close()
      await relay.close()
      await warmStarts.close()
      await reserve.close()
      await networks.close()
      await images.close()
      consoles.release()
      guests.close()
      listeners.clear()
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    // The reserve is given back to whoever needs it.
    freeMemoryMb: async () => (await guests.freeMemoryMb()) + reserve.held().memoryMb,
    reserve: { take: reserve.take, held: reserve.held },
    usage: makeUsage({ guests: guests.held, ticksPerSecond: () => host().ticksPerSecond, refused }),
    openConsole: (machineId) => orUnreadable(machineId, () => consoles.open(machineId), nothing),
    async dial(machineId, port) {
      const state = await states.inspect(machineId)
      if ((state.power !== 'booting' && state.power !== 'ready') || state.address === null)
        throw new EngineError('unreachable', 'It is not running.')
      if (port === 22) return { at: state.address }
      const plug = guests.held().get(machineId)?.run.plug
      if (!plug) throw new EngineError('unreachable', ONLY_SSH)
      if (plug.reach === 'door') return { stream: await relay.connect(plug.ip, port) }
      return { at: { ip: plug.ip, port } }
    },
    listeningPorts: async (machineId) => (await guests.held().get(machineId)?.agent.listeningPorts()) ?? null,
    startScriptResult: async (machineId, form) =>
      (await guests.held().get(machineId)?.agent.startScriptResult(form)) ?? {
        state: 'unknown',
        reason:
          'The guest agent, through which the result is read, does not answer. It may still be starting.',
      },
    hasScreen: showsScreen,
    async openScreen(machineId) {
      if (!(await showsScreen(machineId)) || !guests.isHeld(machineId)) return null
      return connectUnix(dirs.fileOf(machineId, fileNames.screen)).catch(() => null)
    },
    image: (imageId, again) => images.ensure(imageId, again),
    async lookAtImage(imageId) {
      const look = await images.look(imageId)
      const image = look.state === 'ready' ? await images.find(imageId) : null
      const rootBytes = image && (await rootBytesOf(image))
      return look.state === 'ready' && rootBytes !== null ? { ...look, rootBytes } : look
    },
    async checkImage(address) {
      try {
        return await importer.look(address, AbortSignal.timeout(LOOK_MS))
      } catch (error) {
        if (error instanceof ImportError) return { refused: error.message }
        throw error
      }
    },

    createMachine: afterTakeUp(machines.createMachine),
    copyMachine: afterTakeUp(machines.copyMachine),
    startMachine: afterTakeUp(machines.startMachine),
    suspendMachine: afterTakeUp(suspension.suspendMachine),
    powerDown: machines.powerDown,
    powerOff: machines.powerOff,
    deleteMachine: machines.deleteMachine,
    inspect: states.inspect,
    list: afterTakeUp(states.list),

    createVolume: copies.createVolume,
    deleteVolume: attachments.deleteVolume,
    async inspectVolume(volumeId) {
      if (!isMachineId(volumeId)) return { state: 'absent' }
      const look = () => volumes.inspect(volumeId)
      return orUnreadable<VolumeState>(volumeId, look, unreadableState)
    },
    ...makeDiskFiles({ volumes, volumeSnapshots, guests, inDiskTurn }),
    listVolumes: volumes.list,
    ...growth,
    ...makeGuestKeys({ dirs, guests }),
    ...makeGuestSize({ dirs, guests, inTurn, inDiskTurn }),
    attachVolume: attachments.attachVolume,
    detachVolume: attachments.detachVolume,

    createMachineSnapshot: afterTakeUp(copies.createMachineSnapshot),
    prepareRestore: afterTakeUp(copies.prepareRestore),
    switchDisks: afterTakeUp(copies.switchDisks),
    dropRestore: copies.dropRestore,
    deleteMachineSnapshot: copies.deleteMachineSnapshot,
    createVolumeSnapshot: copies.createVolumeSnapshot,
    deleteVolumeSnapshot: copies.deleteVolumeSnapshot,
    async inspectSnapshot(kind, snapshotId) {
      if (!isMachineId(snapshotId)) return { state: 'absent' }
      const { inspect } = kind === 'machine' ? snapshots : volumeSnapshots
      return orUnreadable<SnapshotState>(snapshotId, () => inspect(snapshotId), unreadableState)
    },
    checkSnapshot: (kind, snapshotId, work) =>
      orUnreadable<SnapshotState>(
        snapshotId,
        () => copies.checkSnapshot(kind, snapshotId, work),
        unreadableState,
      ),
    listSnapshots: (kind) => (kind === 'machine' ? snapshots.list() : volumeSnapshots.list()),
    putNetwork: networks.put,
    networkAddresses: networks.addresses,
    // Files of all projects lie side by side, by their own ids; a network is all that one has of its own.
    listProjects: networks.projects,
    async deleteProject(projectId) {
      if (await networks.remove(projectId)) return
      throw new EngineError('project-busy', 'VMs of the project are left.', { retryable: true })
    },
    saveTo: afterTakeUp(saving.saveTo),
  }
}
