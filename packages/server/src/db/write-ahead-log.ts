/**
 * Puts SQLite's write-ahead log on the disk beside the thread that answers requests: while a slow disk keeps one change
 * waiting, everybody else is answered. What `commit` has written outlives the process at once; after `flush` it also
 * outlives the host. With `synchronous=normal` SQLite leaves exactly that to us (documentation of `pragma synchronous`).
 */
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { flush } from '../lib/flush.ts'

export interface WriteAheadLog {
  /** Resolves when all that was committed before the call is on the disk; rejects when that is not sure. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** With a few pages each this is about as often as SQLite does it by itself. */
const commitsPerCheckpoint = 250

/** @param foldIn writes the whole log into the database file, at once and to the disk, or throws */
export function makeWriteAheadLog(file: string, foldIn: () => void): WriteAheadLog {
  let log: FileHandle | null = null
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let isDoubtful = false
  let commits = 0
  let checkpoint: Promise<void> = Promise.resolve()
  let isShortening = false

  async function opened(): Promise<FileHandle> {
    const handle = await open(`${file}-wal`)
    // Its name must outlive the host, too.
    await flush(path.dirname(file))
    return handle
  }

  async function sync(): Promise<void> {
    try {
      log ??= await opened()
      if (!isDoubtful) return await log.datasync()
    } catch {
      isDoubtful = true
    }
    // What the kernel once failed to write it takes for written: only another place can show that it is stored.
    foldIn()
    isDoubtful = false
  }

  function begin(): Promise<void> {
    const mine = sync().finally(() => {
      running = null
    })
    running = mine
    return mine
  }

  /** The one under way may have begun before the newest change: all that come meanwhile share the one after it. */
  function afterThisOne(current: Promise<void>): Promise<void> {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null
        return begin()
      })
    return next
  }

  /**
   * Moves what the log has into the database, in a thread of its own: that waits for the disk twice. Never fails: one that
   * did, or for which the host had no thread, is made good by the next.
   */
  async function shorten(): Promise<void> {
    try {
      const worker = new Worker(new URL('./checkpoint.worker.ts', import.meta.url), { workerData: file })
      worker.unref()
      await new Promise<void>((resolve) => {
        worker.once('error', () => resolve())
        worker.once('exit', () => resolve())
      })
    } catch {
      // The log grows meanwhile.
    }
  }

  return {
    async flush() {
      await (running ? afterThisOne(running) : begin())
      commits++
      if (commits < commitsPerCheckpoint || isShortening) return
      commits = 0
      isShortening = true
      checkpoint = shorten().finally(() => {
        isShortening = false
      })
    },
    async close() {
      await next?.catch(() => {})
      await running?.catch(() => {})
      await checkpoint
      await log?.close()
    },
  }
}
