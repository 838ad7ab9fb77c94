/**
 * Putting disks on VMs, taking them off and making them larger, as jobs: the engine lets that wait while the VM is being
 * copied, and no look may wait with it.
 */
import type { Jobs } from '../lib/jobs.ts'
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
  detach: (vmId: string, diskId: string) => Promise<'released' | 'kept'>
  grow: (diskId: string, vmId: string | null, sizeBytes: number) => Promise<number>
  /** Asks for another look. */
  kick: (diskId: string) => void
}

export function makeDiskMoves({ jobs, attach, detach, grow, kick }: DiskMovesOptions) {
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
        async run() {
          if (step === 'grow') {
            await grow(id, vmId, nextSizeBytes ?? 0)
            return { step }
          }
          if (vmId === null) throw new Error('A disk on no VM cannot be attached to it')
          if (step === 'unplug') return { step, vmId, answer: await detach(vmId, id) }
          await attach(vmId, id)
          return { step, vmId }
        },
        onSettled: () => kick(id),
      })
    },

    /** Ends a job that waits for its next try when the wish has changed meanwhile. */
    dropStale(id: string, facts: DiskFacts): void {
      const job = jobs.find(id)
      if (job?.kind !== 'plug' || job.state !== 'waiting') return
      const wanted = planDisk(facts, 'whole', 'none')
      if (!isMove(wanted) || job.subject.action !== actions[wanted]) jobs.abort(id)
    },
  }
}
