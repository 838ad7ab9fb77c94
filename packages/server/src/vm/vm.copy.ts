/**
 * Makes a VM of a VM snapshot: waits for the snapshot and for the copies of its disks, then has a job beside the looks copy
 * the machine. What is there afterwards starts like every other machine that is off.
 */
import { vmTexts } from '@slipway/contract'
import { type Engine, EngineError, type MachineSpec } from '../engine/engine.ts'
import type { Log } from '../lib/log.ts'
import type { VmJobs } from './vm.jobs.ts'
import { lookAtOwnDisks, type Parts } from './vm.parts.ts'
import type { VmRepo } from './vm.repo.ts'
import type { VmRecord } from './vm.state.ts'

export interface VmCopyOptions {
  repo: Pick<VmRepo, 'sourceOf' | 'ownDisks'>
  engine: Pick<Engine, 'copyMachine'>
  jobs: VmJobs
  specOf: (vm: VmRecord, projectId: string) => Promise<MachineSpec>
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  log: Log
}

/** The id of the job, beside that of a restore, which has the id of the VM. */
const jobIdOf = (vmId: string): string => `copy ${vmId}`

export function makeVmCopy({ repo, engine, jobs, specOf, wake, log }: VmCopyOptions) {
  const unavailable = (why: string): Parts => ({ state: 'unavailable', why })
  const coming = (message: string): Parts => ({ state: 'coming', step: 'copy', message })

  /** How far the parts of a VM are that is made of a snapshot, of which there is no machine yet. */
  async function look(vm: VmRecord): Promise<Parts> {
    const source = await repo.sourceOf(vm)
    if (!source) return unavailable(`${vmTexts.sourceGone}.`)
    if (source.status === 'pending' || source.status === 'creating')
      return coming(`Waiting for snapshot "${source.name}".`)
    if (source.status !== 'ready')
      return unavailable(`Snapshot "${source.name}" cannot be used. ${source.status_message ?? ''}`.trim())
    const disks = await lookAtOwnDisks(vm, repo)
    return disks.state === 'ready' ? lookAtJob(vm) : disks
  }

  async function lookAtJob(vm: VmRecord): Promise<Parts> {
    const id = jobIdOf(vm.id)
    const job = jobs.find(id)
    if (!job) await startJob(vm, id)
    if (job?.state !== 'settled') return coming('Copying the VM.')
    const outcome = jobs.take<void>(id)
    // One that was aborted says nothing of this wish; after a success the machine is seen by now.
    if (!outcome || outcome.ok || outcome.aborted) return coming('Copying the VM.')
    const { error } = outcome
    log.warn({ vm: vm.id, err: error }, 'a VM could not be copied')
    return unavailable(error instanceof EngineError ? error.message : 'The host reported an error.')
  }

  async function startJob(vm: VmRecord, id: string): Promise<void> {
    const { id: vmId, projectId, copyOf: snapshotId } = vm
    // Without a project there is only the wish to delete it.
    if (projectId === null || snapshotId === null) return
    jobs.start<void>({
      id,
      kind: 'copy',
      subject: await jobs.subjectOf(vm, 'vm.fork'),
      async run(work) {
        const own = await repo.ownDisks(vmId)
        const volumes = Object.fromEntries(
          own.flatMap((disk) => (disk.snapshot_disk_id === null ? [] : [[disk.snapshot_disk_id, disk.id]])),
        )
        await engine.copyMachine(await specOf(vm, projectId), { snapshotId, volumes }, work)
      },
      onSettled: () => wake(vmId),
    })
  }

  /** Ends the copy of a VM that is to be deleted; false while that is still ending. */
  function end(vmId: string): boolean {
    const id = jobIdOf(vmId)
    const job = jobs.find(id)
    if (job && job.state !== 'settled') {
      jobs.abort(id)
      return false
    }
    jobs.forget(id)
    return true
  }

  return { look, end }
}
