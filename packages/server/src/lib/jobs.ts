/**
 * Long work beside the reconcilers. A look starts a job or finds one under way, and never waits for it; when the job
 * has settled, its id is kicked and the next look takes the outcome. Jobs live in memory only: after a restart the
 * look finds none and starts the work again, which the engine allows at every moment.
 *
 * Each kind has a pool of its own, so that slow downloads cannot keep copies waiting. In a pool, the project with the
 * fewest running jobs goes first, and no project may fill it alone.
 */
import type { Clock } from './clock.ts'

/** `fetch` waits for a server elsewhere, `copy` for the host's disk; `quick` ends within seconds. */
export type JobKind = 'fetch' | 'copy' | 'quick'

/** How many run at a time: in all, and of one project. */
export const poolSizes: Record<JobKind, { all: number; ofOneProject: number }> = {
  fetch: { all: 8, ofOneProject: 2 },
  copy: { all: 2, ofOneProject: 1 },
  quick: { all: 8, ofOneProject: 4 },
}

/** What a job is given: a signal that ends it, and a way to report progress from 0 to 1 (null: unknown). */
export interface JobWork {
  signal: AbortSignal
  onProgress: (fraction: number | null) => void
}

/** What a job does, in a word that the contract knows, and to which object. */
export interface JobSubject {
  /** Such as `disk.create`. */
  action: string
  type: string
  id: string
  name: string
  /** Null once the project has been deleted. */
  projectId: string | null
}

export interface JobRequest<T> {
  /** Of the object that is worked on: there is at most one job with an id. */
  id: string
  kind: JobKind
  subject: JobSubject
  run: (work: JobWork) => Promise<T>
  /** Called when the progress changed by a percent or the job began. */
  onProgress?: () => void
  /** Called once the outcome can be taken. */
  onSettled: () => void
}

export interface JobView {
  id: string
  kind: JobKind
  subject: JobSubject
  state: 'waiting' | 'running' | 'settled'
  /** From 0 to 1; null while unknown. */
  progress: number | null
  /** Milliseconds since the epoch. */
  requestedAt: number
  startedAt: number | null
  /** Somebody asked for its end. */
  aborted: boolean
}

export type JobOutcome<T> = { ok: true; value: T } | { ok: false; error: unknown; aborted: boolean }

export interface Jobs {
  /** Starts a job, as soon as its pool has a place. Does nothing when there is one with this id already. */
  start: <T>(request: JobRequest<T>) => void
  find: (id: string) => JobView | null
  /** The outcome of a settled job, which is forgotten thereby; null when there is none. */
  take: <T>(id: string) => JobOutcome<T> | null
  /** Asks a job to end; one that still waits settles at once. Returns whether there was one to end. */
  abort: (id: string) => boolean
  list: () => JobView[]
  /** Ends all of them and starts none any more; resolves when all have settled. */
  close: () => Promise<void>
  /** Resolves when none runs or waits; for tests. */
  idle: () => Promise<void>
}

/** A job was ended before it began. */
export class JobAborted extends Error {
  constructor() {
    super('The operation was cancelled')
    this.name = 'JobAborted'
  }
}

interface Job extends JobView {
  request: JobRequest<unknown>
  abort: AbortController
  outcome: JobOutcome<unknown> | null
}

export function makeJobs({ clock }: { clock: Pick<Clock, 'now'> }): Jobs {
  const jobs = new Map<string, Job>()
  let closed = false
  let waiters: (() => void)[] = []

  const inState = (state: JobView['state'], kind?: JobKind) =>
    [...jobs.values()].filter((job) => job.state === state && (kind === undefined || job.kind === kind))

  /** The job that goes next in a pool: of the project with the fewest running ones, the oldest. */
  function nextOf(kind: JobKind): Job | null {
    const running = inState('running', kind)
    if (running.length >= poolSizes[kind].all) return null
    const runningOf = (job: Job) =>
      running.filter(({ subject }) => subject.projectId === job.subject.projectId).length
    let next: Job | null = null
    for (const job of inState('waiting', kind)) {
      const count = runningOf(job)
      if (count >= poolSizes[kind].ofOneProject) continue
      if (next === null || count < runningOf(next)) next = job
    }
    return next
  }

  function fill(kind: JobKind): void {
    for (let job = nextOf(kind); job !== null && !closed; job = nextOf(kind)) begin(job)
  }

  function begin(job: Job): void {
    job.state = 'running'
    job.startedAt = clock.now()
    const work: JobWork = {
      signal: job.abort.signal,
      onProgress(fraction) {
        const percent = fraction === null ? null : Math.floor(Math.min(1, Math.max(0, fraction)) * 100) / 100
        if (job.state !== 'running' || percent === job.progress) return
        job.progress = percent
        job.request.onProgress?.()
      },
    }
    job.request.onProgress?.()
    // A run that throws at once is a failed job, not a failed look.
    Promise.resolve()
      .then(() => job.request.run(work))
      .then(
        (value) => settle(job, { ok: true, value }),
        (error: unknown) => settle(job, { ok: false, error, aborted: job.abort.signal.aborted }),
      )
  }

  function settle(job: Job, outcome: JobOutcome<unknown>): void {
    job.state = 'settled'
    job.outcome = outcome
    job.request.onSettled()
    fill(job.kind)
    tellWaiters()
  }

  function tellWaiters(): void {
    if (inState('running').length > 0 || inState('waiting').length > 0) return
    for (const done of waiters) done()
    waiters = []
  }

  function abort(id: string): boolean {
    const job = jobs.get(id)
    if (!job || job.state === 'settled') return false
    job.aborted = true
    job.abort.abort()
    if (job.state === 'waiting') settle(job, { ok: false, error: new JobAborted(), aborted: true })
    return true
  }

  const idle = () =>
    inState('running').length === 0 && inState('waiting').length === 0
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiters.push(resolve))

  const viewOf = ({ request: _, abort: __, outcome: ___, ...view }: Job): JobView => view

  return {
    start(request) {
      if (closed || jobs.has(request.id)) return
      const { id, kind, subject } = request
      jobs.set(id, {
        id,
        kind,
        subject,
        state: 'waiting',
        progress: null,
        requestedAt: clock.now(),
        startedAt: null,
        aborted: false,
        request: request as JobRequest<unknown>,
        abort: new AbortController(),
        outcome: null,
      })
      fill(kind)
    },
    find(id) {
      const job = jobs.get(id)
      return job ? viewOf(job) : null
    },
    take<T>(id: string) {
      const job = jobs.get(id)
      if (!job?.outcome) return null
      jobs.delete(id)
      // Who takes the outcome has started the job and knows its type.
      return job.outcome as JobOutcome<T>
    },
    abort,
    list: () => [...jobs.values()].map(viewOf),
    async close() {
      closed = true
      for (const id of [...jobs.keys()]) abort(id)
      await idle()
    },
    idle,
  }
}
