import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'
import { copyGrowing, copyWhole } from '../../lib/whole-copy.ts'
import { type Engine, EngineError, type ObjectIds, type SavingWork, type Work } from '../engine.ts'
import { LENT } from './block-host.ts'
import { copyDisks, type DiskCopy, proveCopies } from './block-jobs.ts'
import { ROOT_NODE, volumeNode } from './command-line.ts'
import { momentOf } from './copy-moment.ts'
import { exists, ifThere, writeDurably } from './durable.ts'
import { asEngineError } from './failure.ts'
import { type Guest, isGone } from './guest.ts'
import type { Guests } from './guests.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { type MachineSnapshots, ROOT } from './machine-snapshots.ts'
import type { ProjectNetworks } from './network/project-networks.ts'
import { placeNames } from './places.ts'
import { isSound, lookAtDisk } from './qcow2.ts'
import { restoreOf } from './restore.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import type { Turns } from './turns.ts'
import type { VolumeSnapshots } from './volume-snapshots.ts'
import type { Volumes } from './volumes.ts'

const ABSENT = 'Its files were not there.'
const DAMAGED = 'A file of it is damaged.'
/** A guest that comes up, ends or gets another disk meanwhile makes it begin again. */
const TRIES = 10

/** Writes what this engine holds as a data directory of its own: for backups. */
export function makeSaving(deps: {
  dataDir: string
  dirs: MachineDirs
  volumes: Volumes
  snapshots: MachineSnapshots
  volumeSnapshots: VolumeSnapshots
  networks: Pick<ProjectNetworks, 'saveTo'>
  guests: Guests
  log: Log
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'saveTo'> {
  const { dataDir, dirs, volumes, snapshots, volumeSnapshots, networks, guests, log, inTurn, inDiskTurn } =
    deps

  return {
    async saveTo(to, objects, work) {
      const left = new Map<string, string>()
      const all = Object.values(objects).reduce((sum, ids) => sum + ids.length, 0)
      let done = 0
      /** Saves one object, or says why it is left out. That there is no room, or nobody wants it any more, ends all. */
      async function each(id: string, save: () => Promise<string | null>): Promise<void> {
        work.signal.throwIfAborted()
        const why = await save().catch((error: unknown) => {
          if (work.signal.aborted) throw new EngineError('aborted', 'The backup was ended.', { cause: error })
          if (errorCode(error) === 'ENOSPC') throw error
          log.warn({ id, err: error }, 'Something was left out of a backup')
          return asEngineError(error, 'Its files could not be copied').message
        })
        if (why !== null) left.set(id, why)
        done += 1
        work.onProgress(done / all)
        await work.onSaved?.()
      }

      for (const place of [...placeNames, 'images', 'images/files'])
        await mkdir(join(to, place), { mode: 0o700 })
      const written = new Set<string>()
      await saveImages(to, work, written)
      await networks.saveTo(to, objects.machines)
      const saved = new Set<string>()
      for (const id of objects.machines) {
        await each(id, async () => {
          const its = await saveMachine(to, id, objects, work)
          for (const volume of its ?? []) saved.add(volume)
          return its ? null : ABSENT
        })
      }
      for (const id of objects.volumes) {
        if (!saved.has(id)) await each(id, () => saveVolume(to, id, work))
        else done += 1
      }
      for (const id of objects.machineSnapshots) await each(id, () => saveSnapshot(to, id, work))
      for (const id of objects.volumeSnapshots)
        await each(id, () => saveVolumeSnapshot(to, id, work, written))
      // Those that machines have begun to stand on meanwhile.
      await saveImages(to, work, written)
      return left
    },
  }

  /** Boot images that are there and not in `written` yet; one that is removed meanwhile is used by nothing. */
  async function saveImages(
    to: string,
    { signal, onSaved }: SavingWork,
    written: Set<string>,
  ): Promise<void> {
    for (const [folder, wanted] of [
      ['images', /\.json$/],
      ['images/files', /^[0-9a-f]{64}$/],
    ] as const) {
      const from = join(dataDir, folder)
      for (const name of (await ifThere(from, readdir(from))) ?? []) {
        if (!wanted.test(name) || written.has(join(folder, name))) continue
        const copy = folder === 'images' ? copyGrowing : copyWhole
        try {
          await requireRoom(to, await allocatedBytes(join(from, name)))
          await copy(join(from, name), join(to, folder, name), signal)
          written.add(join(folder, name))
        } catch (error) {
          await rm(join(to, folder, name), { force: true })
          if (await exists(join(from, name))) throw error
        }
        await onSaved?.()
      }
    }
  }

  /** The data volumes that a machine's guest has, or its next one finds. */
  async function volumesOf(machineId: string): Promise<string[]> {
    const held = guests.held().get(machineId)?.volumes()
    const places = held ?? (await dirs.readRecord(machineId))?.volumes ?? []
    return places.map(({ id }) => id)
  }

  /** Returns the volumes that were saved with it; null when there is no such machine. */
  async function saveMachine(
    to: string,
    id: string,
    objects: ObjectIds,
    work: Work,
  ): Promise<readonly string[] | null> {
    for (let attempt = 1; ; attempt += 1) {
      const expected = await volumesOf(id)
      let guest: Guest | null = null
      try {
        const result = await inDiskTurn([id, restoreOf(id), ...expected], async () => {
          if (!(await dirs.readRecord(id))) return 'absent'
          guest = await inTurn(id, () => guests.of(id))
          const now = await volumesOf(id)
          // Attached or taken off while it waited for its turn.
          if (now.length !== expected.length || now.some((one) => !expected.includes(one))) return 'again'
          const wanted = now.filter((one) => objects.volumes.includes(one))
          await saveDisks(to, id, guest, wanted, work)
          await saveRest(to, id, guest, work)
          return wanted
        })
        if (result === 'absent') return null
        if (result !== 'again') return result
      } catch (error) {
        await rm(join(to, 'machines', id), { recursive: true, force: true })
        for (const volume of expected) await rm(volumeIn(to, volume), { force: true })
        if (work.signal.aborted || attempt === TRIES || !(await isGone(id, guest))) throw error
      }
      if (attempt === TRIES) throw new EngineError('internal', 'Its disks were changed again and again.')
    }
  }

  async function saveDisks(
    to: string,
    id: string,
    guest: Guest | null,
    volumeIds: readonly string[],
    work: Work,
  ): Promise<void> {
    const own = join(to, 'machines', id)
    await mkdir(own, { mode: 0o700 })
    const root = { from: dirs.fileOf(id, fileNames.root), to: join(own, fileNames.root) }
    const others = volumeIds.map((one) => ({ from: volumes.pathOf(one), to: volumeIn(to, one) }))
    if (!guest) {
      for (const disk of [root, ...others]) await saveAtRest(disk.from, disk.to, work)
      return
    }
    const nodes = new Map(guest.volumes().map((place) => [place.id, volumeNode(place.port)]))
    const disks = [root, ...others]
    const copies = await Promise.all(
      [ROOT, ...volumeIds].map(async (name, index): Promise<DiskCopy & { path: string }> => {
        const look = await lookAtDisk(disks[index]?.from ?? '')
        if (look.is !== 'disk') throw new EngineError('internal', DAMAGED)
        return {
          node: nodes.get(name) ?? ROOT_NODE,
          virtualBytes: look.virtualBytes,
          // In the machine's directory, where its process reaches it; a next run or server clears what is left of it.
          target: dirs.fileOf(id, `${LENT}${name}.backup`),
          backing: look.backing,
          what: name === ROOT ? 'top' : 'full',
          path: disks[index]?.to ?? '',
        }
      }),
    )
    const sizes = await Promise.all(disks.map(({ from }) => allocatedBytes(from)))
    await requireRoom(
      dirs.pathOf(id),
      sizes.reduce((sum, size) => sum + size, 0),
    )
    try {
      for (const { target } of copies) await rm(target, { force: true })
      const quiet = { ...work, onProgress: () => {} }
      await copyDisks(guest.host, copies, quiet, { moment: momentOf(guest), inOrder: true })
      await proveCopies(copies)
      for (const { target, path } of copies) {
        await copyWithRoom(target, path, work.signal)
        await rm(target, { force: true })
      }
    } finally {
      for (const { target } of copies) await rm(target, { force: true })
    }
  }

  /** Records, logs, and what a restore has prepared. Lines to the process, its id and marks of what it does are no data. */
  async function saveRest(to: string, id: string, guest: Guest | null, { signal }: Work): Promise<void> {
    const own = join(to, 'machines', id)
    const entries = await readdir(dirs.pathOf(id), { withFileTypes: true })
    for (const entry of entries) {
      const { name } = entry
      const isOfRun = guest !== null && (name.startsWith(fileNames.journal) || name === fileNames.run)
      if (!entry.isFile() || isOfRun || transient.has(name) || /^lent-|\.new$/.test(name)) continue
      const copy = grows.has(name) ? copyGrowing : copyWhole
      await copy(dirs.fileOf(id, name), join(own, name), signal)
    }
    if (await exists(dirs.fileOf(id, fileNames.restore)))
      await saveFolder(dirs.fileOf(id, fileNames.restore), join(own, fileNames.restore), signal)
    // Its process is not part of it: to whoever takes it up, the host went down.
    if (guest) await writeDurably(join(own, fileNames.run), { ...guest.run, bootId: '' })
  }

  async function saveAtRest(from: string, to: string, { signal }: Work): Promise<void> {
    // A process that writes on it holds a lock, which this finds too.
    if (!(await isSound(from))) throw new EngineError('internal', DAMAGED)
    await copyWithRoom(from, to, signal)
  }

  async function saveVolume(to: string, id: string, work: Work): Promise<string | null> {
    return inDiskTurn(id, async () => {
      // What a guest writes on is copied with that guest or not at all.
      if (guests.holderOf(id) !== null) return 'Its VM could not be copied.'
      if (!(await volumes.isThere(id))) return ABSENT
      await saveAtRest(volumes.pathOf(id), volumeIn(to, id), work)
      return null
    })
  }

  async function saveSnapshot(to: string, id: string, { signal }: Work): Promise<string | null> {
    return inDiskTurn(id, async () => {
      const { state } = await snapshots.check(id, signal)
      if (state !== 'whole') return state === 'absent' ? ABSENT : DAMAGED
      await saveFolder(snapshots.dirOf(id), join(to, 'snapshots', id), signal)
      return null
    })
  }

  /** With all it builds upon, in one turn: those are merged when one of them is deleted. */
  async function saveVolumeSnapshot(
    to: string,
    id: string,
    { signal }: Work,
    written: Set<string>,
  ): Promise<string | null> {
    return inDiskTurn(await volumeSnapshots.chainOf(id), async () => {
      const { state } = await volumeSnapshots.check(id, signal)
      if (state !== 'whole') return state === 'absent' ? ABSENT : DAMAGED
      for (const file of await volumeSnapshots.filesOf(id)) {
        const path = join('volume-snapshots', file)
        if (written.has(path)) continue
        await copyWithRoom(join(volumeSnapshots.dir, file), join(to, path), signal)
        written.add(path)
      }
      return null
    })
  }
}

const volumeIn = (to: string, id: string) => join(to, 'volumes', `${id}.qcow2`)

const transient: ReadonlySet<string> = new Set([
  fileNames.root,
  fileNames.pid,
  fileNames.frozen,
  fileNames.deleted,
])
const grows: ReadonlySet<string> = new Set([fileNames.serialLog, fileNames.log, fileNames.console])

/** The copy may lie in the data directory, whose room guests need. */
async function copyWithRoom(from: string, to: string, signal: AbortSignal): Promise<void> {
  await requireRoom(dirname(to), await allocatedBytes(from))
  await copyWhole(from, to, signal)
}

async function saveFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  try {
    for (const name of await readdir(from)) await copyWithRoom(join(from, name), join(to, name), signal)
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw error
  }
}
