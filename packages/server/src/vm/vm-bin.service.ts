/** VMs that come back from the bin. */
import { type BinRestored, binTexts, messages, nameBack, nameLimit } from '@slipway/contract'
import { entry } from '../activity/entry.ts'
import { restored } from '../bin/bin.activity.ts'
import type { Tx } from '../db/open.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { Changed, EventKind } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { vmSubject } from './vm.activity.ts'
import { takenOf } from './vm.change.ts'
import { isAlive } from './vm.plan.ts'
import type { VmRepo } from './vm.repo.ts'
import { changed, type VmRecord } from './vm.state.ts'

export interface VmBinOptions {
  repo: VmRepo
  disks: Pick<DiskService, 'notice'>
  quotas: Pick<QuotaService, 'require'>
  /** Has the snapshot schedules of what comes back begin anew, in the same transaction. */
  resumeSchedules: (
    tx: Tx,
    of: { vmId?: string; diskIds?: readonly string[] },
    nowMs: number,
  ) => Promise<void>
  kick: (vmId: string) => void
  announce: (vm: VmRecord) => Promise<void>
  changed: Changed
  clock: Clock
}

export function makeVmBin(options: VmBinOptions) {
  const { repo, disks, kick, announce, clock } = options

  /** Brings a VM back with the disks that were kept with it. */
  return async function comeBack(userId: string, projectId: string, vmId: string): Promise<BinRestored> {
    const [item, names, before] = await Promise.all([
      repo.binned(vmId),
      repo.names(projectId),
      repo.find(vmId),
    ])
    if (!item || !before) throw new Problem(404, messages.binItemNotFound)
    let back: Awaited<ReturnType<typeof repo.returnFromBin>> = null
    const vm = await repo.change(
      vmId,
      (current) => {
        if (!current.wanted.kept || current.projectId !== projectId)
          throw new Problem(404, messages.binItemNotFound)
        return changed(
          current,
          {
            binId: null,
            name: nameBack(current.name, names, nameLimit),
            wanted: { deleted: false, power: item.power ?? 'off', force: false },
            steps: [],
          },
          clock.now(),
        )
      },
      {
        tell: (now) => [entry(clock.now(), vmSubject(now), restored(userId, 'VM', before.name, now.name))],
        async given(tx) {
          const taken = takenOf((await repo.find(vmId, tx)) ?? before)
          const disk_bytes = taken.disk_bytes + (await repo.binnedDiskBytes(vmId, tx))
          await options.quotas.require(tx, projectId, { ...taken, vms: 1, disk_bytes })
        },
        async alongside(tx, now) {
          back = await repo.returnFromBin(tx, now, clock.now())
          if (!back) throw new Problem(404, messages.binItemNotFound)
          await options.resumeSchedules(tx, { vmId, diskIds: back.ownIds }, clock.now())
        },
      },
    )
    // Set in the transaction, which the compiler does not see.
    const came = back as Awaited<ReturnType<typeof repo.returnFromBin>>
    if (!vm || !came) throw new Problem(404, messages.binItemNotFound)
    kick(vmId)
    await announce(vm)
    await disks.notice([...came.ownIds, ...came.attachedIds])
    if (vm.name !== before.name) {
      for (const [kind, ids] of Object.entries(await repo.namedAfter(vmId)) as [EventKind, string[]][])
        for (const id of ids) options.changed(kind, projectId, id)
    }
    const boots =
      vm.wanted.power === 'on' && !isAlive({ power: vm.seenPower }) && vm.seenPower !== 'suspended'
    const { missing } = came
    const notes = [
      missing > 0 &&
        `${missing === 1 ? 'A disk that was' : `${missing} disks that were`} attached to it ${missing === 1 ? 'is' : 'are'} not available any more.`,
      item.ended_shares > 0 && binTexts.sharesEnded,
      boots && binTexts.bootsAnew,
    ]
    return { id: vmId, kind: 'vm', name: vm.name, notes: notes.filter((note) => note !== false) }
  }
}
