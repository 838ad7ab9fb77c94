import type { Usage, VmUsage } from '@slipway/contract'
import type { Clock } from '../lib/clock.ts'
import { mapInTurns } from '../lib/turn.ts'
import { everyMs, keptMs, type Owner, spanMs, type UsageBook } from './usage.book.ts'
import type { UsageRepo } from './usage.repo.ts'

export interface UsageServiceOptions {
  repo: UsageRepo
  book: UsageBook
  /** The VMs that ran at the last look. */
  living: () => readonly Owner[]
  clock: Clock
  /** Each throws a 404 when it is not of the project. */
  own: {
    vm: (projectId: string, vmId: string) => Promise<unknown>
    vmPool: (projectId: string, poolId: string) => Promise<unknown>
    vmSet: (projectId: string, setId: string) => Promise<unknown>
  }
}

export type UsageService = ReturnType<typeof makeUsageService>

/** Five minutes for a small drawing: ten steps of half a minute. */
const drawn = { steps: 10, looks: 3 }

export function makeUsageService({ repo, book, living, clock, own }: UsageServiceOptions) {
  /** The usage of a VM, a group or a project. */
  async function usageOf(id: string, range: 'hour' | 'day'): Promise<Usage> {
    const isWanted = ({ vmId, groupId, projectId }: Owner) => [vmId, groupId, projectId].includes(id)
    const now = living().filter(isWanted)
    return {
      every_s: (range === 'hour' ? everyMs : spanMs) / 1000,
      cpu: now.reduce((sum, { processors }) => sum + processors, 0),
      memory_mb: now.reduce((sum, { memoryMb }) => sum + memoryMb, 0),
      samples: range === 'hour' ? await book.samples(isWanted) : await repo.samples(id, clock.now() - keptMs),
    }
  }

  type Range = 'hour' | 'day'
  return {
    async ofProject(projectId: string, range: Range): Promise<Usage> {
      return usageOf(projectId, range)
    },
    async ofVm(projectId: string, vmId: string, range: Range): Promise<Usage> {
      await own.vm(projectId, vmId)
      return usageOf(vmId, range)
    },
    async ofVmPool(projectId: string, poolId: string, range: Range): Promise<Usage> {
      await own.vmPool(projectId, poolId)
      return usageOf(poolId, range)
    },
    async ofVmSet(projectId: string, setId: string, range: Range): Promise<Usage> {
      await own.vmSet(projectId, setId)
      return usageOf(setId, range)
    },

    /** Those that were measured at least once since they run. */
    async ofVms(projectId: string): Promise<VmUsage[]> {
      const ofProject = living().filter((one) => one.projectId === projectId)
      const all = await mapInTurns(ofProject, ({ vmId }) => ({
        vm_id: vmId,
        cpu: book.cpuOf(vmId, drawn.steps, drawn.looks).map((one) => (one === null ? null : Math.round(one))),
      }))
      return all.filter(({ cpu }) => cpu.some((one) => one !== null))
    },
  }
}
