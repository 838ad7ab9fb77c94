/**
 * Keeps the projects of accounts that are being deleted still, and deletes them when the time has come: with the same
 * calls that their owner would make, so that there is one way to delete a thing. Each look goes as far as it can and looks
 * again; a killed server leaves nothing half done.
 */
import type { Entry } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import { Problem } from '../lib/problem.ts'
import type { Again } from '../lib/reconciler.ts'
import type { AccountDeletionRepo } from './account-deletion.repo.ts'

/** What the services of other features do in the name of the account. */
export interface Deletes {
  /** Stops a VM that is wanted on. */
  freezeVm: (vmId: string) => Promise<void>
  vm: (accountId: string, projectId: string, vmId: string) => Promise<void>
  vmPool: (accountId: string, projectId: string, poolId: string) => Promise<void>
  vmSet: (accountId: string, projectId: string, setId: string) => Promise<void>
  project: (accountId: string, projectId: string) => Promise<void>
}

export interface AccountDeletionReconcileOptions {
  repo: AccountDeletionRepo
  deletes: Deletes
  clockGuard: Pick<ClockGuard, 'isTrusted'>
  /** What the log says of an account that is gone, with the mail that tells its owner. */
  deleted: (account: { id: string; name: string; email: string }) => Entry
  /** An account is gone. */
  onDeleted: () => void
  clock: Clock
}

/** A snapshot or a restore may need a VM as it is; it ends by itself. */
const busyPollMs = 5_000
const longestPauseMs = 60 * 60_000

export function makeAccountDeletionReconcile(options: AccountDeletionReconcileOptions) {
  const { repo, deletes, clockGuard, clock } = options

  /** Whether it was done, or there is nothing to do any more; false when something else has to end first. */
  async function attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.status === 404) return true
      if (error.status === 409) return false
      throw error
    }
  }

  async function deleteAll(accountId: string): Promise<Again> {
    let isBusy = false
    for (const { projectId, groups, vmIds } of await repo.remaining(accountId)) {
      const acts = [
        ...groups.map(
          ({ id, kind }) =>
            () =>
              (kind === 'pool' ? deletes.vmPool : deletes.vmSet)(accountId, projectId, id),
        ),
        ...vmIds.map((vmId) => () => deletes.vm(accountId, projectId, vmId)),
        () => deletes.project(accountId, projectId),
      ]
      for (const act of acts) if (!(await attempt(act))) isBusy = true
    }
    if (isBusy) return { afterMs: busyPollMs }
    const isGone = await repo.finish(accountId, isoTime(clock.now()), options.deleted)
    if (isGone) options.onDeleted()
    return isGone ? 'when-kicked' : { afterMs: busyPollMs }
  }

  return {
    async look(accountId: string): Promise<Again> {
      const deletion = await repo.find(accountId)
      if (!deletion) return 'when-kicked'
      const leftMs = Date.parse(deletion.deleteAt) - clock.now()
      if (leftMs <= 0 && clockGuard.isTrusted()) return deleteAll(accountId)
      for (const vmId of await repo.wantedOn(accountId)) await deletes.freezeVm(vmId)
      return { afterMs: Math.min(longestPauseMs, Math.max(busyPollMs, leftMs)) }
    },

    /** Each of them, every time: what starts by itself in their projects is stopped again. */
    scan: (): Promise<string[]> => repo.all(),
  }
}
