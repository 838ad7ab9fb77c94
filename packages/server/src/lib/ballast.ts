/**
 * Room that is kept for the way out of a full disk: files that hold nothing, on each file system that the server writes
 * to. When something that ends or deletes finds no room, one of them is given up on each; they are made anew once there is
 * room for several times as much. Pieces, because guests wait for the same room, and take what is left of one.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { flush } from './flush.ts'
import { inBackground } from './in-background.ts'
import type { Log } from './log.ts'

const mebibyte = 1024 ** 2
const pieces = 8
/** Of all pieces together: so much, or on a small file system this part of it. */
const mostBytes = 64 * mebibyte
const smallestShare = 16
/** So many times the ballast is free after it was made: whoever else writes is not to find the disk full because of it. */
const timesFree = 4
const lookEveryMs = 30_000

export interface BallastState {
  sizeBytes: number
  missingBytes: number
  /** How much has to be free until the missing pieces are made; 0 where none are. */
  neededBytes: number
}

export interface Ballast {
  /** Gives up one piece on each file system, in the middle of whatever found it full; false where none is left. */
  giveUp: () => boolean
  /**
   * Gives up a piece where less room than a piece is left, ahead of work that cannot be begun again; false where none is left
   * to give up.
   */
  makeRoom: () => boolean
  /** Makes what is missing, now and from time to time, where there is room. Returns the way to end that. */
  keep: () => () => Promise<void>
  /** For tests and who keeps it: makes what is missing once. */
  takeBack: () => Promise<void>
  /** Whether the data directory's is missing and there is less room than it takes: what is left is for the way out. */
  isShort: () => boolean
  state: () => BallastState
}

/** The ballast of the file system that a folder is to be in. */
function ballastIn(dir: string) {
  const place = path.dirname(dir)
  const { blocks, bsize } = statfsSync(place)
  const share = Math.min(mostBytes, (blocks * bsize) / smallestShare)
  const pieceBytes = Math.floor(share / pieces / bsize) * bsize
  const names = Array.from({ length: pieces }, (_, index) => `${index}`)
  const pathOf = (name: string) => path.join(dir, name)
  const there = existsSync(dir) ? readdirSync(dir) : []
  for (const name of there) if (name.endsWith('.new')) rmSync(pathOf(name), { force: true })
  const held = new Set(there.filter((name) => names.includes(name)))
  const missing = () => (pieces - held.size) * pieceBytes
  const free = () => {
    const now = statfsSync(place)
    return now.bavail * now.bsize
  }

  /** Whole under its name or not there at all. What is in it nobody can store in less. */
  async function make(name: string): Promise<void> {
    const fresh = `${pathOf(name)}.new`
    try {
      const file = await open(fresh, 'w', 0o600)
      try {
        for (let left = pieceBytes; left > 0; left -= mebibyte)
          await file.writeFile(randomBytes(Math.min(left, mebibyte)))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(fresh, pathOf(name))
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
    held.add(name)
  }

  return {
    sizeBytes: pieces * pieceBytes,
    pieceBytes,
    missing,
    free,
    giveUp(): boolean {
      for (const name of held) {
        held.delete(name)
        try {
          rmSync(pathOf(name))
          return true
        } catch {
          // Removed by somebody else, or cannot be: the next one.
        }
      }
      return false
    },
    /** How much has to be free until what is missing is made. */
    needed: () => (missing() === 0 ? 0 : timesFree * pieces * pieceBytes + missing()),
    async takeBack(): Promise<void> {
      for (const name of names) {
        if (held.has(name)) continue
        const { bavail, bsize: size } = await statfs(place)
        if (bavail * size < timesFree * pieces * pieceBytes + missing()) return
        await mkdir(dir, { recursive: true, mode: 0o700 })
        await make(name)
        await flush(dir)
      }
    },
  }
}

/**
 * Looks at what there is of the ballast in a data directory: on its file system, and on those mounted for `places` in it.
 * Makes none yet.
 */
export function openBallast(
  dataDir: string,
  places: readonly string[],
  log: Pick<Log, 'warn' | 'error' | 'info'>,
): Ballast {
  const own = statSync(dataDir).dev
  const mounted = places
    .map((place) => path.join(dataDir, place))
    .filter((dir) => existsSync(dir) && statSync(dir).dev !== own)
  const folders = [path.join(dataDir, 'ballast'), ...mounted.map((dir) => path.join(dir, '.ballast'))]
  const open = folders.map(ballastIn)
  const ofData = open[0]
  let making: Promise<void> | null = null

  function told(isGiven: boolean): boolean {
    if (isGiven) log.warn({ missing: missing() }, 'A disk is full: a part of the ballast was given up')
    return isGiven
  }
  const missing = () => open.reduce((all, one) => all + one.missing(), 0)

  async function makeAll(): Promise<void> {
    for (const one of open) {
      const before = one.missing()
      await one.takeBack()
      if (before > 0 && one.missing() === 0)
        log.info({ bytes: before }, 'The ballast for a full disk is whole')
    }
  }
  const takeBack = (): Promise<void> => {
    making ??= makeAll().finally(() => {
      making = null
    })
    return making
  }

  return {
    giveUp: () => told(open.map((one) => one.giveUp()).includes(true)),
    makeRoom: () =>
      open.map((one) => one.free() >= one.pieceBytes || told(one.giveUp())).every((hasRoom) => hasRoom),
    takeBack,
    keep() {
      const look = () => inBackground(log, 'making the ballast', takeBack())
      look()
      const timer = setInterval(look, lookEveryMs).unref()
      return async () => {
        clearInterval(timer)
        await making?.catch(() => {})
      }
    },
    isShort: () => ofData !== undefined && ofData.missing() > 0 && ofData.free() < ofData.sizeBytes,
    state: () => ({
      sizeBytes: open.reduce((all, { sizeBytes }) => all + sizeBytes, 0),
      missingBytes: missing(),
      neededBytes: Math.max(0, ...open.map((one) => one.needed())),
    }),
  }
}
