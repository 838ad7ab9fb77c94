import { readdir, readFile, statfs } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How the process and its disk are. */
export interface Vitals {
  /** Milliseconds since the epoch. */
  startedAt: number
  /** How long what was due had to wait in the last one to two minutes, in milliseconds. */
  delay: { p99Ms: number; maxMs: number }
  memoryMb: number
  /** File descriptors and how many there may be; null where the system does not tell. */
  openFiles: number | null
  openFilesLimit: number | null
  /** The file system of the data directory; null when it cannot be read. */
  disk: { freeMb: number; sizeMb: number } | null
}

/** How often the use of the disk is noted, and for how long that is kept: a week. */
const diskEveryMs = 10 * 60_000
const diskSamples = 1008

/** Node's timer for this wakes the process every time: a finer one costs a server at rest more than all else. */
const resolutionMs = 1000
const windowMs = 60_000
const mebibyte = 1024 ** 2

/** Watches the event loop from now on, until `stop`. */
export function makeVitals(dataDir: string) {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  // Node counts the time that the timer waits on purpose.
  const delayOf = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const now = (): Vitals['delay'] =>
    histogram.count === 0
      ? { p99Ms: 0, maxMs: 0 }
      : { p99Ms: delayOf(histogram.percentile(99)), maxMs: delayOf(histogram.max) }
  let before: Vitals['delay'] = { p99Ms: 0, maxMs: 0 }
  // What is measured passes in the time of the host, whatever clock the server is given.
  const timer = setInterval(function nextWindow() {
    before = now()
    histogram.reset()
  }, windowMs).unref()

  const disks: { at: number; usedMb: number }[] = []
  async function noteDisk(): Promise<void> {
    const disk = await readDisk(dataDir)
    if (!disk) return
    disks.push({ at: Date.now(), usedMb: disk.sizeMb - disk.freeMb })
    if (disks.length > diskSamples) disks.shift()
  }
  const diskTimer = setInterval(() => void noteDisk(), diskEveryMs).unref()

  return {
    /** How much of the disk was used since the process began, oldest first; at most a week of it. */
    diskSamples: (): readonly { at: number; usedMb: number }[] => disks,

    async read(): Promise<Vitals> {
      const { p99Ms, maxMs } = now()
      const [openFiles, openFilesLimit, disk] = await Promise.all([
        countOpenFiles(),
        readOpenFilesLimit(),
        readDisk(dataDir),
      ])
      return {
        startedAt: Date.now() - process.uptime() * 1000,
        delay: { p99Ms: Math.max(p99Ms, before.p99Ms), maxMs: Math.max(maxMs, before.maxMs) },
        memoryMb: process.memoryUsage.rss() / mebibyte,
        openFiles,
        openFilesLimit,
        disk,
      }
    },
    stop(): void {
      clearInterval(timer)
      clearInterval(diskTimer)
      histogram.disable()
    },
  }
}

const countOpenFiles = (): Promise<number | null> =>
  readdir('/proc/self/fd').then(
    // One of them is the directory that is read.
    (names) => names.length - 1,
    () => null,
  )

async function readOpenFilesLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
  return Number.isNaN(soft) ? null : soft
}

const readDisk = (path: string): Promise<Vitals['disk']> =>
  statfs(path).then(
    ({ bavail, blocks, bsize }) => ({
      freeMb: (bavail * bsize) / mebibyte,
      sizeMb: (blocks * bsize) / mebibyte,
    }),
    () => null,
  )
