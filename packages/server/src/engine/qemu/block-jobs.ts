import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, type Work } from '../engine.ts'
import type { BlockHost } from './block-host.ts'
import { isRecord } from './lines.ts'
import { createBlank, lookAtDisk, prove } from './qcow2.ts'
import { listenFor, type Qmp } from './qmp.ts'
import { together } from './turns.ts'

/** One disk of a copy. */
export interface DiskCopy {
  /** The node to copy. */
  node: string
  virtualBytes: number
  /** The file to make, which must not exist. */
  target: string
  /** The name of the file that the copy builds upon. */
  backing: string | null
  /** `full`: all it shows. `top`: what it holds beyond the file it builds upon. Else what a bitmap has noted. */
  what: 'full' | 'top' | { notedBy: string }
}

/**
 * Starts the copy; what the disks hold when it returns is what is copied. `still` returns when nothing is being read,
 * and nothing is until the moment is over: QEMU 7.2 dies when it takes disks into use again, as it does after saving
 * memory, while they are read.
 */
export type Begin = (options?: { still: boolean }) => Promise<void>

/** Names of all jobs and nodes of copies begin so, by which a later process finds what an earlier one left. */
const COPY = 'copy-'
/** Bytes a second. */
const SLOW = 1024 * 1024
const LOOK_MS = 200
/** A job pauses when what it has begun to read has come; the guest stands still meanwhile. */
const PAUSED_MS = 60_000

/**
 * Copies disks as they are at one moment, while they may be written on: either all of them or none. The copies are
 * complete when it ends, and the caller's to prove; files of a failed one are the caller's to remove.
 *
 * @param options.moment chooses the moment: gets the way to begin, and may hold the guest still around it
 * @param options.noteIn a bitmap to make, which notes every change since that moment; only with a single disk
 * @param options.inOrder has a copy lie in its file as the disk does, but for what is written on meanwhile. Copies of a disk
 *   that has hardly changed are then hardly different files
 */
export async function copyDisks<T>(
  host: BlockHost,
  disks: readonly DiskCopy[],
  work: Work,
  options: { moment: (begin: Begin) => Promise<T>; noteIn?: string; inOrder?: boolean },
): Promise<T> {
  const { qmp } = host
  const opened: string[] = []
  try {
    await together(
      disks.map(({ target, virtualBytes, backing }) => createBlank(target, virtualBytes, backing)),
    )
    work.signal.throwIfAborted()
    const result = await options.moment(async ({ still } = { still: false }) => {
      // Not opened earlier: saving memory closes for writing whatever is open.
      for (const [index, { target }] of disks.entries()) {
        const node = `${COPY}${index}`
        await host.lend(target, (filename) => addNode(qmp, { node, filename, readOnly: false }))
        opened.push(node)
      }
      await qmp.execute('transaction', transactionOf(disks, { ...options, slowly: still }))
      if (still) await pauseJobs(qmp)
      work.onProgress(0)
    })
    await resumeJobs(qmp)
    await attend(host, work)
    return result
  } finally {
    await endJobs(qmp)
    for (const node of opened) await qmp.execute('blockdev-del', { 'node-name': node }).catch(() => {})
    await host.goOn().catch(() => {})
  }
}

/** Reads copies back and waits until they are on the disk of the host. */
export async function proveCopies(disks: readonly DiskCopy[]): Promise<void> {
  await together(
    disks.map(async ({ target, virtualBytes, backing }) => {
      await prove(target)
      const copy = await lookAtDisk(target)
      if (copy.is !== 'disk' || copy.virtualBytes !== virtualBytes || copy.backing !== backing)
        throw new EngineError('internal', 'A copy of a disk does not match the original.', {
          retryable: true,
        })
    }),
  )
}

/** Opens a qcow2 file that is taken to build upon nothing. */
export const addNode = (
  qmp: Qmp,
  { node, filename, readOnly }: { node: string; filename: string; readOnly: boolean },
): Promise<unknown> =>
  qmp.execute('blockdev-add', {
    driver: 'qcow2',
    'node-name': node,
    'read-only': readOnly,
    discard: readOnly ? 'ignore' : 'unmap',
    backing: null,
    file: { driver: 'file', filename },
  })

/** Removes jobs and nodes of copies, whoever began them. */
export async function clearCopies(qmp: Qmp): Promise<void> {
  await endJobs(qmp)
  for (const { name } of await namedNodes(qmp)) {
    if (name.startsWith(COPY)) await qmp.execute('blockdev-del', { 'node-name': name })
  }
}

/** Every node that was given a name, with its file's name and what notes its changes. */
export async function namedNodes(qmp: Qmp): Promise<{ name: string; file: string; bitmaps: Bitmap[] }[]> {
  const nodes = await qmp.execute('query-named-block-nodes', { flat: true })
  if (!Array.isArray(nodes)) return []
  return nodes.filter(isRecord).map((node) => ({
    name: String(node['node-name']),
    file: String(node.file),
    bitmaps: (Array.isArray(node['dirty-bitmaps']) ? node['dirty-bitmaps'] : [])
      .filter(isRecord)
      .map((bitmap) => ({
        name: String(bitmap.name),
        bytes: Number(bitmap.count),
        // One that was open when its process was killed has missed changes.
        usable: bitmap.recording === true && bitmap.inconsistent !== true,
      })),
  }))
}

export interface Bitmap {
  name: string
  /** How much it has noted. */
  bytes: number
  usable: boolean
}

function transactionOf(
  disks: readonly DiskCopy[],
  { noteIn, inOrder = false, slowly }: { noteIn?: string; inOrder?: boolean; slowly: boolean },
) {
  const copies = disks.map(({ node, what }, index) => ({
    type: 'blockdev-backup',
    data: {
      'job-id': `${COPY}${index}`,
      device: node,
      target: `${COPY}${index}`,
      // Ends when it is told to, so that none does while QEMU takes disks into use again.
      'auto-finalize': false,
      'auto-dismiss': false,
      // Little is under way then, so that it can soon be paused.
      speed: slowly ? SLOW : 0,
      // Several at once take room in the file as they happen to end.
      ...(inOrder && { 'x-perf': { 'max-workers': 1 } }),
      ...(typeof what === 'string'
        ? { sync: what }
        : { sync: 'bitmap', bitmap: what.notedBy, 'bitmap-mode': 'never' }),
    },
  }))
  const [first] = disks
  if (noteIn === undefined || !first) return { actions: copies, properties: { 'completion-mode': 'grouped' } }
  const note = {
    type: 'block-dirty-bitmap-add',
    data: { node: first.node, name: noteIn, persistent: true },
  }
  return { actions: [note, ...copies] }
}

interface Job {
  id: string
  status: string
  done: number
  total: number
  error: string | null
}

async function jobsOf(qmp: Qmp): Promise<Job[]> {
  const jobs = await qmp.execute('query-jobs')
  if (!Array.isArray(jobs)) return []
  return jobs
    .filter(isRecord)
    .map((job) => ({
      id: String(job.id),
      status: String(job.status),
      done: Number(job['current-progress']),
      total: Number(job['total-progress']),
      error: typeof job.error === 'string' ? job.error : null,
    }))
    .filter(({ id }) => id.startsWith(COPY))
}

/** Waits for the jobs, tells how far they are, and throws when they fail or must end. */
async function attend(host: BlockHost, { signal, onProgress }: Work): Promise<void> {
  const changes = listenFor(host.qmp, signal, 'JOB_STATUS_CHANGE')
  try {
    for (let pause = 5; ; pause = Math.min(LOOK_MS, pause * 2)) {
      const jobs = await jobsOf(host.qmp)
      if (jobs.every(({ status }) => status === 'concluded')) {
        // One that fails takes the others along; what they say is not the reason.
        const reasons = jobs.map(({ error }) => error).filter((error) => error !== null)
        const reason = reasons.find((error) => error !== 'Operation canceled') ?? reasons[0]
        if (reason !== undefined) throw new Error(reason)
        return
      }
      const pending = jobs.find(({ status }) => status === 'pending')
      if (pending && jobs.every(({ status }) => status === 'pending')) {
        await host.qmp.execute('job-finalize', { id: pending.id })
        continue
      }
      signal.throwIfAborted()
      // What a guest writes goes through the copy; when that has no room, the guest waits until the copy is gone.
      if (await host.isStuck()) throw new Error('No space left on device')
      const total = jobs.reduce((sum, job) => sum + job.total, 0)
      if (total > 0) onProgress(jobs.reduce((sum, job) => sum + job.done, 0) / total)
      await changes.next(pause)
    }
  } finally {
    changes.stop()
  }
}

async function pauseJobs(qmp: Qmp): Promise<void> {
  for (const { id, status } of await jobsOf(qmp)) {
    if (status === 'running') await qmp.execute('job-pause', { id }).catch(() => {})
  }
  const latest = performance.now() + PAUSED_MS
  while ((await jobsOf(qmp)).some(({ status }) => status === 'running' || status === 'created')) {
    if (performance.now() > latest) throw new Error('A copy could not be paused in time')
    await sleep(1)
  }
}

async function resumeJobs(qmp: Qmp): Promise<void> {
  for (const { id, status } of await jobsOf(qmp)) {
    if (status !== 'paused') continue
    try {
      await qmp.execute('block-job-set-speed', { device: id, speed: 0 })
      await qmp.execute('job-resume', { id })
    } catch (error) {
      // One that was resumed before has failed and takes this one along; who attends them hears why.
      const jobs = await jobsOf(qmp)
      if (!jobs.some((job) => job.status === 'aborting' || job.status === 'concluded')) throw error
    }
  }
}

async function endJobs(qmp: Qmp): Promise<void> {
  try {
    for (let look = 0; look < 500; look += 1) {
      const jobs = await jobsOf(qmp)
      if (jobs.length === 0) return
      for (const { id, status } of jobs) {
        if (status === 'concluded') await qmp.execute('job-dismiss', { id })
        else await qmp.execute('block-job-cancel', { device: id, force: true }).catch(() => {})
      }
      if (jobs.some(({ status }) => status !== 'concluded')) await sleep(20)
    }
  } catch {
    // The process is gone, and its jobs with it.
  }
}
