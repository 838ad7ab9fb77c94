/** Makes the call of a batch for one of its objects, as a single request would, and stores what came of it. */
import {
  type BatchAction,
  batchActions,
  batchSnapshotName,
  batchTexts,
  mayWhileFrozen,
  roleMay,
  routeOf,
} from '@slipway/contract'
import type { AccountService } from '../account/account.service.ts'
import { once } from '../db/once.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { DiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import { Problem } from '../lib/problem.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmPoolService } from '../vm-pool/vm-pool.service.ts'
import type { VmSetService } from '../vm-set/vm-set.service.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import type { BatchRepo } from './batch.repo.ts'
import {
  type BatchItemRecord,
  type BatchRecord,
  type BatchRequest,
  type BatchResult,
  isForGood,
} from './batch.state.ts'

export interface BatchItemServiceOptions {
  repo: Pick<BatchRepo, 'settle' | 'isInBin'>
  accounts: Pick<AccountService, 'active'>
  projects: Pick<ProjectService, 'standingOf'>
  vms: Pick<VmService, 'start' | 'stop' | 'tag' | 'delete'>
  vmSnapshots: Pick<VmSnapshotService, 'create' | 'delete'>
  disks: Pick<DiskService, 'delete'>
  diskSnapshots: Pick<DiskSnapshotService, 'create' | 'delete'>
  pools: Pick<VmPoolService, 'delete'>
  sets: Pick<VmSetService, 'delete'>
}

/** The item was left out, or settled by another look, while its call was made: nothing of that call is stored. */
class NotWaiting extends Error {}

const done = (createdId: string | null): BatchResult => ({ state: 'done', message: null, createdId })
const failed = (message: string): BatchResult => ({ state: 'failed', message, createdId: null })

const creates = (action: BatchAction): boolean => action.endsWith('.create')
const deletes = (action: BatchAction): boolean => action.endsWith('.delete')

export function makeBatchItemService(options: BatchItemServiceOptions) {
  const { repo, accounts, projects, vms, vmSnapshots, disks, diskSnapshots, pools, sets } = options

  /** Whoever requested it, if they may still make this call. */
  async function whoMay({ accountId, projectId, request }: BatchRecord): Promise<string> {
    if (accountId === null || !(await accounts.active(accountId)))
      throw new Problem(403, batchTexts.accountGone)
    const standing = await projects.standingOf(accountId, projectId)
    if (!standing) throw new Problem(403, batchTexts.notMember)
    const id = request.action
    for (const verdict of [
      roleMay(standing.role, id),
      !standing.isFrozen || mayWhileFrozen({ id, method: routeOf(id).method }),
    ])
      if (verdict !== true) throw new Problem(403, verdict)
    return accountId
  }

  /** The single call; `name` is that of the object. */
  function call(
    request: BatchRequest,
    [userId, projectId, id]: readonly [string, string, string],
    name: string,
  ): Promise<unknown> {
    switch (request.action) {
      case 'vm.start':
        return vms.start(userId, projectId, id)
      case 'vm.stop':
        return vms.stop(userId, projectId, id, request.force)
      case 'vm.update':
        return vms.tag(userId, projectId, id, request)
      case 'vm.delete':
        return vms.delete(userId, projectId, id, isForGood(request))
      case 'vmSnapshot.create':
        return vmSnapshots.create(userId, projectId, id, {
          ...request,
          name: batchSnapshotName(request.name, name),
        })
      case 'vmSnapshot.delete':
        return vmSnapshots.delete(userId, projectId, id, isForGood(request))
      case 'disk.delete':
        return disks.delete(userId, projectId, id, isForGood(request))
      case 'diskSnapshot.create':
        return diskSnapshots.create(userId, projectId, {
          ...request,
          disk_id: id,
          name: batchSnapshotName(request.name, name),
        })
      case 'diskSnapshot.delete':
        return diskSnapshots.delete(userId, projectId, id, isForGood(request))
      case 'vmPool.delete':
        return pools.delete(userId, projectId, id, isForGood(request))
      case 'vmSet.delete':
        return sets.delete(userId, projectId, id, isForGood(request))
    }
  }

  /** What a refusal comes to: what is gone counts as deleted, unless it is kept where it was not to be kept. */
  async function refused(
    { status, message }: Problem,
    request: BatchRequest,
    objectId: string,
  ): Promise<BatchResult> {
    if (!deletes(request.action) || status !== 404) return failed(message)
    const isKept = isForGood(request) && (await repo.isInBin(batchActions[request.action], objectId))
    return isKept ? failed(batchTexts.keptInBin) : done(null)
  }

  return {
    /**
     * In the transaction that stores what the call changes the item is marked as done: it is never made twice, nor made
     * for an item that was left out meanwhile. What is refused changes nothing.
     */
    async run(batch: BatchRecord, item: BatchItemRecord): Promise<void> {
      const { request, projectId } = batch
      try {
        const userId = await whoMay(batch)
        await once(
          {
            account_id: userId,
            endpoint: request.action,
            async keep(tx, { id }) {
              if (!(await repo.settle(item, done(creates(request.action) ? id : null), tx)))
                throw new NotWaiting()
            },
          },
          () => call(request, [userId, projectId, item.objectId], item.objectName),
        )
        // What was so already had nothing to store.
        await repo.settle(item, done(null))
      } catch (error) {
        if (error instanceof NotWaiting) return
        if (!(error instanceof Problem)) throw error
        await repo.settle(item, await refused(error, request, item.objectId))
      }
    },
  }
}
