import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { BootImage } from '../../image/image-store.ts'
import { run } from '../../lib/command.ts'
import { exists, ifThere } from './durable.ts'
import { lookAtDisk } from './qcow2.ts'

/**
 * How records and root disks name files of boot images: relative to the data directory, and to themselves, so that
 * the data directory can be moved or restored elsewhere. Earlier versions named them absolutely. A file of the store is
 * named after its content, so one of the same name in this data directory is the same file.
 */
export function makeImagePaths(dataDir: string) {
  const files = join(dataDir, 'images', 'files')

  /** A path as a record keeps it. */
  function keptPath(path: string): string {
    const inside = relative(dataDir, path)
    return inside.startsWith('..') || isAbsolute(inside) ? path : inside
  }

  async function foundPath(path: string): Promise<string> {
    if (!isAbsolute(path)) return resolve(dataDir, path)
    const own = join(files, basename(path))
    return path !== own && (await exists(own)) ? own : path
  }

  /** Follows links on the way, as QEMU does when it opens the other file from where the first one lies. */
  async function nameFrom(dir: string, path: string): Promise<string> {
    if (keptPath(path) === path) return path
    const name = relative(dir, path)
    const to = await ifThere(path, realpath(path))
    // An image that is lost is made again at the same place.
    if (to === null) return name
    return (await realpath(join(await realpath(dir), name)).catch(() => null)) === to ? name : path
  }

  return {
    /** An image as a record keeps it. */
    kept: (image: BootImage): BootImage => ({
      ...image,
      disk: keptPath(image.disk),
      ...(image.lower === undefined ? {} : { lower: keptPath(image.lower) }),
      ...(image.kernel === undefined ? {} : { kernel: keptPath(image.kernel) }),
      ...(image.initrd === undefined ? {} : { initrd: keptPath(image.initrd) }),
    }),

    /** The image a record names, with absolute paths. */
    found: async (image: BootImage): Promise<BootImage> => ({
      ...image,
      disk: await foundPath(image.disk),
      ...(image.lower === undefined ? {} : { lower: await foundPath(image.lower) }),
      ...(image.kernel === undefined ? {} : { kernel: await foundPath(image.kernel) }),
      ...(image.initrd === undefined ? {} : { initrd: await foundPath(image.initrd) }),
    }),

    /** The name by which a disk that lies, or will lie, in `dir` finds the image it stands on. */
    nameFrom,

    /**
     * Lets a root disk that no process has open find its image again after the data directory was moved, or after it
     * came from another directory itself. Its content stays as it is.
     */
    async mend(path: string, image: BootImage): Promise<void> {
      const disk = await lookAtDisk(path)
      if (disk.is !== 'disk' || disk.backing === null) return
      if (basename(disk.backing) !== basename(image.disk) || !(await exists(image.disk))) return
      const name = await nameFrom(dirname(path), image.disk)
      if (name === disk.backing) return
      await run('qemu-img', ['rebase', '-u', '-f', 'qcow2', '-F', 'qcow2', '-b', name, path])
    },
  }
}
