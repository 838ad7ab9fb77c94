import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ImageStore, STARTER_IMAGE } from '../../image/image-store.ts'
import type { Log } from '../../lib/log.ts'
import { type Engine, EngineError, type MachineExit, type MachineSpec, type MachineState } from '../engine.ts'
import { type Accelerator, probeAccelerator } from './accelerator.ts'
import { pickIp, pickPort } from './address.ts'
import { commandLine, MACHINE_SHAPE, VOLUME_PORTS } from './command-line.ts'
import { createOverlay, isOverlay, makeVolumes, requireSpace } from './disks.ts'
import { judgeExit, readJournal } from './exit.ts'
import { asEngineError, launchFailure, withoutHost } from './failure.ts'
import { type Guest, holdGuest } from './guest.ts'
import { launchQemu } from './launch.ts'
import { fileNames, isMachineId, type MachineRecord, makeMachineDirs, type RunRecord } from './machine-dir.ts'
import { type GuestNetwork, openNetwork, refreshRules } from './network.ts'
import { isRunOf, readBootId, readPid, residentMb } from './process.ts'
import { writeSeed } from './seed.ts'

/** Console output kept per machine. */
const SERIAL_LOG_BYTES = 8 * 1024 * 1024
/** Memory a guest takes beside its own: QEMU itself and translated code. */
const OVERHEAD_MB = 128

/**
 * Virtual machines by QEMU on this host. Each guest is a process of its own that outlives the server; everything
 * about a machine stands in its directory `<dataDir>/machines/<id>/`, so that any later process finds it again.
 */
export function makeQemuEngine(deps: { dataDir: string; images: ImageStore; log: Log }): Engine {
  const { images, log } = deps
  // QEMU runs in the machine's directory, so relative paths would lead elsewhere.
  const dataDir = resolve(deps.dataDir)
  const dirs = makeMachineDirs(dataDir)
  const volumes = makeVolumes(dataDir)
  const guests = new Map<string, Guest>()
  const holding = new Map<string, Promise<Guest>>()
  /** Runs that are being launched: there is no process yet, or not one to judge. */
  const launching = new Map<string, RunRecord>()
  const ips = new Map<string, string>()
  const listeners = new Set<(machineId: string) => void>()
  const inTurn = makeTurns()
  let host: { accelerator: Accelerator; network: GuestNetwork; bootId: string } | null = null

  const changed = (machineId: string) => {
    for (const listener of listeners) listener(machineId)
  }

  function opened() {
    if (!host) throw new EngineError('internal', 'The engine has not been opened.')
    return host
  }

  async function readWhole(machineId: string): Promise<MachineRecord> {
    const record = await dirs.readRecord(machineId)
    if (!record) throw new EngineError('machine-missing', 'The virtual machine does not exist on the host.')
    return record
  }

  /** The process of the machine's last run, when it still lives. */
  async function livingRun(machineId: string): Promise<{ run: RunRecord; pid: number } | null> {
    const run = await dirs.readRun(machineId)
    const pid = await readPid(dirs.fileOf(machineId, fileNames.pid))
    return run && pid && (await isRunOf(pid, machineId, run.run)) ? { run, pid } : null
  }

  /** QEMU serves one client per socket, so everybody who wants the guest waits for the same one. */
  function hold(machineId: string, record: MachineRecord, living: { run: RunRecord; pid: number }) {
    const begun = holding.get(machineId)
    if (begun !== undefined) return begun
    const work = (async () => {
      const holder = { dirs, log, onChange: changed }
      const guest = await holdGuest(machineId, { ...living, address: record.address }, holder)
      guests.set(machineId, guest)
      void guest.gone.then(() => {
        if (guests.get(machineId) !== guest) return
        guests.delete(machineId)
        changed(machineId)
      })
      return guest
    })().finally(() => holding.delete(machineId))
    holding.set(machineId, work)
    return work
  }

  /** The guest, taken hold of when a living one was not yet; null when none lives. */
  async function guestOf(machineId: string): Promise<Guest | null> {
    const held = guests.get(machineId)
    if (held && (await isRunOf(held.pid, machineId, held.run.run))) return held
    const living = await livingRun(machineId)
    if (!living) return null
    return hold(machineId, await readWhole(machineId), living)
  }

  async function launch(machineId: string, record: MachineRecord): Promise<void> {
    const { accelerator, network, bootId } = opened()
    const files = fileNames
    for (const name of [files.pid, files.asked, files.ready, files.log, files.qmp, files.serial]) {
      await rm(dirs.fileOf(machineId, name), { force: true })
    }
    await writeFile(dirs.fileOf(machineId, files.journalIn), '{"execute":"qmp_capabilities"}\n')
    await writeFile(dirs.fileOf(machineId, files.journalOut), '')
    const thisRun: RunRecord = { run: randomUUID(), shape: MACHINE_SHAPE, bootId, startedAt: Date.now() }
    launching.set(machineId, thisRun)
    await dirs.writeRun(machineId, thisRun)
    const args = commandLine({ record, run: thisRun, accelerator, network, volumePath: volumes.pathOf })
    try {
      const { pid, ended } = await launchQemu(args, dirs.pathOf(machineId))
      try {
        await Promise.race([hold(machineId, record, { run: thisRun, pid }), ended])
      } catch (error) {
        // The line breaks a moment before the end is seen, which tells more. A guest without a line must not stay.
        const end = await Promise.race([ended.catch((why: unknown) => why), sleep(500, error)])
        kill(pid)
        while (await isRunOf(pid, machineId, thisRun.run)) await sleep(10)
        throw end
      }
    } catch (error) {
      await rm(dirs.fileOf(machineId, files.run), { force: true })
      throw launchFailure(error)
    } finally {
      launching.delete(machineId)
    }
    changed(machineId)
  }

  /** Ends a guest at once, first politely so that its disks are flushed, then by force. */
  async function end(machineId: string): Promise<void> {
    const guest = guests.get(machineId)
    const living = guest ? { run: guest.run, pid: guest.pid } : await livingRun(machineId)
    if (!living) return
    await dirs.writeMark(machineId, 'asked', living.run.run)
    guest?.qmp.execute('quit').catch(() => {})
    for (let look = 0; await isRunOf(living.pid, machineId, living.run.run); look += 1) {
      if (look === (guest ? 150 : 0)) kill(living.pid)
      await sleep(20)
    }
    guests.delete(machineId)
    guest?.release()
    changed(machineId)
  }

  async function exitOf(machineId: string, run: RunRecord): Promise<MachineExit> {
    const text = (name: string) => readFile(dirs.fileOf(machineId, name), 'utf8').catch(() => '')
    return judgeExit({
      run,
      bootId: opened().bootId,
      asked: (await dirs.readMark(machineId, 'asked')) === run.run,
      events: readJournal(await text(fileNames.journalOut)),
      lastWords: withoutHost((await text(fileNames.log)).trim().split('\n').at(-1) ?? ''),
    })
  }

  async function inspect(machineId: string): Promise<MachineState> {
    if (!isMachineId(machineId)) return { power: 'absent' }
    const record = await dirs.readRecord(machineId)
    if (!record) return { power: 'absent' }
    const launched = launching.get(machineId)
    if (launched) return { power: 'booting', run: launched.run, address: record.address }
    try {
      const guest = await guestOf(machineId)
      if (guest) {
        const { address } = guest
        const run = guest.run.run
        return guest.isReady() ? { power: 'ready', run, address } : { power: 'booting', run, address }
      }
    } catch (error) {
      // It lives, but its line is taken or it does not answer: a guest of which nothing more is known.
      log.warn({ machine: machineId, error }, 'A guest does not answer the engine')
      const living = await livingRun(machineId)
      if (living) return { power: 'booting', run: living.run.run, address: record.address }
    }
    if (!(await isOverlay(dirs.fileOf(machineId, fileNames.root)))) {
      // Deleted between two looks?
      if (!(await dirs.readRecord(machineId))) return { power: 'absent' }
      return { power: 'broken', reason: 'Its root disk is lost or damaged.' }
    }
    const run = await dirs.readRun(machineId)
    return run
      ? { power: 'off', run: run.run, exit: await exitOf(machineId, run) }
      : { power: 'off', run: null, exit: null }
  }

  /** Takes up what an earlier process left of a machine; what it left half-made goes. */
  async function adopt(machineId: string): Promise<void> {
    const record = await dirs.readRecord(machineId)
    if (!record) return dirs.remove(machineId)
    ips.set(machineId, record.address.ip)
    await guestOf(machineId).catch((error: unknown) =>
      log.warn({ machine: machineId, error }, 'A guest was not adopted'),
    )
  }

  /** Keeps a guest that talks without end from filling the host's disk; QEMU appends, so cutting is safe. */
  async function trimSerialLog(machineId: string): Promise<void> {
    const path = dirs.fileOf(machineId, fileNames.serialLog)
    const { size } = await stat(path)
    if (size > SERIAL_LOG_BYTES) await truncate(path, 0)
  }

  return {
    kind: 'qemu',
    get capabilities() {
      return {
        accelerator: host?.accelerator.kind ?? null,
        acceleratorReason: host?.accelerator.reason ?? null,
        network: host?.network.sentence ?? 'Unknown until the engine is open.',
      }
    },

    async open() {
      await dirs.open()
      await volumes.open()
      const network = await openNetwork(log)
      const accelerator = await probeAccelerator(dataDir, () => images.use(STARTER_IMAGE).catch(() => null))
      host = { accelerator, network, bootId: await readBootId() }
      // Side by side: a guest that does not answer must not hold up the others.
      await Promise.all((await dirs.ids()).map(adopt))
    },

    async close() {
      for (const guest of guests.values()) guest.release()
      guests.clear()
      listeners.clear()
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async freeMemoryMb() {
      let untouched = 0
      for (const [id, { pid }] of guests) {
        const given = ((await dirs.readRecord(id))?.spec.memoryMb ?? 0) + OVERHEAD_MB
        untouched += Math.max(0, given - (await residentMb(pid)))
      }
      return Math.max(0, Math.floor(process.availableMemory() / (1024 * 1024) - untouched - OVERHEAD_MB))
    },

    image: (imageId) => images.ensure(imageId),

    createMachine: (spec) =>
      inTurn(spec.id, async () => {
        requireSoundSpec(spec)
        if (await dirs.readRecord(spec.id)) return
        const ip = ips.get(spec.id) ?? pickIp(spec.id, new Set(ips.values()))
        ips.set(spec.id, ip)
        try {
          await requireSpace(dataDir)
          const image = await images.use(spec.imageId)
          await dirs.create(spec.id)
          await createOverlay(dirs.fileOf(spec.id, fileNames.root), image.disk)
          await writeSeed(dirs.fileOf(spec.id, fileNames.seed), spec)
          const address = { ip, port: await pickPort(ip, null) }
          await dirs.writeRecord(spec.id, { spec, address, image })
        } catch (error) {
          ips.delete(spec.id)
          await dirs.remove(spec.id)
          throw asEngineError(error, 'The virtual machine could not be made')
        }
      }),

    startMachine: (machineId, { freshRoot }) =>
      inTurn(machineId, async () => {
        const record = await readWhole(machineId)
        if (await guestOf(machineId)) return
        const { spec } = record
        const root = dirs.fileOf(machineId, fileNames.root)
        try {
          if (process.availableMemory() < (spec.memoryMb + OVERHEAD_MB) * 1024 * 1024) {
            throw new EngineError('no-memory', 'The host has too little free memory for it.', {
              retryable: true,
            })
          }
          await requireSpace(dataDir)
          if (!opened().network.restrict) await refreshRules()
          if (freshRoot) {
            record.image = await images.use(spec.imageId)
            await createOverlay(root, record.image.disk)
          } else if (await isOverlay(root)) {
            await images.verify(spec.imageId, record.image)
          } else {
            throw new EngineError('internal', 'Its root disk is lost or damaged.')
          }
          record.address.port = await pickPort(record.address.ip, record.address.port)
          await dirs.writeRecord(machineId, record)
          await launch(machineId, record)
        } catch (error) {
          throw asEngineError(error, 'The virtual machine could not be started')
        }
      }),

    powerDown: (machineId) =>
      inTurn(machineId, async () => {
        const guest = isMachineId(machineId) ? await guestOf(machineId) : null
        if (!guest) return
        await dirs.writeMark(machineId, 'asked', guest.run.run)
        // A guest that ends in this moment needs no button.
        await guest.qmp.execute('system_powerdown').catch(() => {})
      }),

    powerOff: (machineId) => inTurn(machineId, () => end(machineId)),

    deleteMachine: (machineId) =>
      inTurn(machineId, async () => {
        if (!isMachineId(machineId)) return
        await end(machineId)
        // The record goes first: what a crash leaves counts as half-made and is cleared at the next start.
        await rm(dirs.fileOf(machineId, fileNames.record), { force: true })
        await dirs.remove(machineId)
        ips.delete(machineId)
        changed(machineId)
      }),

    inspect,
    async list() {
      const look = async (id: string): Promise<[string, MachineState]> => {
        if (guests.has(id)) await trimSerialLog(id).catch(() => {})
        return [id, await inspect(id)]
      }
      const states = await Promise.all((await dirs.ids()).map(look))
      return new Map(states.filter(([, state]) => state.power !== 'absent'))
    },

    async createVolume(volumeId, sizeBytes) {
      requireId(volumeId)
      await inTurn(volumeId, () => volumes.create(volumeId, sizeBytes)).catch((error: unknown) => {
        throw asEngineError(error, 'The volume could not be made')
      })
    },
    async deleteVolume(volumeId) {
      requireId(volumeId)
      await inTurn(volumeId, () => volumes.remove(volumeId))
    },
  }
}

/** Ids become file names, so nothing else passes. */
function requireId(id: string): void {
  if (!isMachineId(id)) throw new EngineError('internal', 'An id is not a lower-case UUID.')
}

function requireSoundSpec(spec: MachineSpec): void {
  for (const id of [spec.id, ...spec.volumeIds]) requireId(id)
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(spec.hostname)) {
    throw new EngineError('internal', 'The host name is not a valid label.')
  }
  if (spec.volumeIds.length > VOLUME_PORTS) {
    throw new EngineError('unsupported', `A virtual machine takes at most ${VOLUME_PORTS} disks.`)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in the meantime, which is what was wanted.
  }
}

/** Runs work on one id strictly one after another; different ids do not wait for each other. */
function makeTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(id) ?? Promise.resolve()).then(work, work)
    last.set(id, turn)
    try {
      return await turn
    } finally {
      if (last.get(id) === turn) last.delete(id)
    }
  }
}
