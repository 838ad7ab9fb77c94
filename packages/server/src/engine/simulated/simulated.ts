/**
 * The simulated engine: no guest, no disk, but the same promises and the same timing shape, for tests and for work
 * on the screens. It is chosen only explicitly and the console says so on every page.
 *
 * What a machine is doing follows from the clock alone, so a virtual clock makes it deterministic. A host name that
 * starts with `fault-<name>` brings a fault along; anybody can then see the failure in the running console.
 */
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import {
  type Address,
  type Capabilities,
  type Engine,
  EngineError,
  type Held,
  type ImageState,
  type Limits,
  type MachineExit,
  type MachineSpec,
  type MachineState,
  type MachineUsage,
  type NetworkSpec,
  type SnapshotMade,
} from '../engine.ts'
import { memoryKept, noLimits } from '../limits.ts'
import { makeSimulatedConsoles, type SimulatedGuest } from './console.ts'
import { imageRootBytes, makeSimulatedImages } from './images.ts'
import { type Line, makeKept, SIMULATED_FILE, saveLines } from './kept.ts'
import { simulatedEnd, startScriptMs } from './start-script.ts'
import { type Contents, makeSimulatedStorage, unreadable, unreadableError } from './storage.ts'
import { makeSimulatedWeb, WEB_PORT } from './web.ts'

/** `fault-crash-1` as host name makes that machine crash while it boots, and so on. */
export const faults = {
  'no-space': 'creating it finds the disk full',
  'no-memory': 'launching it finds too little memory',
  'launch-failed': 'launching it fails',
  flaky: 'launching it fails twice, then works',
  'never-ready': 'the guest never answers',
  crash: 'the guest crashes while it boots',
  leaves: 'the guest powers itself off while it boots',
  deaf: 'the guest ignores the power button',
  clings: 'the guest does not let go of disks',
  'no-copies': 'snapshots and restores of it, and saving its memory, find the disk full',
  'no-agent': 'nothing in the guest takes SSH keys while it runs',
  unreadable: 'its files cannot be read for a while after it was created',
} as const
export type Fault = keyof typeof faults

/** What there is in place of a way to a guest. */
export const nothingToReach = 'It is simulated. There is no guest to connect to.'
const notRunning = 'This VM is not running.'

/** In the process of a server; over a socket the reach is another. */
export const simulatedCapabilities: Capabilities = {
  accelerator: null,
  acceleratorReason: 'Nothing is executed: the engine is simulated.',
  network: 'Simulated: addresses do not answer.',
  networkDomain: '{label}.internal',
  addresses: 'this-host',
  cannot: noLimits,
  undecided: null,
  reach: 'one-server',
}

interface Machine {
  spec: MachineSpec
  createdAt?: number
  address: Address
  rootLost: boolean
  /** What is on its root disk. */
  root: string
  /** What the guest is doing; gone with the run. */
  memory: string
  /** Copies that wait to be put in place. */
  prepared: (Contents & { snapshotId?: string }) | null
  /** What the next start resumes; null boots, undefined is no start after a restore. */
  resume?: string | null
  /** Its guest was suspended: `resume` is its memory. */
  suspended?: boolean
  /** The saved memory cannot be used. */
  memoryDamaged?: boolean
  /** The present or last run; null before the first. */
  run: {
    id: string
    launchedAt: number
    resumed: boolean
    endsAt: number | null
    exit: MachineExit | null
  } | null
  launches: number
  /** Percent of its processors that its guest uses, since when, and what it had used before in this run. */
  load?: number
  /** When its start script ends, unless its guest ends before. */
  script?: { endsAt: number; interrupted: boolean }
  loadSince?: number
  usedMs?: number
}

export interface SimulatedOptions {
  clock: Clock
  /** How many times faster than life; 1 boots in about four seconds. */
  speed?: number
  /** Null: it finds places by itself, as a cluster does. */
  hostMemoryMb?: number | null
  /** Keeps machines over a restart of the server, as real ones would be. */
  file?: string
  /** What it is to be unable to do, as other engines are: so that it can be seen what the console says then. */
  cannot?: Limits
  /** Where its addresses are said to answer. */
  addresses?: Capabilities['addresses']
  /** What stands for the web servers of its guests, in place of their own. */
  web?: Address
}

/** What a guest uses that does nothing, in percent. */
const idleLoad = 2

const lifeMs = {
  create: 600,
  boot: 3_500,
  resume: 600,
  suspend: 1_500,
  powerDown: 1_200,
  crash: 1_500,
  letGo: 800,
  cling: 3_000,
  unreadable: 8_000,
}

/** In so many parts the memory of a guest is saved. */
const suspendParts = 5

export interface SimulatedEngine extends Engine {
  /** Ends a run as if something had happened to the guest. */
  endRun: (machineId: string, exit: MachineExit) => void
  /** Keeps a launched guest from running, now or when it is launched; null lets it go. */
  hold: (machineId: string, held: Held | null) => void
  loseRootDisk: (machineId: string) => void
  /** Damages the saved memory of a suspended machine. */
  loseMemory: (machineId: string) => void
  /** Brings a lost root disk back. */
  findRootDisk: (machineId: string) => void
  /** Makes a guest use that many percent of its processors from now on. */
  setLoad: (machineId: string, percent: number) => void
  /** Lets a guest print. */
  print: (machineId: string, text: string) => void
  /** Makes the use of a guest unknown, or known again. */
  silence: (machineId: string, silent: boolean) => void
  /** Makes SSH in a guest stop answering, or answer again, while the guest goes on. */
  closeSsh: (machineId: string, closed: boolean) => void
  /** Puts every boot image into one state; null ends that. */
  setImage: (state: ImageState | null) => void
  /** Damages a volume. */
  loseVolume: (volumeId: string) => void
  /** Removes a volume behind everybody's back. */
  dropVolume: (volumeId: string) => void
  /** The volumes a machine has. */
  volumesOf: (machineId: string) => string[]
  /** Whether copies of a restore lie beside the disks of a machine. */
  hasPrepared: (machineId: string) => boolean
  /** What a machine snapshot holds; null when there is none. */
  heldBy: (
    snapshotId: string,
  ) => { root: string; volumes: Record<string, string>; memory: string | null } | null
  loseSnapshot: (kind: 'machine' | 'volume', snapshotId: string) => void
  /** Mends a damaged snapshot. */
  findSnapshot: (kind: 'machine' | 'volume', snapshotId: string) => void
  /** Makes a machine, a volume or a snapshot unreadable, or readable again. */
  hide: (id: string, hidden: boolean) => void
  /** What the network of a project is like. */
  networkOf: (projectId: string) => NetworkSpec | undefined
  /** Takes away all volumes, as if their directory were not mounted, or brings them back. */
  unmountVolumes: (unmounted: boolean) => void
  /** Writes a line into a guest's root disk or memory, or into a volume. */
  poke: (target: SimulatedTarget, text: string) => void
  peek: (target: SimulatedTarget) => string
}

export type SimulatedTarget = { machineId: string } | { memoryOf: string } | { volumeId: string }

/** A clock that begins at the time of the host and never jumps: no guest lives longer or shorter when that is set. */
function unsettable(clock: Clock): Clock {
  const began = clock.now() - clock.monotonic()
  return { ...clock, now: () => began + clock.monotonic() }
}

export function makeSimulatedEngine(options: SimulatedOptions): SimulatedEngine {
  const { speed = 1, hostMemoryMb = 4 * 1024 * 1024, cannot = noLimits, addresses = 'this-host' } = options
  const clock = unsettable(options.clock)
  const span = (ms: number) => ms / speed
  const machines = new Map<string, Machine>()
  /** Those that had a machine, a volume or a network, until they are deleted. */
  const projects = new Set<string>()
  /** What was said of them last, by project. */
  const networks = new Map<string, NetworkSpec>()
  const listeners = new Set<(id: string) => void>()
  let nextAddress = 1
  let runs = 0
  const silent = new Set<string>()

  const kept = options.file === undefined ? null : makeKept(options.file, clock, everything)
  const papersToKeep = new Set<string>()
  const consoles = makeSimulatedConsoles({ clock: options.clock, changed: keepPaper })
  const images = makeSimulatedImages({ clock, span })
  const web = makeSimulatedWeb(clock)
  const storage = makeSimulatedStorage({
    clock,
    span,
    changed: (section, id, value) => kept?.put(section, id, value),
  })

  /** What is answered has to last: a change that could not be kept is asked for again. */
  const lasting =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const made = await act(...args)
      if (kept?.isUpToDate() ?? true) return made
      throw new EngineError('no-space', 'The disk of the host is full (simulated).', { retryable: true })
    }

  const changed = (id: string) => {
    keepMachine(id)
    for (const listener of listeners) listener(id)
  }

  /** Something of it is made: it is there, also when it was deleted while that was under way. */
  function keepProject(id: string): void {
    if (projects.has(id)) return
    projects.add(id)
    kept?.put('projects', id, true)
  }

  const keepMachine = (id: string) => kept?.put('machines', id, machines.get(id))

  function keepPaper(id: string): void {
    if (!kept) return
    if (papersToKeep.size === 0) clock.after(200, keepPapers)
    papersToKeep.add(id)
  }

  /** Guests print a lot, so what they printed is kept a moment later. */
  function keepPapers(): void {
    for (const id of papersToKeep) kept?.put('papers', id, consoles.papers.get(id))
    papersToKeep.clear()
  }

  function everything(): Line[] {
    return [
      ['counters', 'nextAddress', nextAddress],
      ...[...machines].map(([id, machine]): Line => ['machines', id, machine]),
      ...[...consoles.papers].map(([id, paper]): Line => ['papers', id, paper]),
      ...[...projects].map((id): Line => ['projects', id, true]),
      ...[...networks].map(([id, network]): Line => ['networks', id, network]),
      ...storage.everything(),
    ]
  }

  /** Takes up a line that was kept; null ends what earlier lines say. */
  function takeUp([section, id, value]: Line): void {
    if (section === 'counters') {
      nextAddress = Number(value)
      return
    }
    if (section === 'projects') {
      if (value === null) projects.delete(id)
      else projects.add(id)
      return
    }
    const all: Record<typeof section, Map<string, unknown>> = {
      machines,
      networks,
      papers: consoles.papers,
      volumes: storage.volumes,
      machineSnapshots: storage.machineSnapshots,
      volumeSnapshots: storage.volumeSnapshots,
    }
    if (value === null) all[section].delete(id)
    else all[section].set(id, value)
    const machine = section === 'machines' ? machines.get(id) : undefined
    if (machine) putBack(machine)
  }

  /** A guest goes on when the clock of its host was put back while no server ran. */
  function putBack(machine: Machine): void {
    const now = clock.now()
    const { run } = machine
    if (machine.createdAt !== undefined) machine.createdAt = Math.min(machine.createdAt, now)
    if (machine.loadSince !== undefined) machine.loadSince = Math.min(machine.loadSince, now)
    if (!run || run.launchedAt <= now) return
    if (run.endsAt !== null) run.endsAt -= run.launchedAt - now
    run.launchedAt = now
  }

  function faultOf(machine: Machine): Fault | null {
    const name = /^fault-(.+)$/.exec(machine.spec.hostname)?.[1]
    return (
      (Object.keys(faults) as Fault[]).find((fault) => name === fault || name?.startsWith(`${fault}-`)) ??
      null
    )
  }

  /** Ends a run whose time has come; what a machine is follows from the clock, so nothing is missed. */
  function settle(machine: Machine): void {
    const { run } = machine
    if (run && run.exit === null && run.endsAt !== null && clock.now() >= run.endsAt) {
      const fault = faultOf(machine)
      run.exit =
        fault === 'crash'
          ? { how: 'crashed', reason: 'The guest crashed while it was booting (simulated).' }
          : { how: fault === 'leaves' && machine.launches === 1 ? 'clean' : 'asked' }
      noteEnd(machine, run.exit)
    }
  }

  /** A machine as a later host finds it: its guest did not come along. */
  function afterHostRestart(machine: Machine | undefined): Machine | undefined {
    if (!machine?.run || !lives(machine)) return machine
    return { ...machine, run: { ...machine.run, exit: { how: 'host-restart' } } }
  }

  function noteEnd({ spec: { id }, suspended, script, run }: Machine, { how }: MachineExit): void {
    if (script && !suspended && (run?.endsAt ?? clock.now()) < script.endsAt) script.interrupted = true
    web.end(id)
    consoles.note(id, how === 'crashed' ? 'crashed' : suspended ? 'suspended' : 'ended')
  }

  /** What keeps guests from running though they were launched. */
  const holds = new Map<string, Held>()
  /** Guests whose SSH server was moved or ended. */
  const withoutSsh = new Set<string>()
  const isUp = (machine: Machine): boolean =>
    machine.run !== null &&
    faultOf(machine) !== 'never-ready' &&
    !withoutSsh.has(machine.spec.id) &&
    !holds.has(machine.spec.id) &&
    clock.now() >= machine.run.launchedAt + span(machine.run.resumed ? lifeMs.resume : lifeMs.boot)

  const guestOf = (machine: Machine): SimulatedGuest => {
    const { id } = machine.spec
    return {
      hostname: machine.spec.hostname,
      lives: () => lives(machine),
      isUp: () => isUp(machine),
      reboot() {
        if (!machine.run) return
        if (!machine.spec.persistent) return end(machine, { how: 'reboot' })
        machine.run.launchedAt = clock.now()
        consoles.note(id, 'rebooted')
        boot(machine)
        changed(id)
      },
      powerOff: () => end(machine, { how: 'clean' }),
    }
  }

  function end(machine: Machine, exit: MachineExit): void {
    if (!machine.run) return
    machine.run.exit = exit
    noteEnd(machine, exit)
    changed(machine.spec.id)
  }

  /** What a guest that comes up prints, and when it is up. */
  function boot(machine: Machine): void {
    const { id } = machine.spec
    const run = machine.run?.id
    if (!machine.run?.resumed) consoles.boots(id, guestOf(machine))
    // Timers of Node ring up to a millisecond early, before the guest counts as up.
    clock.after(span(lifeMs.boot) + 1, () => {
      if (machine.run?.id !== run || !lives(machine)) return
      if (isUp(machine) && !machine.run?.resumed) consoles.isUp(id, guestOf(machine))
      changed(id)
    })
  }

  const lives = (machine: Machine): boolean => {
    settle(machine)
    return machine.run !== null && machine.run.exit === null
  }

  /** The machine of an id as far as it is there and can be read. */
  function find(id: string): Machine | undefined {
    const machine = machines.get(id)
    if (machine && isHidden(machine)) throw unreadableError()
    return machine
  }

  const isHidden = (machine: Machine): boolean =>
    storage.isHidden(machine.spec.id) ||
    (faultOf(machine) === 'unreadable' && clock.now() < (machine.createdAt ?? 0) + span(lifeMs.unreadable))

  function get(id: string): Machine {
    const machine = find(id)
    if (!machine) throw new EngineError('machine-missing', 'The machine does not exist.')
    return machine
  }

  function stateOf(machine: Machine | undefined): MachineState {
    if (!machine) return { power: 'absent' }
    if (isHidden(machine)) return { power: 'unreadable', reason: unreadable }
    settle(machine)
    const { run, address } = machine
    if (run && run.exit === null) {
      const held = holds.get(machine.spec.id) ?? null
      if (held) return { power: 'booting', run: run.id, address: null, held }
      return isUp(machine)
        ? { power: 'ready', run: run.id, address }
        : { power: 'booting', run: run.id, address, held: null }
    }
    if (machine.rootLost)
      return { power: 'broken', reason: 'The root disk of this VM is damaged (simulated).' }
    if (machine.suspended) return { power: 'suspended', run: run?.id ?? null }
    return { power: 'off', run: run?.id ?? null, exit: run?.exit ?? null }
  }

  const pause = (ms: number) => new Promise<void>((resolve) => clock.after(span(ms), resolve))

  const aborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })

  /** The living machine that has a volume. */
  const holderOf = (volumeId: string): Machine | undefined =>
    [...machines.values()].find((machine) => machine.spec.volumeIds.includes(volumeId) && lives(machine))

  function requireFree(volumeId: string, forMachine: Machine): void {
    const holder = holderOf(volumeId)
    if (holder && holder !== forMachine)
      throw new EngineError('volume-busy', 'Another guest still has this disk.', { retryable: true })
  }

  /** Of the volumes asked for, those that the machine has now. */
  function contentsOf(machine: Machine, volumeIds: readonly string[], memory: boolean): Contents {
    const held = volumeIds.flatMap((id) => {
      const volume = machine.spec.volumeIds.includes(id) ? storage.volumes.get(id) : undefined
      return volume ? [[id, { ...volume }] as const] : []
    })
    const { projectId } = machine.spec
    return {
      projectId,
      root: machine.root,
      volumes: Object.fromEntries(held),
      memory: memory ? machine.memory : null,
    }
  }

  const madeOf = (snapshot: Contents & Pick<SnapshotMade, 'consistency'>) => ({
    storedBytes: storage.stored(snapshot.root),
    consistency: snapshot.consistency,
    memory: snapshot.memory !== null,
    volumeIds: Object.keys(snapshot.volumes),
  })

  /** What it has used in this run; whatever it was told to work counts from then on. */
  function cpuMsOf(machine: Machine): number {
    const { load = idleLoad, loadSince = machine.run?.launchedAt ?? 0, usedMs = 0 } = machine
    const since = Math.max(loadSince, machine.run?.launchedAt ?? 0)
    return usedMs + ((clock.now() - since) * machine.spec.cpu * load) / 100
  }

  /** A guest that works also reads, writes and talks. */
  function restOf({ spec, load = idleLoad }: Machine, cpuMs: number): Omit<MachineUsage, 'run' | 'cpuMs'> {
    return {
      memoryMb: Math.round(spec.memoryMb * (0.2 + (0.6 * load) / 100)),
      disk: { read: Math.round(cpuMs * 300), written: Math.round(cpuMs * 900) },
      network: { received: Math.round(cpuMs * 60), sent: Math.round(cpuMs * 15), at: clock.now() },
    }
  }

  function requireRoom(machine: Machine): void {
    if (faultOf(machine) === 'no-copies')
      throw new EngineError(
        'no-space',
        'The disk of the host does not have enough space for the copy (simulated).',
      )
  }

  function requireAble(limit: string | null): void {
    if (limit !== null) throw new EngineError('unsupported', limit)
  }

  /** What a guest was doing is used up, or discarded. */
  function forgetMemory(machine: Machine): void {
    delete machine.resume
    delete machine.suspended
    delete machine.memoryDamaged
  }

  function add(spec: MachineSpec, contents: Pick<Machine, 'root' | 'resume'>): void {
    const n = nextAddress++
    kept?.put('counters', 'nextAddress', nextAddress)
    const machine: Machine = {
      spec,
      createdAt: clock.now(),
      address: { ip: `127.100.${Math.floor(n / 254)}.${(n % 254) + 1}`, port: 22 },
      rootLost: false,
      memory: '',
      prepared: null,
      run: null,
      launches: 0,
      ...contents,
    }
    if (faultOf(machine) === 'no-space')
      throw new EngineError('no-space', 'The host has no disk space left for the root disk.')
    if (!machines.has(spec.id)) machines.set(spec.id, machine)
    keepProject(spec.projectId)
    changed(spec.id)
    if (faultOf(machine) === 'unreadable') clock.after(span(lifeMs.unreadable) + 1, () => changed(spec.id))
  }

  function endAfter(id: string, machine: Machine, ms: number): void {
    if (!machine.run) return
    machine.run.endsAt = clock.now() + ms
    keepMachine(id)
    clock.after(ms, () => changed(id))
  }

  return {
    kind: 'simulated',
    capabilities: { ...simulatedCapabilities, cannot, addresses },

    async open() {
      kept?.open(takeUp)
    },
    async close() {
      keepPapers()
      kept?.close()
      listeners.clear()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    reserve: null,
    async freeMemoryMb() {
      if (hostMemoryMb === null) return null
      let used = 0
      for (const machine of machines.values()) if (lives(machine)) used += machine.spec.memoryMb
      return hostMemoryMb - used
    },
    image: images.image,
    lookAtImage: images.lookAtImage,
    checkImage: images.checkImage,

    async createMachine(spec) {
      if (find(spec.id)) return
      keepProject(spec.projectId)
      await new Promise<void>((resolve) => clock.after(span(lifeMs.create), resolve))
      add(spec, { root: '' })
    },

    copyMachine: lasting(async (spec, { snapshotId, volumes }, work) => {
      requireAble(cannot.copies)
      if (find(spec.id)) return
      keepProject(spec.projectId)
      storage.requireReadable(snapshotId)
      const snapshot = storage.sound(storage.machineSnapshots.get(snapshotId))
      const { root, memory } = snapshot
      await storage.copy(work)
      const hasAll = Object.keys(snapshot.volumes).every((id) => volumes[id] !== undefined)
      if (!find(spec.id)) add(spec, { root, resume: hasAll ? memory : null })
    }),

    async startMachine(id, { freshRoot, volumeIds, like }) {
      const machine = get(id)
      if (lives(machine)) return null
      machine.spec = { ...machine.spec, ...like, volumeIds }
      machine.launches++
      const fault = faultOf(machine)
      if (fault === 'no-memory') {
        throw new EngineError('no-memory', 'The host could not give the guest its memory.')
      }
      if (fault === 'launch-failed')
        throw new EngineError('launch-failed', 'The guest could not be launched (simulated).')
      if (fault === 'flaky' && machine.launches <= 2) {
        throw new EngineError('launch-failed', 'The guest could not be launched yet (simulated).', {
          retryable: true,
        })
      }
      const isKept = typeof machine.resume === 'string'
      const resumed = isKept && !machine.memoryDamaged
      delete machine.usedMs
      delete machine.loadSince
      if (freshRoot && machine.resume === undefined) machine.root = ''
      machine.memory = resumed ? (machine.resume ?? '') : ''
      forgetMemory(machine)
      machine.run = {
        id: `run-${++runs}-${clock.now()}`,
        launchedAt: clock.now(),
        resumed,
        endsAt: null,
        exit: null,
      }
      if (machine.spec.startScript !== undefined && (freshRoot || !machine.script))
        machine.script = {
          endsAt: clock.now() + span(lifeMs.boot) + span(startScriptMs),
          interrupted: false,
        }
      if (fault === 'crash' || (fault === 'leaves' && machine.launches === 1))
        endAfter(id, machine, span(lifeMs.crash))
      consoles.note(id, resumed ? 'resumed' : 'started')
      boot(machine)
      changed(id)
      return isKept && !resumed ? 'The saved memory is damaged (simulated).' : null
    },

    suspendMachine: lasting(async (id, work) => {
      requireAble(cannot.suspend)
      const machine = get(id)
      if (!lives(machine) && machine.suspended) return
      const run = machine.run?.id
      requireRoom(machine)
      const requireLife = () => {
        if (!lives(machine) || machine.run?.id !== run)
          throw new EngineError('snapshot-lost', 'The VM stopped before its memory was saved.', {
            retryable: true,
          })
        if (work.signal.aborted) throw new EngineError('aborted', 'Saving the memory was stopped.')
      }
      for (let part = 0; part < suspendParts; part += 1) {
        requireLife()
        work.onProgress(part / suspendParts)
        await pause(lifeMs.suspend / suspendParts)
      }
      requireLife()
      machine.resume = machine.memory
      machine.suspended = true
      end(machine, { how: 'asked' })
    }),

    async powerDown(id) {
      const machine = machines.get(id)
      if (!machine || !lives(machine) || faultOf(machine) === 'deaf' || machine.run?.endsAt != null) return
      endAfter(id, machine, span(lifeMs.powerDown))
    },

    async powerOff(id) {
      const machine = machines.get(id)
      if (machine && lives(machine)) end(machine, { how: 'asked' })
      if (!machine?.suspended) return
      forgetMemory(machine)
      changed(id)
    },

    deleteMachine: lasting(async (id) => {
      if (!machines.delete(id)) return
      consoles.forget(id)
      changed(id)
    }),

    inspect: async (id) => stateOf(machines.get(id)),
    async list() {
      return new Map([...machines].map(([id, machine]) => [id, stateOf(machine)]))
    },

    async usage(what) {
      const used = new Map<string, MachineUsage>()
      for (const [id, machine] of machines) {
        if (!lives(machine) || !machine.run || silent.has(id)) continue
        const { id: run } = machine.run
        const cpuMs = cpuMsOf(machine)
        if (what === 'processors') used.set(id, { run, cpuMs, memoryMb: null, disk: null, network: null })
        else used.set(id, { run, cpuMs, ...restOf(machine, cpuMs) })
      }
      return used
    },

    async openConsole(id) {
      if (!machines.has(id)) return null
      return consoles.open(id, () => {
        const machine = machines.get(id)
        return machine ? guestOf(machine) : null
      })
    },
    async listeningPorts(id) {
      const machine = machines.get(id)
      return machine && lives(machine) && isUp(machine) ? [22, WEB_PORT] : null
    },
    async startScriptResult(id) {
      const machine = machines.get(id)
      if (!machine || !lives(machine) || !isUp(machine))
        return { state: 'unknown', reason: 'The guest does not answer (simulated).' }
      const { script, spec } = machine
      if (!script || spec.startScript === undefined) return { state: 'waiting' }
      if (script.interrupted)
        return { state: 'ended', how: 'interrupted', exitCode: null, endedAt: null, output: '' }
      if (clock.now() < script.endsAt) return { state: 'running', output: '' }
      return simulatedEnd(spec.startScript, script.endsAt)
    },
    hasScreen: async () => false,
    async dial(id, port) {
      if (port === 22) throw new EngineError('unreachable', nothingToReach)
      requireAble(cannot.ports)
      const machine = machines.get(id)
      if (!machine || !lives(machine) || !isUp(machine)) throw new EngineError('unreachable', notRunning)
      if (port !== WEB_PORT)
        throw new EngineError('unreachable', `Nothing listens on port ${port} of this VM (simulated).`)
      return options.web ? { at: options.web } : { stream: web.connect(id) }
    },
    openScreen: async () => null,
    putNetwork: lasting(async (projectId, network) => {
      if (cannot.networks !== null) return
      keepProject(projectId)
      networks.set(projectId, structuredClone(network))
      kept?.put('networks', projectId, network)
    }),
    async networkAddresses(projectId) {
      const addresses = new Map<string, string>()
      if (cannot.networks !== null) return addresses
      for (const [id, { spec, address }] of machines)
        if (spec.projectId === projectId) addresses.set(id, address.ip.replace(/^127\./, '10.'))
      return addresses
    },

    createVolume: lasting(async (spec, work) => {
      keepProject(spec.projectId)
      const made = await storage.createVolume(spec, work)
      keepProject(spec.projectId)
      return made
    }),
    deleteVolume: lasting(async (id) => {
      if (holderOf(id))
        throw new EngineError('volume-busy', 'A guest still has this disk.', { retryable: true })
      storage.requireVolumes()
      storage.volumes.delete(id)
      kept?.put('volumes', id, undefined)
    }),
    inspectVolume: storage.inspectVolume,
    listVolumes: storage.listVolumes,
    openDiskFile: storage.openDiskFile,

    async attachVolume(machineId, volumeId) {
      const machine = find(machineId)
      if (!machine) return
      storage.requireReadable(volumeId)
      requireFree(volumeId, machine)
      if (!machine.spec.volumeIds.includes(volumeId)) {
        if (lives(machine)) requireAble(cannot.hotPlug)
        machine.spec.volumeIds = [...machine.spec.volumeIds, volumeId]
      }
      keepMachine(machineId)
    },
    growVolume: lasting(async (volumeId, machineId, sizeBytes) => {
      requireAble(cannot.growDisks)
      const machine = machineId === null ? undefined : machines.get(machineId)
      if (machine?.suspended || (machine && !lives(machine) && machine.resume))
        throw new EngineError('volume-busy', memoryKept, { retryable: true })
      if (machine) requireRoom(machine)
      return storage.growVolume(volumeId, sizeBytes)
    }),
    growRoot: lasting(async (id, sizeBytes) => {
      const machine = get(id)
      if (machine.rootLost)
        throw new EngineError('internal', 'The root disk of the VM is missing or damaged (simulated).', {
          retryable: true,
        })
      const { imageId, rootBytes: own = 0 } = machine.spec
      const has = Math.max(imageRootBytes(imageId), own)
      const rootBytes = Math.max(has, sizeBytes)
      if (rootBytes > has) {
        requireAble(cannot.growRootDisks)
        if (machine.suspended || (!lives(machine) && machine.resume))
          throw new EngineError('volume-busy', memoryKept, { retryable: true })
        requireRoom(machine)
        machine.spec = { ...machine.spec, rootBytes }
        keepMachine(id)
      }
      const asks = lives(machine) && isUp(machine) && faultOf(machine) !== 'no-agent'
      return { sizeBytes: rootBytes, fileSystem: asks ? 'grown' : 'next-boot' }
    }),
    changeKeys: lasting(async (id, keys) => {
      requireAble(cannot.changeKeys)
      const machine = get(id)
      if (!lives(machine)) return 'next-start'
      if (!isUp(machine)) throw new EngineError('unreachable', 'The guest is booting.', { retryable: true })
      const isAsBegun = machine.spec.sshPublicKeys.join() === keys.sshPublicKeys.join()
      if (faultOf(machine) === 'no-agent') return isAsBegun && !machine.run?.resumed ? 'taken' : 'next-start'
      machine.spec = { ...machine.spec, ...keys }
      keepMachine(id)
      return 'taken'
    }),
    growMachine: lasting(async (id, wished) => {
      const machine = get(id)
      const { cpu, memoryMb } = machine.spec
      if (!lives(machine) || faultOf(machine) === 'no-agent') return { cpu, memoryMb }
      if (!isUp(machine)) throw new EngineError('unreachable', 'The guest is booting.', { retryable: true })
      const size = { cpu: Math.max(cpu, wished.cpu), memoryMb: Math.max(memoryMb, wished.memoryMb) }
      machine.spec = { ...machine.spec, ...size }
      keepMachine(id)
      return size
    }),
    async detachVolume(machineId, volumeId, { signal }) {
      const machine = machines.get(machineId)
      if (!machine?.spec.volumeIds.includes(volumeId)) return 'released'
      if (lives(machine)) {
        requireAble(cannot.hotPlug)
        const clings = faultOf(machine) === 'clings'
        await Promise.race([pause(clings ? lifeMs.cling : lifeMs.letGo), aborted(signal)])
        if (clings && lives(machine) && !signal.aborted) return 'kept'
      }
      if (signal.aborted) throw new EngineError('aborted', 'The detach was ended.', { retryable: true })
      machine.spec.volumeIds = machine.spec.volumeIds.filter((id) => id !== volumeId)
      keepMachine(machineId)
      return 'released'
    },

    createMachineSnapshot: lasting(async (id, { machineId, volumeIds, memory }, work) => {
      storage.requireReadable(id)
      const there = storage.machineSnapshots.get(id)
      if (there) return madeOf(there)
      if (memory) requireAble(cannot.memorySnapshots)
      const machine = get(machineId)
      const alive = lives(machine)
      const snapshot = {
        ...contentsOf(machine, volumeIds, alive && memory),
        consistency: !alive ? ('clean' as const) : memory ? ('memory' as const) : ('crash' as const),
      }
      const run = machine.run?.id
      requireRoom(machine)
      await storage.copy(work)
      if (alive && (!lives(machine) || machine.run?.id !== run))
        throw new EngineError(
          'snapshot-lost',
          'The VM stopped while the snapshot was being created. Create it again.',
        )
      storage.machineSnapshots.set(id, snapshot)
      kept?.put('machineSnapshots', id, snapshot)
      return madeOf(snapshot)
    }),
    prepareRestore: lasting(async (machineId, { snapshotId, volumeIds }, work) => {
      const machine = get(machineId)
      if (machine.prepared?.snapshotId === snapshotId) return
      storage.requireReadable(snapshotId)
      const snapshot = storage.sound(storage.machineSnapshots.get(snapshotId))
      machine.prepared = null
      requireRoom(machine)
      const volumes = Object.fromEntries(
        Object.entries(snapshot.volumes).filter(([id]) => volumeIds.includes(id)),
      )
      await storage.copy(work)
      const { projectId, root, memory } = snapshot
      machine.prepared = { snapshotId, projectId, root, volumes: structuredClone(volumes), memory }
      keepMachine(machineId)
    }),
    switchDisks: lasting(async (machineId, safetyId, work) => {
      if (work.signal.aborted)
        throw new EngineError('aborted', 'The restore was stopped.', { retryable: true })
      const machine = get(machineId)
      const { prepared } = machine
      const done = storage.machineSnapshots.get(safetyId)
      if (!prepared) {
        if (done) return { ...madeOf(done), memory: machine.resume !== undefined && machine.resume !== null }
        throw new EngineError('snapshot-missing', 'Nothing was prepared to be restored.')
      }
      const safety = {
        ...contentsOf(machine, Object.keys(prepared.volumes), false),
        consistency: 'crash' as const,
      }
      if (lives(machine)) throw new EngineError('internal', 'The VM is still running.', { retryable: true })
      for (const id of Object.keys(safety.volumes)) requireFree(id, machine)
      storage.machineSnapshots.set(safetyId, safety)
      kept?.put('machineSnapshots', safetyId, safety)
      machine.root = prepared.root
      machine.rootLost = false
      for (const [id, volume] of Object.entries(prepared.volumes)) {
        // Left the machine, or was deleted, since the copies were made.
        if (!safety.volumes[id]) continue
        // What was made larger since stays so.
        volume.sizeBytes = Math.max(volume.sizeBytes, storage.volumes.get(id)?.sizeBytes ?? 0)
        storage.volumes.set(id, volume)
        kept?.put('volumes', id, volume)
      }
      machine.resume = prepared.memory
      machine.prepared = null
      keepMachine(machineId)
      return { ...madeOf(safety), memory: prepared.memory !== null }
    }),
    async dropRestore(machineId) {
      const machine = machines.get(machineId)
      if (machine) machine.prepared = null
      if (machine) keepMachine(machineId)
      return 'dropped'
    },
    deleteMachineSnapshot: lasting(async (id) => {
      storage.machineSnapshots.delete(id)
      kept?.put('machineSnapshots', id, undefined)
    }),

    createVolumeSnapshot: lasting(async (id, source, work) => {
      if (source.parentId !== null) requireAble(cannot.incrementalSnapshots)
      const holder = holderOf(source.volumeId)
      const consistency = holder && lives(holder) ? 'crash' : 'clean'
      if (holder) requireRoom(holder)
      return storage.createVolumeSnapshot(id, source, consistency, work)
    }),
    deleteVolumeSnapshot: lasting(storage.deleteVolumeSnapshot),
    inspectSnapshot: storage.inspectSnapshot,
    checkSnapshot: storage.checkSnapshot,
    listSnapshots: storage.listSnapshots,
    listProjects: async () => [...projects],
    deleteProject: lasting(async (projectId) => {
      const hasMachines = [...machines.values()].some(({ spec }) => spec.projectId === projectId)
      if (hasMachines || storage.hasOf(projectId))
        throw new EngineError('project-busy', 'Something of the project is left (simulated).', {
          retryable: true,
        })
      networks.delete(projectId)
      kept?.put('networks', projectId, undefined)
      projects.delete(projectId)
      kept?.put('projects', projectId, undefined)
    }),
    async saveTo(directory, objects) {
      requireAble(cannot.backups)
      const { machines: ids, volumes, machineSnapshots, volumeSnapshots } = objects
      const wanted = {
        machines: ids,
        papers: ids,
        volumes,
        machineSnapshots,
        volumeSnapshots,
        projects: [...projects],
        networks: [...projects],
      }
      const there = new Set(machines.keys())
      for (const held of [storage.volumes, storage.machineSnapshots, storage.volumeSnapshots])
        for (const id of held.keys()) there.add(id)
      const lines = everything().filter(
        ([section, id]) => section === 'counters' || wanted[section].includes(id),
      )
      saveLines(
        join(directory, SIMULATED_FILE),
        lines.map(([section, id, value]) => [
          section,
          id,
          section === 'machines' ? afterHostRestart(machines.get(id)) : value,
        ]),
      )
      const all = [...ids, ...volumes, ...machineSnapshots, ...volumeSnapshots]
      return new Map(all.filter((id) => !there.has(id)).map((id) => [id, 'Its files were not there.']))
    },

    loseVolume(id) {
      const volume = storage.volumes.get(id)
      if (volume) volume.lost = true
    },
    hide: storage.hide,
    networkOf: (projectId) => networks.get(projectId),
    unmountVolumes: storage.unmountVolumes,
    dropVolume(id) {
      storage.volumes.delete(id)
    },
    volumesOf: (id) => get(id).spec.volumeIds,
    hasPrepared: (id) => (machines.get(id)?.prepared ?? null) !== null,
    heldBy(id) {
      const snapshot = storage.machineSnapshots.get(id)
      if (!snapshot) return null
      const { root, memory, volumes } = snapshot
      const words = Object.entries(volumes).map(([volumeId, { content }]) => [volumeId, content])
      return { root, memory, volumes: Object.fromEntries(words) }
    },
    loseSnapshot(kind, id) {
      const snapshot = (kind === 'machine' ? storage.machineSnapshots : storage.volumeSnapshots).get(id)
      if (snapshot) snapshot.lost = true
    },
    findSnapshot(kind, id) {
      const snapshot = (kind === 'machine' ? storage.machineSnapshots : storage.volumeSnapshots).get(id)
      delete snapshot?.lost
    },
    poke(target, text) {
      if ('volumeId' in target) {
        const volume = storage.volumes.get(target.volumeId)
        if (volume) volume.content = text
        kept?.put('volumes', target.volumeId, volume)
      } else if ('memoryOf' in target) {
        get(target.memoryOf).memory = text
        keepMachine(target.memoryOf)
      } else {
        get(target.machineId).root = text
        keepMachine(target.machineId)
      }
    },
    peek(target) {
      if ('volumeId' in target) return storage.volumes.get(target.volumeId)?.content ?? ''
      return 'memoryOf' in target ? get(target.memoryOf).memory : get(target.machineId).root
    },

    endRun(id, exit) {
      end(get(id), exit)
    },
    print: consoles.print,
    setLoad(id, percent) {
      const machine = get(id)
      machine.usedMs = cpuMsOf(machine)
      machine.loadSince = clock.now()
      machine.load = percent
    },
    silence(id, quiet) {
      if (quiet) silent.add(id)
      else silent.delete(id)
    },
    closeSsh(id, closed) {
      if (closed) withoutSsh.add(id)
      else withoutSsh.delete(id)
      changed(id)
    },
    hold(id, held) {
      if (held) holds.set(id, held)
      else holds.delete(id)
      const machine = machines.get(id)
      // It boots once nothing keeps it.
      if (machine?.run && lives(machine)) {
        machine.run.launchedAt = clock.now()
        boot(machine)
      }
      changed(id)
    },
    loseMemory(id) {
      get(id).memoryDamaged = true
      keepMachine(id)
    },
    loseRootDisk(id) {
      get(id).rootLost = true
      changed(id)
    },
    findRootDisk(id) {
      get(id).rootLost = false
      changed(id)
    },
    setImage: images.force,
  }
}
