/**
 * The simulated engine: no guest, no disk, but the same promises and the same timing shape, for tests and for work
 * on the screens. It is chosen only explicitly and the console says so on every page.
 *
 * What a machine is doing follows from the clock alone, so a virtual clock makes it deterministic. A host name that
 * starts with `fault-<name>` brings a fault along; anybody can then see the failure in the running console.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'
import {
  type Address,
  type Engine,
  EngineError,
  type ImageState,
  type MachineExit,
  type MachineSpec,
  type MachineState,
} from '../engine.ts'

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
} as const
export type Fault = keyof typeof faults

interface Machine {
  spec: MachineSpec
  address: Address
  rootLost: boolean
  /** The present or last run; null before the first. */
  run: { id: string; launchedAt: number; endsAt: number | null; exit: MachineExit | null } | null
  launches: number
}

export interface SimulatedOptions {
  clock: Clock
  /** How many times faster than life; 1 boots in about four seconds. */
  speed?: number
  hostMemoryMb?: number
  /** Keeps machines over a restart of the server, as real ones would be. */
  file?: string
}

const lifeMs = { create: 600, boot: 3_500, powerDown: 1_200, crash: 1_500 }

export interface SimulatedEngine extends Engine {
  /** Ends a run as if something had happened to the guest. */
  endRun: (machineId: string, exit: MachineExit) => void
  loseRootDisk: (machineId: string) => void
  setImage: (state: ImageState) => void
}

export function makeSimulatedEngine(options: SimulatedOptions): SimulatedEngine {
  const { clock, speed = 1, hostMemoryMb = 4 * 1024 * 1024 } = options
  const span = (ms: number) => ms / speed
  const machines = new Map<string, Machine>()
  const volumes = new Map<string, number>()
  const listeners = new Set<(id: string) => void>()
  let image: ImageState = { state: 'ready' }
  let nextAddress = 1
  let runs = 0
  let saving = false

  const changed = (id: string) => {
    save()
    for (const listener of listeners) listener(id)
  }

  function save(): void {
    if (!options.file || saving) return
    saving = true
    clock.after(100, saveNow)
  }

  function saveNow(): void {
    saving = false
    if (options.file)
      writeFileSync(
        options.file,
        JSON.stringify({ machines: [...machines], volumes: [...volumes], nextAddress }),
      )
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
    }
  }

  const lives = (machine: Machine): boolean => {
    settle(machine)
    return machine.run !== null && machine.run.exit === null
  }

  function get(id: string): Machine {
    const machine = machines.get(id)
    if (!machine) throw new EngineError('machine-missing', 'The machine does not exist.')
    return machine
  }

  function stateOf(machine: Machine | undefined): MachineState {
    if (!machine) return { power: 'absent' }
    settle(machine)
    const { run, address } = machine
    if (run && run.exit === null) {
      const up = faultOf(machine) !== 'never-ready' && clock.now() >= run.launchedAt + span(lifeMs.boot)
      return { power: up ? 'ready' : 'booting', run: run.id, address }
    }
    if (machine.rootLost)
      return { power: 'broken', reason: 'The root disk of this VM is damaged (simulated).' }
    return { power: 'off', run: run?.id ?? null, exit: run?.exit ?? null }
  }

  function endAfter(id: string, machine: Machine, ms: number): void {
    if (!machine.run) return
    machine.run.endsAt = clock.now() + ms
    clock.after(ms, () => changed(id))
  }

  return {
    kind: 'simulated',
    capabilities: {
      accelerator: null,
      acceleratorReason: 'Nothing is executed: the engine is simulated.',
      network: 'Simulated: addresses do not answer.',
    },

    async open() {
      if (!options.file) return
      try {
        const kept = JSON.parse(readFileSync(options.file, 'utf8')) as {
          machines: [string, Machine][]
          volumes: [string, number][]
          nextAddress: number
        }
        for (const [id, machine] of kept.machines) machines.set(id, machine)
        for (const [id, size] of kept.volumes) volumes.set(id, size)
        nextAddress = kept.nextAddress
      } catch {
        // Nothing kept yet.
      }
    },
    async close() {
      saveNow()
      listeners.clear()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async freeMemoryMb() {
      let used = 0
      for (const machine of machines.values()) if (lives(machine)) used += machine.spec.memoryMb
      return hostMemoryMb - used
    },
    image: async () => image,

    async createMachine(spec) {
      if (machines.has(spec.id)) return
      await new Promise<void>((resolve) => clock.after(span(lifeMs.create), resolve))
      const n = nextAddress++
      const machine: Machine = {
        spec,
        address: { ip: `127.100.${Math.floor(n / 254)}.${(n % 254) + 1}`, port: 22 },
        rootLost: false,
        run: null,
        launches: 0,
      }
      if (faultOf(machine) === 'no-space') {
        throw new EngineError('no-space', 'The host has no disk space left for the root disk.')
      }
      if (!machines.has(spec.id)) machines.set(spec.id, machine)
      changed(spec.id)
    },

    async startMachine(id) {
      const machine = get(id)
      if (lives(machine)) return
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
      machine.run = { id: `run-${++runs}-${clock.now()}`, launchedAt: clock.now(), endsAt: null, exit: null }
      if (fault === 'crash' || (fault === 'leaves' && machine.launches === 1))
        endAfter(id, machine, span(lifeMs.crash))
      clock.after(span(lifeMs.boot), () => changed(id))
      changed(id)
    },

    async powerDown(id) {
      const machine = machines.get(id)
      if (!machine || !lives(machine) || faultOf(machine) === 'deaf' || machine.run?.endsAt != null) return
      endAfter(id, machine, span(lifeMs.powerDown))
    },

    async powerOff(id) {
      const machine = machines.get(id)
      if (!machine || !lives(machine) || !machine.run) return
      machine.run.exit = { how: 'asked' }
      changed(id)
    },

    async deleteMachine(id) {
      if (machines.delete(id)) changed(id)
    },

    inspect: async (id) => stateOf(machines.get(id)),
    async list() {
      return new Map([...machines].map(([id, machine]) => [id, stateOf(machine)]))
    },

    async createVolume(id, sizeBytes) {
      if (!volumes.has(id)) volumes.set(id, sizeBytes)
      save()
    },
    async deleteVolume(id) {
      volumes.delete(id)
      save()
    },

    endRun(id, exit) {
      const { run } = get(id)
      if (run) run.exit = exit
      changed(id)
    },
    loseRootDisk(id) {
      get(id).rootLost = true
      changed(id)
    },
    setImage(state) {
      image = state
    },
  }
}
