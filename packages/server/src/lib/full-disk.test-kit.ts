/** A disk that gets full at a write of the test's choice, for all that this process writes by node:fs/promises. */

import type * as fs from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

type Promises = typeof fs

/** How many writes there were, and the first of them that found no room; those after it find none either. */
export interface FullDisk {
  writes: number
  fullFrom: number
  /** What the tests leave alone: paths without this part. */
  within: string
}

/** From its n-th write on the disk is full, until `makeRoom`. */
export function fillAt(disk: FullDisk, n: number): void {
  disk.writes = 0
  disk.fullFrom = n
}
export function makeRoom(disk: FullDisk): void {
  disk.fullFrom = Number.POSITIVE_INFINITY
}
export const wasFull = (disk: FullDisk): boolean => disk.writes >= disk.fullFrom

/** To be put in the place of node:fs/promises by `vi.mock`. */
export function onDisk(real: Promises, disk: FullDisk): Promises {
  function takeRoom(path: unknown): void {
    if (disk.within !== '' && !String(path).includes(disk.within)) return
    disk.writes += 1
    if (disk.writes < disk.fullFrom) return
    throw Object.assign(new Error(`ENOSPC: no space left on device, write '${String(path)}'`), {
      code: 'ENOSPC',
    })
  }
  // Each is called with what the original takes, and answers what it answers.
  const wrapped = {
    async writeFile(...args: Parameters<Promises['writeFile']>) {
      takeRoom(args[0])
      return real.writeFile(...args)
    },
    async mkdir(...args: Parameters<Promises['mkdir']>) {
      const isThere = await real.stat(args[0]).then(
        () => true,
        () => false,
      )
      if (!isThere) takeRoom(args[0])
      return real.mkdir(...args)
    },
    async symlink(...args: Parameters<Promises['symlink']>) {
      takeRoom(args[1])
      return real.symlink(...args)
    },
    async copyFile(...args: Parameters<Promises['copyFile']>) {
      takeRoom(args[1])
      return real.copyFile(...args)
    },
    async open(...args: Parameters<Promises['open']>): Promise<FileHandle> {
      if (typeof args[1] === 'string' && /[wa]/.test(args[1])) takeRoom(args[0])
      return real.open(...args)
    },
  }
  return { ...real, ...wrapped } as Promises
}
