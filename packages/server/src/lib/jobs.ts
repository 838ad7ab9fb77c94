/**
 * Long work beside the reconcilers. A look starts a job or finds one under way, and never waits for it; when the job
 * has settled, its id is kicked and the next look takes the outcome. Jobs live in memory only: after a restart the
 * look finds none and starts the work again, which the engine allows at every moment.
 *
 * Each kind has a queue of its own, so that slow downloads cannot keep copies waiting. Its places are shared out by the
 * account that owns the project, so nobody fills it alone, however many projects they have.
 *
 * An outcome is kept until somebody takes it. Who stores it elsewhere first peeks, stores, and then takes it: when the
 * store fails, the next look finds it again. Were it lost, the engine's calls may be repeated all the same.
 */
import type { Clock } from './clock.ts'
import { type FairQueue, makeFairQueue, type Places, type QueueFigures, type Seat } from './fair-queue.ts'

/**
 * `fetch` waits for a server elsewhere, `copy` for the host's disk; `quick` ends within seconds. `check` reads what is
 * there, and nobody waits for it. `plug` waits for others that work on the same machine, or for a cluster, and costs
 * nothing meanwhile.
 */
export type JobKind = 'fetch' | 'copy' | 'quick' | 'check' | 'plug'

/** How many run at a time: in all, and of one owner. */
export const jobPlaces: Record<JobKind, Places> = {
  fetch: { inAll: 8, ofOneKey: 2 },
  copy: { inAll: 2, ofOneKey: 1 },
  quick: { inAll: 8, ofOneKey: 4 },
  check: { inAll: 2, ofOneKey: 1 },
  plug: { inAll: 400, ofOneKey: 40 },
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
  /** The account that owns the project, which is charged; null once the project has been deleted. */
  ownerId: string | null
}

export interface JobRequest<T> {
  /** Of the object that is worked on: there is at most one job with an id. */
  id: string
  kind: JobKind
  subject: JobSubject
  run: (work: JobWork) => Promise<T>
  /** It waits at least so many milliseconds before it joins the others: for another try after a failure. */
  delayMs?: number
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
  /**
   * What a waiting job waits for: other jobs of its owner, who has as many running as one may, or those of everybody.
   * `running` says how many these are. Null when it does not wait, or waits for its own delay.
   */
  waitsFor: { whose: 'owner' | 'everybody'; running: number } | null
}

export type JobOutcome<T> =
  | { ok: true; value: T }
  /** `failures` counts those in a row of jobs with this id, aborted ones left out. */
  | { ok: false; error: unknown; aborted: boolean; failures: number }

export interface Jobs {
  /** Starts a job, as soon as its pool has a place. Does nothing when there is one with this id already. */
  start: <T>(request: JobRequest<T>) => void
  find: (id: string) => JobView | null
  /** How far a running job is, from 0 to 1; null when unknown or when there is none. */
  progressOf: (id: string) => number | null
  /** The outcome of a settled job, which is kept; null when there is none. */
  peek: <T>(id: string) => JobOutcome<T> | null
  /** The outcome of a settled job, which is forgotten thereby; null when there is none. */
  take: <T>(id: string) => JobOutcome<T> | null
  /** Forgets a settled job, and how often it failed: its object needs no more work. */
  forget: (id: string) => void
  /** Asks a job to end; one that still waits settles at once. Returns whether there was one to end. */
  abort: (id: string) => boolean
  /** Those of a project, or all; in the order they were asked for. */
  list: (projectId?: string) => JobView[]
  /**
   * Ends all of them and starts none any more; resolves when all have settled. Nobody is told of these ends and they
   * have no outcome: nothing failed, and the next server begins this work again.
   */
  close: () => Promise<void>
  /** Resolves when none runs or waits; for tests. */
  idle: () => Promise<void>
  /** How many run and wait of each kind. */
  figures: () => Record<JobKind, QueueFigures>
}

/** A job was ended before it began. */
export class JobAborted extends Error {
  constructor() {
    super('The operation was cancelled')
    this.name = 'JobAborted'
  }
}

interface Job extends Omit<JobView, 'waitsFor'> {
  request: JobRequest<unknown>
  controller: AbortController
  outcome: JobOutcome<unknown> | null
  /** Null while it waits for its own delay, and at the moment when it gets a place at once. */
  seat: Seat | null
  cancelDelay: (() => void) | null
}

export interface JobsOptions {
  clock: Pick<Clock, 'now' | 'after'>
  /** Called after a job was asked for, began, got on by a percent or settled. */
  onChange?: (job: JobView) => void
}

export function makeJobs({ clock, onChange }: JobsOptions): Jobs {
  const jobs = new Map<string, Job>()
  const failures = new Map<string, number>()
  const queues: Record<JobKind, FairQueue> = {
    fetch: makeFairQueue(jobPlaces.fetch),
    copy: makeFairQueue(jobPlaces.copy),
    quick: makeFairQueue(jobPlaces.quick),
    check: makeFairQueue(jobPlaces.check),
    plug: makeFairQueue(jobPlaces.plug),
  }
  /** How many wait or run. */
  let unsettled = 0
  let closed = false
  let waiters: (() => void)[] = []

  function changed(job: Job): void {
    onChange?.(viewOf(job))
  }

  function join(job: Job): void {
    job.cancelDelay = null
    job.seat = queues[job.kind].enter(job.subject.ownerId, () => begin(job))
    // One that began at once has been told of already.
    if (job.state === 'waiting') tell(job)
  }

  function begin(job: Job): void {
    const { request } = job
    job.state = 'running'
    job.startedAt = clock.now()
    const work: JobWork = { signal: job.controller.signal, onProgress: (fraction) => report(job, fraction) }
    // A run that throws at once is a failed job, not a failed look.
    Promise.resolve()
      .then(function runJob() {
        return request.run(work)
      })
      .then(
        (value) => settle(job, { ok: true, value }),
        (error: unknown) => settleFailed(job, error),
      )
    tell(job)
  }

  function tell(job: Job): void {
    job.request.onProgress?.()
    changed(job)
  }

  function report(job: Job, fraction: number | null): void {
    const percent = fraction === null ? null : Math.floor(Math.min(1, Math.max(0, fraction)) * 100) / 100
    // Who asked for its end has been told already what became of the object.
    if (job.state !== 'running' || job.aborted || percent === job.progress) return
    job.progress = percent
    tell(job)
  }

  function settleFailed(job: Job, error: unknown): void {
    const { aborted } = job.controller.signal
    const before = failures.get(job.id) ?? 0
    if (!aborted) failures.set(job.id, before + 1)
    settle(job, { ok: false, error, aborted, failures: before + (aborted ? 0 : 1) })
  }

  function settle(job: Job, outcome: JobOutcome<unknown>): void {
    job.cancelDelay?.()
    unsettled--
    if (!closed) {
      job.state = 'settled'
      job.outcome = outcome
      if (outcome.ok) failures.delete(job.id)
    }
    // The next one begins.
    job.seat?.leave()
    if (!closed) {
      job.request.onSettled()
      changed(job)
    }
    tellWaiters()
  }

  function tellWaiters(): void {
    if (unsettled > 0) return
    for (const done of waiters) done()
    waiters = []
  }

  function abort(id: string): boolean {
    const job = jobs.get(id)
    if (!job || job.state === 'settled') return false
    job.aborted = true
    job.controller.abort()
    if (job.state === 'waiting') settleFailed(job, new JobAborted())
    return true
  }

  const idle = () =>
    unsettled === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiters.push(resolve))

  function waitsFor(job: Job): JobView['waitsFor'] {
    if (!job.seat?.isWaiting()) return null
    const queue = queues[job.kind]
    const running = queue.runningOf(job.subject.ownerId)
    return running >= jobPlaces[job.kind].ofOneKey
      ? { whose: 'owner', running }
      : { whose: 'everybody', running: queue.figures().running }
  }

  function viewOf(job: Job): JobView {
    const { id, kind, subject, state, progress, requestedAt, startedAt, aborted } = job
    return { id, kind, subject, state, progress, requestedAt, startedAt, aborted, waitsFor: waitsFor(job) }
  }

  function peek<T>(id: string): JobOutcome<T> | null {
    // Who takes the outcome has started the job and knows its type.
    return (jobs.get(id)?.outcome ?? null) as JobOutcome<T> | null
  }

  return {
    start(request) {
      if (closed || jobs.has(request.id)) return
      const { id, kind, subject } = request
      const job: Job = {
        id,
        kind,
        subject,
        state: 'waiting',
        progress: null,
        requestedAt: clock.now(),
        startedAt: null,
        aborted: false,
        request: request as JobRequest<unknown>,
        controller: new AbortController(),
        outcome: null,
        seat: null,
        cancelDelay: null,
      }
      jobs.set(id, job)
      unsettled++
      if (request.delayMs) {
        job.cancelDelay = clock.after(request.delayMs, () => join(job))
        tell(job)
      } else {
        join(job)
      }
    },
    find(id) {
      const job = jobs.get(id)
      return job ? viewOf(job) : null
    },
    progressOf: (id) => jobs.get(id)?.progress ?? null,
    peek,
    take<T>(id: string) {
      const outcome = peek<T>(id)
      if (outcome) jobs.delete(id)
      return outcome
    },
    forget(id) {
      if (jobs.get(id)?.state === 'settled') jobs.delete(id)
      failures.delete(id)
    },
    abort,
    list: (projectId) =>
      [...jobs.values()]
        .filter(({ subject }) => projectId === undefined || subject.projectId === projectId)
        .map(viewOf),
    async close() {
      closed = true
      for (const id of [...jobs.keys()]) abort(id)
      await idle()
    },
    idle,
    figures: () => ({
      fetch: queues.fetch.figures(),
      copy: queues.copy.figures(),
      quick: queues.quick.figures(),
      check: queues.check.figures(),
      plug: queues.plug.figures(),
    }),
  }
}
