/**
 * The jobs of the server that drives, as every server sees them. That one has the jobs themselves; the others keep what
 * it last told them.
 */
import { z } from 'zod'
import type { Jobs, JobView } from './jobs.ts'
import type { Peers, Topic } from './peers.ts'

export type JobBoard = Pick<Jobs, 'find' | 'list'> & {
  /** Asks a job to end, wherever it runs. */
  abort: (id: string) => void
  /** A job of this server changed; those who watch it are told when all servers can see it. */
  note: (job: JobView) => void
  /** This server drives from now on, or has just come. */
  begin: () => void
}

const view: z.ZodType<JobView> = z.object({
  id: z.string(),
  kind: z.enum(['fetch', 'copy', 'quick', 'check', 'plug']),
  subject: z.object({
    action: z.string(),
    type: z.string(),
    id: z.string(),
    name: z.string(),
    projectId: z.string().nullable(),
    // A server of a version before tells none.
    ownerId: z.string().nullable().default(null),
  }),
  state: z.enum(['waiting', 'running', 'settled']),
  progress: z.number().nullable(),
  requestedAt: z.number(),
  startedAt: z.number().nullable(),
  aborted: z.boolean(),
  waitsFor: z.object({ whose: z.enum(['owner', 'everybody']), running: z.number() }).nullable(),
}) as z.ZodType<JobView>

const jobChanged: Topic<JobView> = { name: 'job', body: view }
const jobAborted: Topic<string> = { name: 'job.abort', body: z.string() }
/** Whoever drives tells its jobs; the others forget those of whoever drove before. */
const jobsAsked: Topic<'of whoever drives' | 'of a new driver'> = {
  name: 'jobs',
  body: z.enum(['of whoever drives', 'of a new driver']),
}

export function makeJobBoard(options: {
  jobs: Jobs
  peers: Pick<Peers, 'tellOthers' | 'hear' | 'onGap'>
  /** Whether the jobs are those of this server. */
  drives: () => boolean
}): JobBoard {
  const { jobs, peers, drives } = options
  const told = new Map<string, JobView>()

  peers.hear(jobChanged, (job) => {
    if (job.state === 'settled') told.delete(job.id)
    else told.set(job.id, job)
  })
  peers.hear(jobAborted, (id) => {
    if (drives()) jobs.abort(id)
  })
  peers.hear(jobsAsked, (what) => {
    if (what === 'of a new driver') told.clear()
    else if (drives()) for (const job of jobs.list()) peers.tellOthers(jobChanged, job)
  })
  peers.onGap(() => {
    told.clear()
    if (!drives()) peers.tellOthers(jobsAsked, 'of whoever drives')
  })

  return {
    find: (id) => (drives() ? jobs.find(id) : (told.get(id) ?? null)),
    list: (projectId) =>
      drives()
        ? jobs.list(projectId)
        : [...told.values()].filter(
            ({ subject }) => projectId === undefined || subject.projectId === projectId,
          ),
    abort(id) {
      if (drives()) jobs.abort(id)
      else peers.tellOthers(jobAborted, id)
    },
    note: (job) => peers.tellOthers(jobChanged, job),
    begin() {
      if (drives()) told.clear()
      peers.tellOthers(jobsAsked, drives() ? 'of a new driver' : 'of whoever drives')
    },
  }
}
