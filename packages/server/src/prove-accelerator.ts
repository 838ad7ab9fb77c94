/**
 * `npm run prove-accelerator`: takes a guest of the Starter image through all that an engine does, with the
 * accelerator that `SLIPWAY_ACCELERATOR` names (the script sets `kvm` when nothing is), and prints each step with its time.
 *
 * `-- --minutes N` is how long each step may take, 10 unless given: a KVM that emulates guest code is very slow.
 * Images are those of `SLIPWAY_DATA_DIR`; everything else lives in a directory that is removed in the end.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import type { Engine, MachineSpec, Work } from './engine/engine.ts'
import { STARTER_IMAGE } from './image/image-store.ts'
import { readRecipes } from './image/recipe.ts'
import { systemClock } from './lib/clock.ts'
import { withDeadline } from './lib/deadline.ts'
import { makeLog } from './lib/log.ts'
import { qemuFor } from './qemu.ts'

const LOOK_MS = 100
const work: Work = { signal: new AbortController().signal, onProgress: () => {} }

type Step = [what: string, run: (engine: Engine) => Promise<unknown>]

/** Waits until something holds. */
async function until(what: string, holds: () => Promise<boolean>, ms: number): Promise<void> {
  for (const latest = Date.now() + ms; !(await holds()); await sleep(LOOK_MS)) {
    if (Date.now() > latest) throw new Error(`${what} did not happen within ${ms / 60_000} minutes`)
  }
}

function stepsFor(machine: MachineSpec, limitMs: number): Step[] {
  const { id } = machine
  const [volumeId, snapshotId, safetyId] = [randomUUID(), randomUUID(), randomUUID()]
  const power = (engine: Engine, wanted: string) =>
    until(`The state ${wanted}`, async () => (await engine.inspect(id)).power === wanted, limitMs)

  /** Waits until the guest has printed a text behind an offset of its console. */
  async function prints(engine: Engine, text: string, from: number): Promise<void> {
    const console = await engine.openConsole(id)
    if (!console) throw new Error('There is no console')
    const read = async () => String(await console.read(from, 1024 * 1024))
    try {
      await until(
        `The text ${JSON.stringify(text)} on the console`,
        async () => (await read()).includes(text),
        limitMs,
      )
    } finally {
      console.close()
    }
  }
  const start: Step = ['start', (engine) => engine.startMachine(id, { freshRoot: false, volumeIds: [] })]
  const ready: Step = ['ready', (engine) => power(engine, 'ready')]

  return [
    ['create', (engine) => engine.createMachine(machine)],
    start,
    ['console: the guest prints', (engine) => prints(engine, '\n', 0)],
    ready,
    [
      'console: the guest answers what is typed',
      async (engine) => {
        const console = await engine.openConsole(id)
        const from = console?.extent().end ?? 0
        await console?.write(Buffer.from('\r'))
        console?.close()
        await prints(engine, '\n', from)
      },
    ],
    [
      'hot-plug: create a disk',
      (engine) =>
        engine.createVolume(
          {
            id: volumeId,
            projectId: machine.projectId,
            source: { from: 'nothing' },
            sizeBytes: 64 * 1024 ** 2,
          },
          work,
        ),
    ],
    ['hot-plug: attach it', (engine) => engine.attachVolume(id, volumeId)],
    [
      'hot-plug: detach it',
      async (engine) => {
        const took = await engine.detachVolume(id, volumeId, work)
        if (took !== 'released') throw new Error('The guest did not let go of the disk')
      },
    ],
    [
      'snapshot with memory',
      (engine) =>
        engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work),
    ],
    ['stop by force', (engine) => engine.powerOff(id)],
    [
      'restore',
      async (engine) => {
        await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work)
        const { memory } = await engine.switchDisks(id, safetyId, work)
        if (!memory) throw new Error('The saved memory was not restored')
      },
    ],
    start,
    ready,
    ['stop: ask the guest to power off', (engine) => engine.powerDown(id)],
    ['stopped', (engine) => power(engine, 'off')],
  ]
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
  const limitMs = Number(values.minutes) * 60_000
  if (!(limitMs > 0)) throw new Error('Give --minutes a number above 0.')
  const config = readConfig()
  const images = path.join(config.dataDir, 'images')
  const dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-prove-'))
  // The images may take minutes to build, and are good for every data directory.
  await mkdir(images, { recursive: true, mode: 0o700 })
  await symlink(images, path.join(dataDir, 'images'))
  const log = makeLog(config.logLevel)
  // Without a limit: what the machines of another data directory boot must not be cleared away.
  const unlimited = { ...config, dataDir, imagesGb: Number.POSITIVE_INFINITY }
  const { engine } = qemuFor(unlimited, await readRecipes(), log)
  const machine: MachineSpec = {
    id: randomUUID(),
    projectId: 'prove',
    hostname: 'prove',
    cpu: 1,
    memoryMb: 512,
    imageId: STARTER_IMAGE,
    sshPublicKeys: [],
    volumeIds: [],
    persistent: true,
  }
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`Ended by ${signal}.`)))
    }
  })
  // Heard by the step that is under way.
  interrupted.catch(() => {})
  try {
    await engine.open()
    const { accelerator, acceleratorReason } = engine.capabilities
    console.log(`Accelerator: ${accelerator}. ${acceleratorReason}`)
    for (const [what, run] of stepsFor(machine, limitMs)) {
      const startedAt = performance.now()
      const took = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`.padStart(9)
      try {
        // A little longer than what a step waits for by itself, which says better what was missing.
        await withDeadline(Promise.race([run(engine), interrupted]), limitMs + 30_000, what, systemClock)
      } catch (error) {
        console.log(`${took()}  ${what}: NOT done. ${error instanceof Error ? error.message : error}`)
        return false
      }
      console.log(`${took()}  ${what}`)
    }
    return true
  } finally {
    await engine.deleteMachine(machine.id).catch((error: unknown) => console.error(error))
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

main().then(
  (good) => process.exit(good ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
