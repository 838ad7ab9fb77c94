import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { LENT } from './block-host.ts'
import { namedNodes } from './block-jobs.ts'
import { volumeNode } from './command-line.ts'
import { isRecord } from './lines.ts'
import { type Qmp, QmpError } from './qmp.ts'
import type { VolumePlace } from './records.ts'

/** Between two tries to close a file that something uses. */
const IN_USE_MS = 1_000

/** The data volumes of a living guest, by the ports they are plugged into. */
export function makeGuestVolumes(deps: {
  machineId: string
  qmp: Qmp
  log: Log
  /** The guest gave back a volume. */
  onVolumeBack: (volumeId: string) => void
}) {
  const { machineId, qmp, log, onVolumeBack } = deps
  const plugged = new Map<number, string>()
  const waitingForPort = new Map<number, () => void>()

  /** A guest gives a volume back when it was asked to, or of its own will, or long after it was asked. */
  async function takeBack(device: unknown): Promise<void> {
    const place = [...plugged].find(([port]) => volumeNode(port) === device)
    if (!place) return
    const [port, volumeId] = place
    await closeFile(port, volumeId)
    if (plugged.get(port) !== volumeId) return
    plugged.delete(port)
    waitingForPort.get(port)?.()
    onVolumeBack(volumeId)
  }

  /** A copy that is being made of a volume keeps its file open for as long. */
  async function closeFile(port: number, volumeId: string): Promise<void> {
    for (let tries = 1; plugged.get(port) === volumeId; tries += 1) {
      try {
        await qmp.execute('blockdev-del', { 'node-name': volumeNode(port) })
        return
      } catch (error) {
        if (!(error instanceof QmpError)) throw error
        if (/find node/i.test(error.message)) return
        if (tries === 1) log.warn({ machine: machineId, error }, 'A volume a guest gave back is still in use')
        await sleep(IN_USE_MS, undefined, { ref: false })
      }
    }
  }

  qmp.onEvent(['DEVICE_DELETED'], ({ data }) => {
    if (data.device === undefined) return
    takeBack(data.device).catch((error: unknown) =>
      log.warn({ machine: machineId, error }, 'A volume a guest gave back could not be let go'),
    )
  })

  return {
    /** What the process has open tells more than any record: a crash may have come between the two. */
    async takeStock(): Promise<void> {
      const used = await devicesOf(qmp)
      for (const { name, file } of await namedNodes(qmp)) {
        const port = Number(/^volume(\d+)$/.exec(name)?.[1] ?? Number.NaN)
        const id = basename(file)
          .replace(LENT, '')
          .replace(/\.qcow2$/, '')
        if (Number.isNaN(port)) continue
        if (used.has(name)) plugged.set(port, id)
        else await qmp.execute('blockdev-del', { 'node-name': name })
      }
    },

    list: (): readonly VolumePlace[] => [...plugged].map(([port, id]) => ({ id, port })),

    /** Keeps account of a volume that was plugged in. */
    add({ id, port }: VolumePlace): void {
      plugged.set(port, id)
    },

    /** Resolves when the guest has given back the volume on a port or is gone, false after `ms`. */
    async givesBack(port: number, ms: number, gone: Promise<void>): Promise<boolean> {
      if (!plugged.has(port)) return true
      const back = new Promise<boolean>((resolve) => waitingForPort.set(port, () => resolve(true)))
      const late = sleep(ms, false, { ref: false })
      return Promise.race([back, late, gone.then(() => true)]).finally(() => waitingForPort.delete(port))
    },
  }
}

/** The names of devices that have a disk. */
async function devicesOf(qmp: Qmp): Promise<Set<string>> {
  const blocks = await qmp.execute('query-block')
  return new Set(
    (Array.isArray(blocks) ? blocks : [])
      .filter(isRecord)
      .flatMap(({ qdev }) => (typeof qdev === 'string' ? deviceName(qdev) : [])),
  )
}

/** A device is told by its name or, under virtio, by a path of which the name is a part. */
const deviceName = (path: string): string =>
  path.replace(/^\/machine\/peripheral\//, '').split('/')[0] ?? path
