import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../engine.ts'
import { LENT, takeBack } from './block-host.ts'
import { exists, ifThere, readJson, type Shape, writeDurably } from './durable.ts'
import { makeImagePaths } from './image-paths.ts'
import { makePlaces, type Places } from './places.ts'
import { isMark, isRecord, isRun } from './record-shapes.ts'
import type { MachineRecord, RunRecord, VolumePlace } from './records.ts'

/** File names inside a machine's directory; QEMU gets them relative to it. */
export const fileNames = {
  record: 'machine.json',
  /** What the record is called once the machine is being deleted. */
  deleted: 'deleted',
  run: 'run.json',
  /** Holds the run that powerDown or powerOff was asked for. */
  asked: 'asked',
  /** Holds the run in which the guest said it is up. */
  ready: 'ready',
  /** There while its guest is one of the reserve that has not begun; see `warm/reserve.ts`. */
  reserved: 'reserved',
  /** There while the guest's file systems are frozen for a copy. */
  frozen: 'frozen',
  root: 'root.qcow2',
  seed: 'seed.iso',
  pid: 'pid',
  qmp: 'qmp.sock',
  agent: 'agent.sock',
  /** Where QEMU sends the guest's memory while that is saved. */
  memorySocket: 'memory.sock',
  /** What a restored or suspended guest was doing, until it goes on. */
  memory: 'memory',
  /** Copies a restore has prepared; see `restore.ts`. */
  restore: 'restore',
  /** The intent to put them in place. */
  swap: 'swap.json',
  /**
   * The serial line: what is written into the pipe `.in` is typed, and the log gets what the guest prints. `.out` leads
   * nowhere: a line that somebody reads can be full, and then QEMU logs what did not fit once more when it does.
   */
  serial: 'serial',
  serialIn: 'serial.in',
  serialOut: 'serial.out',
  serialLog: 'serial.log',
  /** What is known of the output in it; see `console-log.ts`. */
  console: 'console.json',
  /** The guest's screen, when it has one. */
  screen: 'screen.sock',
  /** QEMU's events go into the pipe `.out`, and the newest of them into `.end`; see `journal.ts`. `.in` opens it. */
  journal: 'journal',
  journalIn: 'journal.in',
  journalOut: 'journal.out',
  journalEnd: 'journal.end',
  /** How the last run ended, once that was judged. */
  exit: 'exit.json',
  log: 'qemu.log',
} as const

/**
 * The directories of all machines, `<dataDir>/machines/<id>/`; each holds everything its machine has. What cannot be
 * read now throws an UnreadableError. In another folder they are of guests that belong to nobody.
 */
export function makeMachineDirs(
  dataDir: string,
  places: Places = makePlaces(dataDir),
  folder: 'machines' | 'warm' = 'machines',
) {
  const top = join(dataDir, folder)
  const pathOf = (id: string) => join(top, id)
  const fileOf = (id: string, name: string) => join(top, id, name)
  const images = makeImagePaths(dataDir)

  /** The runs that were asked to end, for as long as this process lives; what holds longer are their marks. */
  const asked = new Map<string, string>()

  const write = (id: string, name: string, value: unknown) => writeDurably(fileOf(id, name), value)
  async function read<T>(id: string, name: string, shape: Shape<T>): Promise<T | null> {
    const value = await readJson(fileOf(id, name), shape)
    if (value === null) await places.require('machines')
    return value
  }

  async function readRecord(id: string): Promise<MachineRecord | null> {
    const record = await read(id, fileNames.record, isRecord)
    return (
      record && {
        ...record,
        image: await images.found(record.image),
        // Machines of earlier versions have neither.
        volumes: record.volumes ?? placeInOrder(record.spec.volumeIds),
        restored: record.restored ?? null,
      }
    )
  }
  const writeRecord = (id: string, record: MachineRecord) =>
    write(id, fileNames.record, { ...record, image: images.kept(record.image) })

  async function clearLent(id: string): Promise<void> {
    for (const name of (await ifThere(pathOf(id), readdir(pathOf(id)))) ?? [])
      if (name.startsWith(LENT)) await takeBack(fileOf(id, name))
  }

  async function removeAll(id: string): Promise<void> {
    await clearLent(id)
    await rm(pathOf(id), { recursive: true, force: true })
  }

  const moveAside = (id: string): Promise<string> => places.moveAside('machines', id)

  const readMark = (id: string, mark: 'asked' | 'ready') => read(id, fileNames[mark], isMark)
  const writeMark = (id: string, mark: 'asked' | 'ready', run: string) => write(id, fileNames[mark], run)

  return {
    images,
    /** What the directories lie in; it may be a file system of its own. */
    top,
    pathOf,
    fileOf,
    /** Throws an UnreadableError when nothing can be said of any machine, and none may be made or removed. */
    requirePlace: () => places.require('machines'),
    async ids(): Promise<string[]> {
      await places.require('machines')
      const entries = await ifThere(top, readdir(top, { withFileTypes: true }))
      return (entries ?? [])
        .filter((entry) => entry.isDirectory() && isMachineId(entry.name))
        .map((entry) => entry.name)
    },
    /** The guest's process may pass through the directory it runs in, not list it; nobody else gets that far. */
    async create(id: string) {
      await mkdir(pathOf(id), { recursive: true, mode: 0o711 })
      await chmod(pathOf(id), 0o711)
    },
    /** Removes what a crash left of lent files (see `block-host.ts`) and of the line its memory was sent by. */
    async clearLent(id: string): Promise<void> {
      await rm(fileOf(id, fileNames.memorySocket), { force: true })
      await clearLent(id)
    },
    has: (id: string, name: string) => exists(fileOf(id, name)),
    /** Removes a machine, readable or not. From its first step on it is absent, and a crash does not bring it back. */
    async remove(id: string): Promise<void> {
      await places.require('machines')
      asked.delete(id)
      await ifThere(pathOf(id), rename(fileOf(id, fileNames.record), fileOf(id, fileNames.deleted)))
      await removeAll(id)
    },
    /** Puts a machine's directory where no machine is, and returns that place. */
    moveAside,
    /**
     * Clears a directory without a record: of a machine that was not completely made or not completely deleted. One
     * in which a guest has run holds somebody's data, so it is moved aside.
     *
     * @returns where it was moved, or null when it was removed
     */
    async clear(id: string): Promise<string | null> {
      await places.require('machines')
      const names = (await ifThere(pathOf(id), readdir(pathOf(id)))) ?? []
      const ran = names.some((name) => name === fileNames.run || name === fileNames.console)
      if (ran && !names.includes(fileNames.deleted)) return moveAside(id)
      await removeAll(id)
      return null
    },

    readRecord,
    /** The record of a machine that has to be there; throws `machine-missing`. */
    async requireRecord(id: string): Promise<MachineRecord> {
      const record = await readRecord(id)
      if (!record) throw new EngineError('machine-missing', 'The VM does not exist on the host.')
      return record
    },
    writeRecord,
    /** Takes a volume off the record. The turn of the machine is the caller's. */
    async forgetVolume(id: string, volumeId: string): Promise<void> {
      const record = await readRecord(id)
      if (!record) return
      const left = record.volumes.filter((place) => place.id !== volumeId)
      const { restored } = record
      const isHad = restored?.memory?.volumes.some((place) => place.id === volumeId)
      await writeRecord(id, {
        ...record,
        volumes: left,
        restored: restored && isHad ? { ...restored, moved: true } : restored,
      })
    },
    readRun: (id: string) => read(id, fileNames.run, isRun),
    writeRun: (id: string, run: RunRecord) => write(id, fileNames.run, run),
    /**
     * Notes that a run was asked to end. Never fails: a guest can be ended on a disk that takes nothing any more, and
     * without the mark only a later server takes its end for a crash.
     */
    async markAsked(id: string, run: string): Promise<void> {
      asked.set(id, run)
      await writeMark(id, 'asked', run).catch(() => {})
    },
    wasAsked: async (id: string, run: string): Promise<boolean> =>
      asked.get(id) === run || (await readMark(id, 'asked')) === run,
    /** Notes that the guest of a run was up. Never fails: a later server asks the guest again. */
    markReady: (id: string, run: string): Promise<void> => writeMark(id, 'ready', run).catch(() => {}),
    wasReady: async (id: string, run: string): Promise<boolean> => (await readMark(id, 'ready')) === run,
  }
}

/** A guest that starts by firmware may want to show something; our own images only speak on the serial line. */
export const hasScreen = (record: Pick<MachineRecord, 'image'> | null): boolean =>
  record !== null && record.image.kernel === undefined

/** Volumes on the ports that let the guest see them in this order. */
export const placeInOrder = (volumeIds: readonly string[]): VolumePlace[] =>
  volumeIds.map((id, port) => ({ id, port }))

export type MachineDirs = ReturnType<typeof makeMachineDirs>

export const isMachineId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Ids become file names, so nothing else passes. */
export function requireId(id: string): void {
  if (!isMachineId(id)) throw new EngineError('internal', 'An id is not a lower-case UUID.')
}
