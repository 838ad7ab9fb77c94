import { randomUUID } from 'node:crypto'
import { beforeEach, expect } from 'vitest'
import type {
  Address,
  Engine,
  Limits,
  MachineSpec,
  MachineState,
  VolumeSource,
  VolumeSpec,
  Work,
} from './engine.ts'

/** What the suite needs to put an engine to the test. */
export interface EngineHarness {
  /** A new engine over the same data, opened: what a restarted server has. The suite closes the one before. */
  open(): Promise<Engine>
  imageId: string
  /** The key whose private half `ssh` signs in with. */
  sshPublicKey: string
  /** Lets `ms` go by: really, or on a virtual clock. */
  pass(ms: number): Promise<void>
  /** Lets something happen to a living guest without the engine being asked. */
  happen(
    machineId: string,
    what: 'powers itself off' | 'reboots' | 'is killed',
    address: Address,
  ): Promise<void>
  /** Keeps a processor of a living guest busy for so long. */
  work?(machineId: string, seconds: number, address: Address): Promise<void>
  /** Runs a command in the guest and resolves with what it printed. Left out where there is no real guest. */
  ssh?(address: Address, command: string): Promise<string>
  /** Whether its guests greet at port 22 although nobody can sign in to them. */
  greets?: true
  /** Whether its guests make use of a larger root disk at their next boot only, as nobody can ask them to. */
  growsAtBoot?: true
  /** How to talk to its guests over the console, where nobody is signed in there from the start. */
  console?: { signIn: string; prompt: string; command: string; output: string }
  /** Signs in as root without the key; resolves with what the server answered. Comes with `ssh`. */
  sshWithoutKey?(address: Address): Promise<string>
  /** Whether guests run on the machine that runs the server. Comes with `ssh`. */
  onThisHost?: true
  /** Names of processes and files of a machine, volume or snapshot on the host. Left out where there are none. */
  traces?(id: string): Promise<{ processes: string[]; files: string[] }>
  /** Where there is no guest to write bytes: puts a line into a root disk, a guest's memory or a volume. */
  poke?(where: Content, text: string): Promise<void>
  peek?(where: Content): Promise<string>
  /** Damages the file of something that is not in use. */
  damage?(
    what: { volumeId: string } | { machineSnapshotId: string } | { volumeSnapshotId: string },
  ): Promise<void>
  /** Makes something unreadable, or readable again. Left out where that cannot be done, as in a cluster. */
  hide?(what: Kept, hidden: boolean): Promise<void>
  /** Takes the directory of all volumes away, as if it were not mounted, or brings it back. Left out where there is none. */
  unmountVolumes?(unmounted: boolean): Promise<void>
  cleanUp(): Promise<void>
}

/** Something the engine keeps. */
export type Kept =
  | { machineId: string }
  | { volumeId: string }
  | { machineSnapshotId: string }
  | { volumeSnapshotId: string }

/** Something that keeps a line of text. */
export type Content = { machineId: string } | { memoryOf: string } | { volumeId: string }

/** How long a guest may take for anything, on a busy host without hardware acceleration. */
export const PATIENCE_MS = 90_000

/** A harness with an engine that is open; the machines are to boot its image and let its key in. */
export async function opened(makeHarness: () => Promise<EngineHarness>, ...machines: MachineSpec[]) {
  const harness = await makeHarness()
  for (const spec of machines) {
    spec.imageId = harness.imageId
    spec.sshPublicKeys = [harness.sshPublicKey]
  }
  return { harness, engine: await harness.open() }
}

/**
 * For tests that build on each other, because a guest takes its time: after one that failed the others of its suite are
 * skipped, which say nothing but that it did, and wait minutes for it.
 */
export function buildOnEachOther(): void {
  beforeEach(({ task, skip }) => {
    const failed = task.suite?.tasks.find((one) => one !== task && one.result?.state === 'fail')
    if (failed) skip(`It builds on "${failed.name}", which failed`)
  })
}

/** The moves the suites are written with. `at` tells the harness and the engine as they are when they are used. */
export function makeMoves(name: string, at: () => { harness: EngineHarness; engine: Engine }) {
  /** Lets time pass until the work is done, for engines on a virtual clock. */
  async function done<T>(work: Promise<T>): Promise<T> {
    let settled = false
    const mark = () => {
      settled = true
    }
    work.then(mark, mark)
    for (let passed = 0; !settled && passed < PATIENCE_MS; passed += 50) await at().harness.pass(50)
    return work
  }

  /** Looks until the machine is in the wanted state. */
  async function until<P extends MachineState['power']>(id: string, power: P) {
    for (let passed = 0; passed < PATIENCE_MS; passed += 50) {
      const state = await at().engine.inspect(id)
      if (isIn(state, power)) return state
      await at().harness.pass(50)
    }
    throw new Error(
      `The machine did not become ${power}; it is ${JSON.stringify(await at().engine.inspect(id))}`,
    )
  }

  /** Runs a command in a guest. */
  async function inGuest(id: string, command: string): Promise<string> {
    const { address } = await until(id, 'ready')
    const { ssh } = at().harness
    if (!ssh) throw new Error('There is no guest')
    return ssh(address, command)
  }

  return {
    done,
    until,
    inGuest,

    async powerOff(id: string): Promise<void> {
      await done(at().engine.powerOff(id))
      await until(id, 'off')
    },
    async remove(id: string): Promise<void> {
      await done(at().engine.deleteMachine(id))
      await until(id, 'absent')
    },

    /** Writes a line as the guest of a machine, or as the harness can. */
    async write(id: string, where: Content, text: string): Promise<void> {
      const { ssh, poke } = at().harness
      if (ssh) await inGuest(id, `path=${pathIn(where)}; echo '${text}' | dd of=$path conv=fsync 2>/dev/null`)
      else await poke?.(where, text)
    },
    async read(id: string, where: Content): Promise<string> {
      const { ssh, peek } = at().harness
      if (!ssh) return (await peek?.(where)) ?? ''
      return (await inGuest(id, `path=${pathIn(where)}; head -n1 $path 2>/dev/null || true`)).trim()
    },

    /** Skips a test of what an engine may be unable to do. */
    needs(what: keyof Limits, skip: (note: string) => never): void {
      const limit = at().engine.capabilities.cannot[what]
      if (limit !== null) skip(limit)
    },

    /** Takes a volume off. A guest on a busy host may keep it for longer than an engine waits: then it is asked again. */
    async detach(machineId: string, volumeId: string): Promise<void> {
      const ask = () => done(at().engine.detachVolume(machineId, volumeId, work()))
      let answer = await ask()
      for (let asked = 1; answer === 'kept' && asked < 6; asked += 1) answer = await ask()
      expect(answer).toBe('released')
    },

    /** Removes what the project of the suites has of its own, which may take a moment to be gone. */
    async removeProject(): Promise<void> {
      await done(at().engine.deleteProject(PROJECT_ID))
      const isThere = async () => (await at().engine.listProjects()).includes(PROJECT_ID)
      for (let passed = 0; (await isThere()) && passed < PATIENCE_MS; passed += 50)
        await at().harness.pass(50)
      expect(await isThere()).toBe(false)
    },

    /** The code a call fails with. */
    code: (work: Promise<unknown>) =>
      done(work).then(
        () => 'no error',
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      ),

    /** A part of the harness; skips the test, and says so, where there is none. */
    real<K extends keyof EngineHarness>(
      key: K,
      skip: (note: string) => never,
    ): NonNullable<EngineHarness[K]> {
      const way = at().harness[key]
      if (way) return way
      console.log(`  ${name} has no ${key}: a promise is not tested here`)
      return skip(`${name} has no ${key}`)
    },

    async imageIsReady(): Promise<void> {
      let state = await at().engine.image(at().harness.imageId)
      for (let passed = 0; state.state === 'coming' && passed < IMAGE_PATIENCE_MS; passed += 200) {
        expect(state.what).toBeTruthy()
        await at().harness.pass(200)
        state = await at().engine.image(at().harness.imageId)
      }
      expect(state).toEqual({ state: 'ready' })
    },
  }
}

/** Whose machines and volumes those of the suites are. */
export const PROJECT_ID = '00000000-0000-4000-8000-00000000000a'

/** A small machine of that project. */
export const machineSpec = (hostname: string, more: Partial<MachineSpec> = {}): MachineSpec => ({
  id: randomUUID(),
  projectId: PROJECT_ID,
  hostname,
  cpu: 1,
  memoryMb: 256,
  imageId: '',
  sshPublicKeys: [],
  volumeIds: [],
  persistent: true,
  ...more,
})

/** A volume of that project. */
export const volumeSpec = (id: string, source: VolumeSource, sizeBytes: number): VolumeSpec => ({
  id,
  projectId: PROJECT_ID,
  source,
  sizeBytes,
})

/** Long work nobody ends. */
export const work = (): Work => ({ signal: new AbortController().signal, onProgress: () => {} })

/** Prints the id of this boot of a guest. */
export const BOOT_ID = 'cat /proc/sys/kernel/random/boot_id'

/** Prints the processors of a guest and its MB of memory, a line each. */
export const SIZE = "nproc; awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo"

/** Begins to count ten times a second, in the memory of a guest; prints the guest's id of this boot. */
export const COUNT_FOR_EVER = `(n=0; while :; do n=$((n+1)); echo $n > /tmp/count.new; mv /tmp/count.new /tmp/count; sleep 0.1; done) >/dev/null 2>&1 </dev/null & until test -e /tmp/count; do sleep 0.1; done; ${BOOT_ID}`

/** Where a guest keeps a line, as a word of its shell. A disk that was just plugged in takes it a moment to see. */
export function pathIn(where: Content): string {
  if ('machineId' in where) return '/root/content'
  if ('memoryOf' in where) return '/tmp/content'
  const serial = where.volumeId.slice(0, 20)
  // On a cluster it is one of SCSI.
  const itsSerial = 'cat $disk/serial 2>/dev/null || tail -c +5 $disk/device/vpd_pg80'
  const look = `for disk in /sys/block/[sv]d*; do [ "$(${itsSerial})" = ${serial} ] && echo /dev/\${disk##*/} && break 2; done`
  return `$(for try in $(seq 100); do ${look}; sleep 0.1; done)`
}

const IMAGE_PATIENCE_MS = 300_000

export const isIn = <P extends MachineState['power']>(
  state: MachineState,
  power: P,
): state is Extract<MachineState, { power: P }> => state.power === power
