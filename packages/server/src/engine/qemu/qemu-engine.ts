import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ImageStore, STARTER_IMAGE } from '../../image/image-store.ts'
import type { Importer } from '../../image/import.ts'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import {
  type Engine,
  EngineError,
  type MachineExit,
  type MachineSpec,
  type MachineState,
  type VolumeSource,
  type Work,
} from '../engine.ts'
import { type Accelerator, probeAccelerator } from './accelerator.ts'
import { pickIp, pickPort } from './address.ts'
import { withStorageDaemon } from './block-host.ts'
import { addNode, type Begin } from './block-jobs.ts'
import { commandLine, MACHINE_SHAPE, ROOT_NODE, VOLUME_PORTS, volumeNode } from './command-line.ts'
import { judgeExit, readJournal } from './exit.ts'
import { asEngineError, launchFailure, withoutHost } from './failure.ts'
import { type Guest, holdGuest } from './guest.ts'
import { freePort, plugIn, unplug } from './hot-plug.ts'
import { launchQemu, QEMU } from './launch.ts'
import {
  fileNames,
  isMachineId,
  type MachineRecord,
  type MemoryFit,
  makeMachineDirs,
  placeInOrder,
  type RunRecord,
} from './machine-dir.ts'
import { makeMachineSnapshots, openAtRest, ROOT, type SourceDisk } from './machine-snapshots.ts'
import { kernelOf, misfit, saveMemory } from './memory.ts'
import { type GuestNetwork, guestUid, openNetwork, refreshRules } from './network.ts'
import { isRunOf, readBootId, readPid, residentMb } from './process.ts'
import { createOverlay, readHeader } from './qcow2.ts'
import { isRecord, type Qmp } from './qmp.ts'
import { madeOf, makeRestore } from './restore.ts'
import { requireRoom } from './room.ts'
import { writeSeed } from './seed.ts'
import { atMost, makeTurns } from './turns.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'
import { makeVolumes } from './volumes.ts'

/** Console output kept per machine. */
const SERIAL_LOG_BYTES = 8 * 1024 * 1024
/** Memory a guest takes beside its own: QEMU itself and translated code. */
const OVERHEAD_MB = 128
/** Copies of whole disks at a time; more of them only make each other slow. */
const COPIES_AT_ONCE = 2

/**
 * Virtual machines by QEMU on this host. Each guest is a process of its own that outlives the server; everything
 * about a machine stands in its directory `<dataDir>/machines/<id>/`, so that any later process finds it again.
 */
export function makeQemuEngine(deps: {
  dataDir: string
  images: ImageStore
  importer: Importer
  log: Log
}): Engine {
  const { images, importer, log } = deps
  // QEMU runs in the machine's directory, so relative paths would lead elsewhere.
  const dataDir = resolve(deps.dataDir)
  const dirs = makeMachineDirs(dataDir)
  const snapshots = makeMachineSnapshots(dataDir)
  const volumeSnapshots = makeVolumeSnapshots(dataDir)
  const volumes = makeVolumes({ dataDir, importer, sourceOf })
  const restore = makeRestore({ dirs, volumes, snapshots })
  const daemonsDir = join(dataDir, 'daemons')
  const guests = new Map<string, Guest>()
  const holding = new Map<string, Promise<Guest>>()
  /** Runs that are being launched: there is no process yet, or not one to judge. */
  const launching = new Map<string, RunRecord>()
  const ips = new Map<string, string>()
  const listeners = new Set<(machineId: string) => void>()
  /** Power and records of a machine: short work, by machine id. */
  const inTurn = makeTurns()
  /** Files of disks and snapshots: work that may take long, by what it reads or writes. Comes before `inTurn`. */
  const inDiskTurn = makeTurns()
  const withFewOthers = atMost(COPIES_AT_ONCE)
  let host: {
    accelerator: Accelerator
    network: GuestNetwork
    guestUid: number | null
    bootId: string
    qemu: string
  } | null = null

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
      const holder = {
        ...{ dirs, log, onChange: changed, guestUid: opened().guestUid },
        beforeFirst: () => useUpRestore(machineId),
        onVolumeBack: (volumeId: string) => {
          forgetVolume(machineId, volumeId)
            .then(() => changed(machineId))
            .catch((error: unknown) => log.warn({ machine: machineId, error }, 'A record was not written'))
        },
      }
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

  /** The guest runs now, so what was restored for it is no longer what it goes on from. */
  async function useUpRestore(machineId: string): Promise<void> {
    const record = await dirs.readRecord(machineId)
    if (!record?.restored) return
    await dirs.writeRecord(machineId, { ...record, restored: null })
    await rm(dirs.fileOf(machineId, fileNames.memory), { force: true })
  }

  async function forgetVolume(machineId: string, volumeId: string): Promise<void> {
    await inTurn(machineId, async () => {
      const record = await dirs.readRecord(machineId)
      if (!record) return
      const left = record.volumes.filter(({ id }) => id !== volumeId)
      await dirs.writeRecord(machineId, { ...record, volumes: left })
    })
  }

  /** The machine whose living guest has a volume. */
  const holderOf = (volumeId: string): string | null =>
    [...guests].find(([, guest]) => guest.volumes().some(({ id }) => id === volumeId))?.[0] ?? null

  async function requireVolume(volumeId: string, forMachine: string): Promise<void> {
    if ((await volumes.inspect(volumeId)).state === 'absent') {
      throw new EngineError('volume-missing', 'A disk of the virtual machine does not exist on the host.')
    }
    const holder = holderOf(volumeId)
    if (holder !== null && holder !== forMachine) throw busy()
  }

  /** The disk a snapshot stands for, as the source of a volume. */
  async function sourceOf(source: Extract<VolumeSource, { snapshotId: string }>): Promise<string> {
    if (source.from === 'volume-snapshot') {
      if (!(await volumeSnapshots.read(source.snapshotId))) throw snapshotMissing()
      return volumeSnapshots.pathOf(source.snapshotId)
    }
    const manifest = await snapshots.read(source.snapshotId)
    if (!manifest) throw snapshotMissing()
    await images.verify(manifest.imageId, manifest.image)
    return snapshots.diskOf(source.snapshotId, ROOT)
  }

  /** What must not change while a volume snapshot, which may build upon others, is made, read or deleted. */
  async function chainOf(volumeSnapshotId: string): Promise<string> {
    return `chain ${(await volumeSnapshots.volumeOf(volumeSnapshotId)) ?? volumeSnapshotId}`
  }

  /** What a saved memory of this machine must fit, when a guest of it starts now. */
  function fitOf({ spec, image, volumes: places }: MachineRecord): MemoryFit {
    const { accelerator, qemu } = opened()
    return {
      ...{ shape: MACHINE_SHAPE, qemu, accelerator: accelerator.kind, cpuModel: accelerator.cpu },
      ...{ cpu: spec.cpu, memoryMb: spec.memoryMb, volumes: places, kernel: kernelOf(image) },
    }
  }

  /** Runs long work and says of its failure what the port says: ended on request, its guest gone, or what it was. */
  async function long<T>(
    work: Work,
    what: string,
    task: () => Promise<T>,
    lost?: () => Promise<boolean>,
  ): Promise<T> {
    try {
      work.signal.throwIfAborted()
      return await task()
    } catch (error) {
      if (work.signal.aborted) throw new EngineError('aborted', `${what}: it was ended.`, { cause: error })
      if (await lost?.()) {
        throw new EngineError('snapshot-lost', `${what}: the virtual machine ended before it was complete.`, {
          ...{ cause: error, retryable: true },
        })
      }
      log.warn({ error }, what)
      throw asEngineError(error, what)
    }
  }

  const isGone = async (machineId: string, guest: Guest | null): Promise<boolean> =>
    guest !== null && !(await isRunOf(guest.pid, machineId, guest.run.run))

  /** How to save the memory of a living guest. */
  async function memoryOf(machineId: string, record: MachineRecord, guest: Guest, work: Work) {
    const { accelerator, cpuModel } = guest.run
    const fit: MemoryFit = {
      ...fitOf({ ...record, volumes: [...guest.volumes()] }),
      ...{ shape: guest.run.shape, qemu: await versionOf(guest.qmp), accelerator, cpuModel },
    }
    const directory = dirs.pathOf(machineId)
    const resident = await residentMb(guest.pid)
    return {
      fit,
      mostBytes: Math.min(resident, record.spec.memoryMb + OVERHEAD_MB) * 1024 * 1024,
      save: (file: string, begin: Begin) =>
        saveMemory(guest.qmp, file, begin, work, { directory, socketName: fileNames.memorySocket }),
    }
  }

  const momentOf = (guest: Guest | null) => async (begin: Begin) => {
    if (guest) return (await guest.agent.whileFrozen(begin)) ? ('frozen' as const) : ('crash' as const)
    await begin()
    return 'clean' as const
  }

  async function launch(machineId: string, record: MachineRecord, memory: string | null): Promise<void> {
    const { accelerator, network, bootId } = opened()
    const files = fileNames
    const left = [
      files.pid,
      files.asked,
      files.ready,
      files.log,
      files.qmp,
      files.serial,
      files.agent,
      files.frozen,
    ]
    for (const name of left) await rm(dirs.fileOf(machineId, name), { force: true })
    await dirs.clearLent(machineId)
    // Directories of earlier versions let nobody pass.
    await dirs.create(machineId)
    await writeFile(dirs.fileOf(machineId, files.journalIn), '{"execute":"qmp_capabilities"}\n')
    await writeFile(dirs.fileOf(machineId, files.journalOut), '')
    const thisRun: RunRecord = {
      ...{ run: randomUUID(), shape: MACHINE_SHAPE, bootId, startedAt: Date.now(), resumed: memory !== null },
      ...{ accelerator: accelerator.kind, cpuModel: accelerator.cpu },
    }
    launching.set(machineId, thisRun)
    await dirs.writeRun(machineId, thisRun)
    const args = commandLine({ record, run: thisRun, accelerator, network, volumePath: volumes.pathOf })
    try {
      const { pid, ended } = await launchQemu(args, dirs.pathOf(machineId), memory)
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
    if (!(await readHeader(dirs.fileOf(machineId, fileNames.root)))) {
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
    await restore
      .open(machineId)
      .catch((error: unknown) => log.error({ machine: machineId, error }, 'A restore was not completed'))
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
      await volumeSnapshots.open()
      await rm(daemonsDir, { recursive: true, force: true })
      await mkdir(daemonsDir, { recursive: true, mode: 0o700 })
      const network = await openNetwork(log)
      const accelerator = await probeAccelerator(dataDir, () => images.use(STARTER_IMAGE).catch(() => null))
      const qemu = /version ([\d.]+)/.exec(await run(QEMU, ['--version']).catch(() => ''))?.[1] ?? ''
      const uid = network.user === null ? null : await guestUid()
      host = { accelerator, network, guestUid: uid, bootId: await readBootId(), qemu }
      const ids = await dirs.ids()
      // Side by side: a guest that does not answer must not hold up the others.
      await Promise.all(ids.map(adopt))
      const filling = await Promise.all(ids.map(restore.filling))
      await snapshots.open(new Set(filling.filter((id) => id !== null)))
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
          await requireRoom(dataDir)
          const image = await images.use(spec.imageId)
          await dirs.create(spec.id)
          await createOverlay(dirs.fileOf(spec.id, fileNames.root), image.disk)
          await writeSeed(dirs.fileOf(spec.id, fileNames.seed), spec)
          const address = { ip, port: await pickPort(ip, null) }
          const places = placeInOrder(spec.volumeIds)
          await dirs.writeRecord(spec.id, { spec, address, image, volumes: places, restored: null })
        } catch (error) {
          ips.delete(spec.id)
          await dirs.remove(spec.id)
          throw asEngineError(error, 'The virtual machine could not be made')
        }
      }),

    async startMachine(machineId, { freshRoot, volumeIds }) {
      for (const id of volumeIds) requireId(id)
      // Asked before its turn comes: a living guest may be in the middle of a copy.
      if (isMachineId(machineId) && (await guestOf(machineId).catch(() => null))) return
      await inDiskTurn([machineId, ...volumeIds], () =>
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
            await requireRoom(dataDir)
            if (!opened().network.restrict) await refreshRules()
            for (const id of volumeIds) await requireVolume(id, machineId)
            if (freshRoot && !record.restored) {
              record.image = await images.use(spec.imageId)
              await createOverlay(root, record.image.disk)
            } else if (await readHeader(root)) {
              await images.verify(spec.imageId, record.image)
            } else {
              throw new EngineError('internal', 'Its root disk is lost or damaged.')
            }
            const saved = record.restored?.memory ?? null
            record.volumes = placesFor(volumeIds, saved)
            record.address.port = await pickPort(record.address.ip, record.address.port)
            await dirs.writeRecord(machineId, record)
            if (saved && (await resume(machineId, record, saved))) return
            await launch(machineId, record, null)
          } catch (error) {
            throw asEngineError(error, 'The virtual machine could not be started')
          }
        }),
      )
    },

    powerDown: (machineId) =>
      inTurn(machineId, async () => {
        const guest = isMachineId(machineId) ? await guestOf(machineId) : null
        if (!guest) return
        await dirs.writeMark(machineId, 'asked', guest.run.run)
        // A guest that ends in this moment needs no button.
        await guest.qmp.execute('system_powerdown').catch(() => {})
      }),

    powerOff: (machineId) => inTurn(machineId, () => end(machineId)),

    async deleteMachine(machineId) {
      if (!isMachineId(machineId)) return
      // First, so that a copy of what it does ends and the turn comes soon.
      await inTurn(machineId, () => end(machineId))
      await inDiskTurn([machineId, restoreOf(machineId)], () =>
        inTurn(machineId, async () => {
          await end(machineId)
          // The record goes first: what a crash leaves counts as half-made and is cleared at the next start.
          await rm(dirs.fileOf(machineId, fileNames.record), { force: true })
          await dirs.remove(machineId)
          ips.delete(machineId)
          changed(machineId)
        }),
      )
    },

    inspect,
    async list() {
      const look = async (id: string): Promise<[string, MachineState]> => {
        if (guests.has(id)) await trimSerialLog(id).catch(() => {})
        return [id, await inspect(id)]
      }
      const states = await Promise.all((await dirs.ids()).map(look))
      return new Map(states.filter(([, state]) => state.power !== 'absent'))
    },

    async createVolume(volumeId, source, sizeBytes, work) {
      requireId(volumeId)
      const read =
        source.from === 'volume-snapshot'
          ? [await chainOf(source.snapshotId)]
          : source.from === 'machine-snapshot'
            ? [source.snapshotId]
            : []
      return long(work, 'The disk could not be made', () =>
        inDiskTurn([volumeId, ...read], () =>
          withFewOthers(() => volumes.create(volumeId, source, sizeBytes, work)),
        ),
      )
    },

    async deleteVolume(volumeId) {
      requireId(volumeId)
      await inDiskTurn(volumeId, async () => {
        if (holderOf(volumeId) !== null) throw busy()
        await volumes.remove(volumeId)
      })
    },

    async inspectVolume(volumeId) {
      return isMachineId(volumeId) ? volumes.inspect(volumeId) : { state: 'absent' }
    },

    listVolumes: () => volumes.list(),

    async attachVolume(machineId, volumeId) {
      requireId(volumeId)
      await inDiskTurn([machineId, volumeId], () =>
        inTurn(machineId, async () => {
          const record = await readWhole(machineId)
          try {
            await requireVolume(volumeId, machineId)
            const guest = await guestOf(machineId)
            if (guest) {
              await plugIn(guest, volumeId, volumes.pathOf(volumeId))
              record.volumes = [...guest.volumes()]
            } else if (!record.volumes.some(({ id }) => id === volumeId)) {
              record.volumes.push({ id: volumeId, port: freePort(record.volumes) })
            }
            await dirs.writeRecord(machineId, record)
          } catch (error) {
            throw asEngineError(error, 'The disk could not be attached')
          }
        }),
      )
    },

    async detachVolume(machineId, volumeId) {
      if (!isMachineId(machineId)) return 'released'
      return inDiskTurn([machineId, volumeId], async () => {
        const guest = await inTurn(machineId, () => guestOf(machineId))
        try {
          // Not in the machine's turn: a guest that takes its time can still be powered off.
          if (guest && !(await unplug(guest, volumeId))) return 'kept'
          await forgetVolume(machineId, volumeId)
          return 'released'
        } catch (error) {
          if (await isGone(machineId, guest)) return 'released'
          throw asEngineError(error, 'The disk could not be detached')
        }
      })
    },

    async createMachineSnapshot(snapshotId, source, work) {
      requireId(snapshotId)
      const { machineId, volumeIds } = source
      let guest: Guest | null = null
      return long(
        work,
        'The snapshot could not be made',
        () =>
          inDiskTurn([snapshotId, machineId, ...volumeIds], () =>
            withFewOthers(async () => {
              const there = await snapshots.read(snapshotId)
              if (there) return madeOf(there)
              const record = await readWhole(machineId)
              guest = await inTurn(machineId, () => guestOf(machineId))
              const living: Guest | null = guest
              const places = living?.volumes() ?? record.volumes
              const disks: SourceDisk[] = [
                { name: ROOT, path: dirs.fileOf(machineId, fileNames.root), node: ROOT_NODE },
                ...places
                  .filter(({ id }) => volumeIds.includes(id))
                  .map(({ id, port }) => ({ name: id, path: volumes.pathOf(id), node: volumeNode(port) })),
              ]
              const manifest = await snapshots.take(
                snapshotId,
                {
                  ...{ imageId: record.spec.imageId, image: record.image, disks, moment: momentOf(living) },
                  memory: source.memory && living ? await memoryOf(machineId, record, living, work) : null,
                  within: (copy) =>
                    living
                      ? copy(living.host)
                      : withStorageDaemon(daemonsDir, async (daemon) => {
                          await openAtRest(daemon, disks)
                          return copy(daemon)
                        }),
                },
                work,
              )
              return madeOf(manifest)
            }),
          ),
        () => isGone(machineId, guest),
      )
    },

    async prepareRestore(machineId, source, work) {
      requireId(machineId)
      await long(work, 'The snapshot could not be restored', () =>
        inDiskTurn([restoreOf(machineId), source.snapshotId], () =>
          withFewOthers(async () => {
            await readWhole(machineId)
            await restore.prepare(machineId, source, work)
          }),
        ),
      )
    },

    async switchDisks(machineId, safetyId) {
      requireId(safetyId)
      requireId(machineId)
      const touched = await restore.volumeIds(machineId)
      return inDiskTurn([machineId, restoreOf(machineId), safetyId, ...touched], () =>
        inTurn(machineId, async () => {
          if (await guestOf(machineId)) {
            throw new EngineError('internal', 'The virtual machine still runs.', { retryable: true })
          }
          if (touched.some((id) => holderOf(id) !== null)) throw busy()
          return restore.swap(machineId, safetyId).catch((error: unknown) => {
            throw asEngineError(error, 'The snapshot could not be restored')
          })
        }),
      )
    },

    async dropRestore(machineId) {
      if (!isMachineId(machineId)) return
      await inDiskTurn(restoreOf(machineId), () => restore.drop(machineId))
    },

    async deleteMachineSnapshot(snapshotId) {
      requireId(snapshotId)
      await inDiskTurn(snapshotId, () => snapshots.remove(snapshotId))
    },

    async createVolumeSnapshot(snapshotId, { volumeId, parentId }, work) {
      requireId(snapshotId)
      requireId(volumeId)
      let holder = holderOf(volumeId)
      let guest: Guest | null = null
      const take = () =>
        inDiskTurn([volumeId, `chain ${volumeId}`, ...(holder === null ? [] : [holder])], () =>
          withFewOthers(async () => {
            if (holderOf(volumeId) !== holder) return null
            guest = holder === null ? null : await guestOf(holder)
            const living: Guest | null = guest
            const path = volumes.pathOf(volumeId)
            const port = living?.volumes().find(({ id }) => id === volumeId)?.port
            const node = port === undefined ? 'volume' : volumeNode(port)
            if ((await volumes.inspect(volumeId)).state === 'absent') {
              throw new EngineError('volume-missing', 'The disk does not exist on the host.')
            }
            return volumeSnapshots.take(
              snapshotId,
              {
                ...{ volumeId, parentId, path, node, moment: momentOf(living) },
                within: (copy) =>
                  living
                    ? copy(living.host)
                    : withStorageDaemon(daemonsDir, async (daemon) => {
                        await addNode(daemon.qmp, { node, filename: path, readOnly: false })
                        return copy(daemon)
                      }),
              },
              work,
            )
          }),
        )
      return long(
        work,
        'The snapshot could not be made',
        async () => {
          // Attached or detached while it waited for its turn: another turn is the right one then.
          for (;;) {
            const made = await take()
            if (made) return made
            holder = holderOf(volumeId)
          }
        },
        async () => holder !== null && (await isGone(holder, guest)),
      )
    },

    async deleteVolumeSnapshot(snapshotId, work) {
      requireId(snapshotId)
      await long(work, 'The snapshot could not be deleted', async () =>
        inDiskTurn(await chainOf(snapshotId), () =>
          withFewOthers(() => volumeSnapshots.remove(snapshotId, work)),
        ),
      )
    },

    async inspectSnapshot(kind, snapshotId) {
      if (!isMachineId(snapshotId)) return { state: 'absent' }
      return kind === 'machine' ? snapshots.inspect(snapshotId) : volumeSnapshots.inspect(snapshotId)
    },

    listSnapshots: (kind) => (kind === 'machine' ? snapshots.list() : volumeSnapshots.list()),
  }

  /** Lets a guest go on from a saved memory; false when it has to boot. */
  async function resume(machineId: string, record: MachineRecord, saved: MemoryFit): Promise<boolean> {
    const why = misfit(saved, fitOf(record))
    if (why) {
      log.warn({ machine: machineId, why }, 'A guest boots, because its saved memory does not fit')
      return false
    }
    try {
      await launch(machineId, record, dirs.fileOf(machineId, fileNames.memory))
      return true
    } catch (error) {
      log.warn({ machine: machineId, error }, 'A guest boots, because its saved memory could not be loaded')
      return false
    }
  }
}

/** The turn of copies that a restore prepares beside a machine's disks. */
const restoreOf = (machineId: string): string => `restore ${machineId}`

const busy = () =>
  new EngineError('volume-busy', 'Another virtual machine still has the disk.', { retryable: true })

const snapshotMissing = () => new EngineError('snapshot-missing', 'The snapshot does not exist on the host.')

/** A guest that goes on from a saved memory finds its volumes where they were; else they come in order. */
function placesFor(volumeIds: readonly string[], saved: MemoryFit | null) {
  const same =
    saved?.volumes.length === volumeIds.length && saved.volumes.every(({ id }) => volumeIds.includes(id))
  return saved && same ? saved.volumes : placeInOrder(volumeIds)
}

/** The version of QEMU that runs a guest, which may be older than the installed one. */
async function versionOf(qmp: Qmp): Promise<string> {
  const answer = await qmp.execute('query-version')
  const version = isRecord(answer) && isRecord(answer.qemu) ? answer.qemu : {}
  return `${version.major}.${version.minor}.${version.micro}`
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
