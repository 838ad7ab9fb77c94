import { stat, statfs } from 'node:fs/promises'
import { EngineError } from '../engine.ts'
import { ifThere } from './durable.ts'

/** Room that must be left on the host after anything new is made, in bytes. */
const RESERVE_BYTES = 256 * 1024 * 1024

/** Refuses early, with a sentence, what would fill the host's disk. `neededBytes` is what will be written. */
export async function requireRoom(dir: string, neededBytes = 0): Promise<void> {
  const { bavail, bsize } = await statfs(dir)
  const free = bavail * bsize
  if (free >= neededBytes + RESERVE_BYTES) return
  const message =
    neededBytes === 0
      ? 'The disk of the host is full.'
      : `The disk of the host does not have enough free space: ${inWords(neededBytes + RESERVE_BYTES)} are needed, and ${inWords(free)} are free.`
  throw new EngineError('no-space', message, { retryable: true })
}

/** Room a file takes on its disk; 0 when there is none. Unlike its length, holes do not count. */
export const allocatedBytes = async (path: string): Promise<number> =>
  ((await ifThere(path, stat(path)))?.blocks ?? 0) * 512

function inWords(bytes: number): string {
  const gib = bytes / 1024 ** 3
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`
}
