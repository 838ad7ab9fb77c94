import { type FileHandle, mkdir, open, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { run } from '../lib/command.ts'

/** The unit in which a qcow2 file keeps data; the default of qemu-img. */
const CLUSTER = 65_536
const PIECE = 64 * CLUSTER

/** A stretch of a disk in bytes. */
export interface Stretch {
  start: number
  length: number
}

/**
 * Makes a qcow2 file that holds what a raw disk has otherwise than the qcow2 disk `lower`, of which `lowerRaw` is a
 * raw copy. Its backing file is the lower disk by its bare name, so the two must lie in one folder when it is used.
 * `qemu-img rebase` does the same, but reads every byte of the two disks, holes as well.
 *
 * @returns its path in the work directory
 */
export async function differenceOf(
  { raw, lowerRaw, lower }: { raw: string; lowerRaw: string; lower: string },
  workDir: string,
  signal: AbortSignal,
): Promise<string> {
  const folder = join(workDir, 'difference')
  const disk = join(folder, 'upper.qcow2')
  await mkdir(folder)
  // Found by its bare name here as it will be later.
  await symlink(resolve(lower), join(folder, basename(lower)))
  const options = ['-f', 'qcow2', '-o', 'compat=1.1', '-b', basename(lower), '-F', 'qcow2']
  await run('qemu-img', ['create', '-q', ...options, disk], { signal })

  const filled = merged([...(await dataOf(raw, signal)), ...(await dataOf(lowerRaw, signal))])
  const [now, before] = [await open(raw), await open(lowerRaw)]
  try {
    const commands: string[] = []
    for await (const { start, content } of differing(now, before, filled)) {
      signal.throwIfAborted()
      if (isZero(content)) commands.push(`write -z ${start} ${content.length}`)
      else {
        const source = `${commands.length}`
        await writeFile(join(folder, source), content)
        commands.push(`write -s ${source} ${start} ${content.length}`)
      }
    }
    const input = `${commands.join('\n')}\n`
    const said = await run('qemu-io', ['-f', 'qcow2', '-t', 'unsafe', disk], { cwd: folder, input, signal })
    // qemu-io goes on after an error and still succeeds.
    if ((said.match(/^(qemu-io> )*wrote /gm) ?? []).length !== commands.length) {
      throw new Error('The disk of the image could not be written')
    }
  } finally {
    await now.close()
    await before.close()
  }
  for (const file of [raw, lowerRaw, join(folder, basename(lower))]) await rm(file)
  return disk
}

/** Neighbouring clusters that differ, a few megabytes at a time. */
async function* differing(
  now: FileHandle,
  before: FileHandle,
  filled: readonly Stretch[],
): AsyncGenerator<{ start: number; content: Buffer }> {
  const [one, other] = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)]
  for (const { start, length } of filled) {
    for (let at = start; at < start + length; at += PIECE) {
      const size = Math.min(PIECE, start + length - at)
      await Promise.all([now.read(one, 0, size, at), before.read(other, 0, size, at)])
      let from = 0
      for (let cluster = 0; cluster <= size; cluster += CLUSTER) {
        const end = Math.min(cluster + CLUSTER, size)
        if (cluster < size && one.compare(other, cluster, end, cluster, end) !== 0) continue
        if (cluster > from) yield { start: at + from, content: Buffer.from(one.subarray(from, cluster)) }
        from = end
      }
    }
  }
}

const Extents = z.array(z.object({ start: z.int(), length: z.int(), data: z.boolean() }))

/** Where a raw file has been written. */
async function dataOf(raw: string, signal: AbortSignal): Promise<Stretch[]> {
  const text = await run('qemu-img', ['map', '--output=json', '-f', 'raw', raw], { signal })
  return Extents.parse(JSON.parse(text)).filter((extent) => extent.data)
}

/** The same places in whole clusters, in order, without overlap. */
export function merged(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = []
  for (const { start, length } of stretches.toSorted((one, next) => one.start - next.start)) {
    const from = Math.floor(start / CLUSTER) * CLUSTER
    const end = Math.ceil((start + length) / CLUSTER) * CLUSTER
    const last = result.at(-1)
    if (last && from <= last.start + last.length) last.length = Math.max(last.length, end - last.start)
    else result.push({ start: from, length: end - from })
  }
  return result
}

const isZero = (content: Buffer): boolean => content.every((byte) => byte === 0)
