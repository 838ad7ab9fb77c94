/** A small file system for the data directory, which can be filled, made read-only and slowed down. Only for root. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Pace {
  /** Reads, and writes, per second. */
  perSecond: number
  bytesPerSecond: number
}

export interface OwnDisk {
  /** Limits the whole disk, whoever reads or writes; null lets it run free. Null itself: this kernel cannot. */
  slow: ((pace: Pace | null) => Promise<void>) | null
  remove: () => Promise<void>
}

/** Limits of the root group hold for the kernel's own writing too; only the first version of cgroups has those. */
const throttle = '/sys/fs/cgroup/blkio/blkio.throttle'

async function slowerOf(dir: string): Promise<OwnDisk['slow']> {
  const { dev } = await stat(dir)
  const device = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
  async function slow(pace: Pace | null): Promise<void> {
    for (const way of ['read', 'write']) {
      await writeFile(`${throttle}.${way}_iops_device`, `${device} ${pace?.perSecond ?? 0}`)
      await writeFile(`${throttle}.${way}_bps_device`, `${device} ${pace?.bytesPerSecond ?? 0}`)
    }
  }
  return slow(null).then(
    () => slow,
    () => null,
  )
}

/**
 * Mounts a file system of that size, such as `256m`, over a directory: a loop device over memory, which is as fast as
 * memory until it is slowed. Null where that is not allowed.
 */
export async function mountOwnDisk(dir: string, size: string): Promise<OwnDisk | null> {
  if (process.getuid?.() !== 0) return null
  const below = await mkdtemp(join(tmpdir(), 'slipway-campaign-disk-'))
  const image = join(below, 'disk')
  let device = ''
  async function remove(): Promise<void> {
    await run('umount', ['-l', dir]).catch(() => {})
    if (device) await run('losetup', ['-d', device]).catch(() => {})
    await run('umount', ['-l', below]).catch(() => {})
    await rm(below, { recursive: true, force: true })
  }
  try {
    // It takes only what is written to it.
    await run('mount', ['-t', 'tmpfs', '-o', 'size=100%,mode=0700', 'slipway-campaign', below])
    await run('truncate', ['-s', size, image])
    await run('mkfs.ext4', ['-q', '-m', '0', '-O', '^has_journal', image])
    device = (await run('losetup', ['--find', '--show', image])).stdout.trim()
    await run('mount', ['-o', 'discard', device, dir])
    await run('chmod', ['0700', dir])
    await rmdir(join(dir, 'lost+found'))
    const slow = await slowerOf(dir)
    return {
      slow,
      async remove() {
        // The limit would wait for whoever gets the device next.
        await slow?.(null)
        await remove()
      },
    }
  } catch {
    await remove()
    return null
  }
}
