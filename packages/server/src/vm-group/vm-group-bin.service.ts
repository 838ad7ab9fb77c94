/** Pools and sets that come back from the bin. */
import { type BinRestored, binNouns, binTexts, messages } from '@slipway/contract'
import { restored } from '../bin/bin.activity.ts'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import { groupEntry } from './vm-group.activity.ts'
import { binKindOf, type GroupKind, takenByReturning } from './vm-group.state.ts'
import type { VmGroupBinRepo } from './vm-group-bin.repo.ts'

export interface VmGroupBinOptions {
  repo: Pick<VmGroupBinRepo, 'restore'>
  vms: Pick<VmService, 'end'>
  quotas: Pick<QuotaService, 'require'>
  changed: Changed
  /** Asks the reconciler to look at a group soon. */
  kick: (groupId: string) => void
  /** Asks the one of projects to have members go on. */
  kickProject: (projectId: string) => void
  clock: Clock
}

export function makeVmGroupBin({ repo, vms, quotas, changed, kick, kickProject, clock }: VmGroupBinOptions) {
  /** Brings a group back from the bin, with its members and the disks that were made for them. */
  return (kind: GroupKind) =>
    async function comeBack(userId: string, projectId: string, groupId: string): Promise<BinRestored> {
      const nowMs = clock.now()
      const binKind = binKindOf[kind]
      const back = await repo.restore(
        groupId,
        projectId,
        kind,
        nowMs,
        (tx, coming) => quotas.require(tx, projectId, takenByReturning(coming)),
        (group, before) => groupEntry(group, restored(userId, binNouns[binKind], before, group.name), nowMs),
      )
      if (!back) throw new Problem(404, messages.binItemNotFound)
      const { group, vmIds, diskIds, freed, endedShares, lacksSnapshot } = back
      changed(binKind, projectId, groupId)
      await vms.end(projectId, { vmIds, diskIds, freedIds: [], shareIds: [] })
      kickProject(projectId)
      kick(groupId)
      const notes = [
        freed > 0 && binTexts.membersDisksFree,
        endedShares > 0 && binTexts.membersSharesEnded,
        lacksSnapshot && binTexts.membersSourceGone,
      ]
      return {
        id: groupId,
        kind: binKind,
        name: group.name,
        notes: notes.filter((note) => note !== false),
      }
    }
}
