import { chmod, lstat, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../lib/command.ts'
import { type Box, giveToBox, isUnable, keepsOwners, removeBoxed, runAsForeignRoot } from './import-box.ts'
import { hostIsFull, ImportError, unable } from './import-error.ts'
import { PULLED } from './registry-layout.ts'

/** The directory of a container disk's image, and what is to become a disk otherwise. */
const ROOT = 'rootfs'

/**
 * Makes a disk image out of a pulled container image (the layout in `<dir>/<layout>`, which goes): the file under
 * `/disk/` where there is one (the container disk convention), else an ext4 file system of the whole root. It is
 * `<dir>/<name>`, still as foreign as before: inspect it.
 */
export async function makeDisk(
  { dir, layout, name }: { dir: string; layout: string; name: string },
  limits: { maxVirtualBytes: number; signal: AbortSignal },
): Promise<void> {
  await giveToBox(dir)
  const box: Box = {
    cwd: dir,
    signal: limits.signal,
    // mke2fs takes time by the square of how many files a directory has: 5 s for 3,000 of them, hours for 100,000.
    timeoutMs: 1_800_000,
    // Measured: umoci starts with 100 MB, and mke2fs keeps its tables in memory.
    memoryBytes: 1024 * 1024 * 1024,
    maxFileBytes: limits.maxVirtualBytes,
  }
  // umoci resolves every path inside the new root, and devices become empty files as nobody may make them.
  const rootless = keepsOwners() ? [] : ['--rootless']
  await inBox('umoci', ['raw', 'unpack', ...rootless, '--image', `${layout}:${PULLED}`, ROOT], box)
  await removeBoxed(join(dir, layout))

  const disk = await findDisk(join(dir, ROOT, 'disk'))
  if (disk === null) await makeFileSystem(dir, name, box)
  else {
    await chmod(disk, 0o600)
    await rename(disk, join(dir, name))
  }
  await removeBoxed(join(dir, ROOT))
}

/** The one file of a container disk; null when the image is none. Links lead anywhere and do not count. */
async function findDisk(folder: string): Promise<string | null> {
  const isFolder = await lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return null
  await chmod(folder, 0o700)
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name))
  if (files.length > 1)
    throw new ImportError('The image contains more than one file in /disk. It must contain exactly one.')
  return files[0] ?? null
}

/** An ext4 file system of all that is in the root, with some room. */
async function makeFileSystem(dir: string, name: string, box: Box): Promise<void> {
  const count = async (...flags: string[]) =>
    Number((await inBox('du', ['--summarize', ...flags, '--', ROOT], box)).split(/\s/)[0])
  const files = await count('--inodes')
  // Of what is in the files and not of what they take here, which a file system that compresses makes less of.
  const contentBytes = (await count('--apparent-size', '--block-size=1')) + files * BLOCK
  const inodes = files + Math.ceil(files / 4) + 1024
  // Measured with many small files, few large ones and none: from a fifth to nine tenths stay free.
  const bytes = Math.ceil((contentBytes * 1.25 + inodes * 512) / MIB + 64) * MIB
  if (bytes > box.maxFileBytes)
    throw new ImportError('The unpacked image is larger than the largest disk allowed.')

  const path = join(dir, name)
  const file = await open(path, 'wx', 0o600)
  await file.truncate(bytes)
  await file.close()
  await giveToBox(path)
  const shape = ['-t', 'ext4', '-b', `${BLOCK}`, '-m', '0', '-N', `${inodes}`]
  await inBox('mke2fs', ['-q', '-F', ...shape, '-d', ROOT, name], box)
}

const MIB = 1024 * 1024

/** Of the file system, whatever its size: small ones would get smaller blocks, and stay slow when they grow. */
const BLOCK = 4096

async function inBox(program: string, args: readonly string[], box: Box): Promise<string> {
  try {
    return await runAsForeignRoot(program, args, box)
  } catch (error) {
    box.signal.throwIfAborted()
    if (errorCode(error) === 'ENOSPC') throw hostIsFull(error)
    if (isUnable(error)) throw unable(error)
    throw new ImportError('The container image is damaged or incomplete.', { cause: error })
  }
}
