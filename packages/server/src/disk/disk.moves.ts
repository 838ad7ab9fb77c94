/**
 * Putting disks on VMs, taking them off and making them larger, as jobs: the engine lets that wait while the VM is being
 * copied, and no look may wait with it.
 */
import type { Jobs, JobWork } from '../lib/jobs.ts'
import { type DiskFacts, type DiskStep, planDisk } from './disk.plan.ts'
import type { DiskRecord } from './disk.state.ts'

/** What such a job did. `kept`: a living guest did not let go of the disk. */
export type Move =
  | { step: 'plug'; vmId: string }
  | { step: 'unplug'; vmId: string; answer: 'released' | 'kept' }
  | { step: 'grow' }

type MoveStep = Move['step']

export const isMove = (step: DiskStep): step is MoveStep =>
  step === 'plug' || step === 'unplug' || step === 'grow'

const actions: Record<MoveStep, string> = { plug: 'disk.attach', unplug: 'disk.detach', grow: 'disk.update' }

export interface DiskMovesOptions {
  jobs: Jobs
  attach: (vmId: string, diskId: string) => Promise<void>
  detach: (vmId: string, diskId: string, work: JobWork) => Promise<'released' | 'kept'>
  grow: (diskId: string, vmId: string | null, sizeBytes: number) => Promise<number>
  /** Asks for another look. */
  kick: (diskId: string) => void
}

export function makeDiskMoves({ jobs, attach, detach, grow, kick }: DiskMovesOptions) {
  /**
   * Whether the wish has changed since a job began that waits for its next try or takes a disk off its VM. A guest that still
   * has the disk then keeps it.
   */
  function isStale(id: string, facts: DiskFacts): boolean {
    const job = jobs.find(id)
    if (job?.kind !== 'plug' || job.aborted) return false
    const { action } = job.subject
    if (job.state === 'running') return action === actions.unplug && !facts.detaching
    if (job.state !== 'waiting') return false
    const wanted = planDisk(facts, 'whole', 'none')
    return !isMove(wanted) || action !== actions[wanted]
  }

  return {
    /** Starts the job after `delayMs`; its outcome is a `Move`. */
    start(
      { disk, facts, projectId, ownerId, nextSizeBytes }: DiskRecord,
      step: MoveStep,
      delayMs: number,
    ): void {
      const { id, name } = disk
      const { vmId } = facts
      if (step === 'grow' ? nextSizeBytes === null : vmId === null) return
      jobs.start<Move>({
        id,
        kind: 'plug',
        subject: { action: actions[step], type: 'disk', id, name, projectId, ownerId },
        delayMs,
        async run(work) {
          if (step === 'grow') {
            await grow(id, vmId, nextSizeBytes ?? 0)
            return { step }
          }
          if (vmId === null) throw new Error('A disk on no VM cannot be attached to it')
          if (step === 'unplug') return { step, vmId, answer: await detach(vmId, id, work) }
          await attach(vmId, id)
          return { step, vmId }
        },
        onSettled: () => kick(id),
      })
    },

    isStale,

    /** Ends a job that nobody wants any more; the next look begins what is wanted instead. */
    endStale(id: string, facts: DiskFacts): void {
      if (isStale(id, facts)) jobs.abort(id)
    },
  }
}
