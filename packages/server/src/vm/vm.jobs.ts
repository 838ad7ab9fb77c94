import type { JobSubject, Jobs } from '../lib/jobs.ts'
import type { VmRecord } from './vm.state.ts'

/** Jobs, and what those on VMs tell of theirs: places are shared out by the account that owns the project. */
export type VmJobs = Jobs & {
  subjectOf: (vm: Pick<VmRecord, 'id' | 'name' | 'projectId'>, action: string) => Promise<JobSubject>
}

export const makeVmJobs = (
  jobs: Jobs,
  repo: { ownerOf: (projectId: string) => Promise<string | null> },
): VmJobs => ({
  ...jobs,
  async subjectOf({ id, name, projectId }, action) {
    const ownerId = projectId === null ? null : await repo.ownerOf(projectId)
    return { action, type: 'vm', id, name, projectId, ownerId }
  },
})
