import { EngineError } from '../engine.ts'
import { VOLUME_PORTS, volumeDevice, volumeNode } from './command-line.ts'
import type { Guest } from './guest.ts'
import { QmpError } from './qmp.ts'
import type { VolumePlace } from './records.ts'

/** How long a guest may take to let go of a disk. One that runs takes a tenth of a second; one that boots, for ever. */
const LET_GO_MS = 10_000

/** The lowest port that is free. */
export function freePort(taken: readonly VolumePlace[]): number {
  const ports = new Set(taken.map(({ port }) => port))
  const port = Array.from({ length: VOLUME_PORTS }, (_, index) => index).find((index) => !ports.has(index))
  if (port === undefined) {
    throw new EngineError('unsupported', `A VM supports at most ${VOLUME_PORTS} disks.`)
  }
  return port
}

/** Plugs a volume into a living guest; one that it has is left there. */
export async function plugIn(guest: Guest, volumeId: string, path: string): Promise<void> {
  if (guest.volumes().some(({ id }) => id === volumeId)) return
  const port = freePort(guest.volumes())
  const node = volumeNode(port)
  await guest.host.lend(path, (filename) =>
    guest.qmp.execute('blockdev-add', {
      driver: 'qcow2',
      'node-name': node,
      discard: 'unmap',
      backing: null,
      file: { driver: 'file', filename },
    }),
  )
  try {
    await guest.qmp.execute('device_add', volumeDevice(volumeId, port))
  } catch (error) {
    await guest.qmp.execute('blockdev-del', { 'node-name': node }).catch(() => {})
    throw error
  }
  guest.hasVolume({ id: volumeId, port })
}

/**
 * Asks a living guest for a volume; false when it does not let go of it. It may still do so later, also when this was ended:
 * what was asked of a guest cannot be taken back.
 */
export async function unplug(guest: Guest, volumeId: string, signal: AbortSignal): Promise<boolean> {
  const place = guest.volumes().find(({ id }) => id === volumeId)
  if (!place) return true
  signal.throwIfAborted()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([askFor(guest, place), ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

async function askFor(guest: Guest, { port }: VolumePlace): Promise<boolean> {
  const back = guest.givesBack(port, LET_GO_MS)
  try {
    await guest.qmp.execute('device_del', { id: volumeNode(port) })
  } catch (error) {
    // It was asked before and has not answered yet.
    if (!(error instanceof QmpError) || !/already in the process of unplug/.test(error.message)) throw error
  }
  return back
}
