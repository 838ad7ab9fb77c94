/** Which long changes are under way of VMs and disks, as their rows tell it, for the transactions that begin others. */
import type { UnderWay } from '@slipway/contract'
import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'

const unfinished = ['pending', 'creating']

/** Whether a disk is being taken off its VM. */
const isDetaching = (e: ExpressionBuilder<Schema, 'disk'>) =>
  e.and([e('disk.vm_id', 'is not', null), e('disk.detaching', '=', 1)])

/** Whether a disk is being put on its VM. */
const isAttaching = (e: ExpressionBuilder<Schema, 'disk'>) =>
  e.and([e('disk.status', '=', 'attached'), e('disk.plugged', '=', 0), e('disk.detaching', '=', 0)])

/** Whether a disk is being put on its VM or taken off it. */
export const isChangingVm = (e: ExpressionBuilder<Schema, 'disk'>) => e.or([isDetaching(e), isAttaching(e)])

interface ChangingDisk {
  detaching: 0 | 1
  plugged: 0 | 1
  status: string
  vm_id: string | null
  next_size_bytes: number | null
}

const changesOf = (disk: ChangingDisk): UnderWay[] => [
  ...(disk.vm_id !== null && disk.detaching === 1 ? (['detach'] as const) : []),
  ...(disk.status === 'attached' && disk.plugged === 0 && disk.detaching === 0 ? (['attach'] as const) : []),
  ...(disk.next_size_bytes !== null ? (['growDisk'] as const) : []),
]

const diskColumns = [
  'disk.vm_id',
  'disk.status',
  'disk.plugged',
  'disk.detaching',
  'disk.next_size_bytes',
] as const

/** Those of VMs, by VM: what is done to them, and to the disks that they have or that go with them. `vms` selects their ids. */
export async function underWayOfVms(
  executor: Db,
  vms: readonly string[] | SelectQueryBuilder<Schema, 'vm', { id: string }>,
): Promise<Map<string, Set<UnderWay>>> {
  const found = new Map<string, Set<UnderWay>>()
  const add = (vmId: string | null, ...changes: UnderWay[]) => {
    if (vmId === null || changes.length === 0) return
    found.set(vmId, new Set([...(found.get(vmId) ?? []), ...changes]))
  }
  const restores = await executor
    .selectFrom('vm')
    .select(['id', 'restore_prepared'])
    .where('restore_from', 'is not', null)
    .where('id', 'in', vms)
    .execute()
  for (const { id, restore_prepared } of restores) add(id, restore_prepared === 1 ? 'exchange' : 'restore')
  const snapshots = await executor
    .selectFrom('vm_snapshot')
    .select(['vm_id', 'automatic'])
    .where('status', 'in', unfinished)
    .where('vm_id', 'in', vms)
    .execute()
  for (const { vm_id, automatic } of snapshots) add(vm_id, automatic === 1 ? 'fork' : 'vmSnapshot')
  const ofDisks = await executor
    .selectFrom('disk_snapshot')
    .innerJoin('disk', 'disk.id', 'disk_snapshot.disk_id')
    .select(['disk.vm_id', 'disk.owner_vm_id'])
    .where('disk_snapshot.status', 'in', unfinished)
    .where((e) => e.or([e('disk.vm_id', 'in', vms), e('disk.owner_vm_id', 'in', vms)]))
    .execute()
  for (const { vm_id, owner_vm_id } of ofDisks) add(vm_id ?? owner_vm_id, 'diskSnapshot')
  const disks = await executor
    .selectFrom('disk')
    .select(diskColumns)
    .where('disk.vm_id', 'in', vms)
    .where((e) => e.or([isChangingVm(e), e('disk.next_size_bytes', 'is not', null)]))
    .execute()
  for (const disk of disks) add(disk.vm_id, ...changesOf(disk))
  return found
}

/** Those of a VM and of its disks. */
export const underWayOfVm = async (executor: Db, vmId: string): Promise<ReadonlySet<UnderWay>> =>
  (await underWayOfVms(executor, [vmId])).get(vmId) ?? new Set()

/** Those of a disk, and those of a VM as a whole that it is on, or is to be put on. */
export async function underWayOfDisk(
  executor: Db,
  diskId: string,
  vmId: string | null,
): Promise<ReadonlySet<UnderWay>> {
  const found = new Set<UnderWay>()
  const disk = await executor
    .selectFrom('disk')
    .select(diskColumns)
    .where('disk.id', '=', diskId)
    .executeTakeFirst()
  const ownVmId = vmId ?? disk?.vm_id ?? null
  for (const change of disk ? changesOf(disk) : []) found.add(change)
  const own = await executor
    .selectFrom('disk_snapshot')
    .select('id')
    .where('disk_id', '=', diskId)
    .where('status', 'in', unfinished)
    .executeTakeFirst()
  if (own) found.add('diskSnapshot')
  const ofVms = await executor
    .selectFrom('vm_snapshot')
    .select(['vm_id', 'automatic', 'disks'])
    .where('status', 'in', unfinished)
    .execute()
  // A snapshot goes on with the disks of its VM when the VM has been deleted.
  for (const { vm_id, automatic, disks } of ofVms)
    if (vm_id === ownVmId || disks.includes(diskId)) found.add(automatic === 1 ? 'fork' : 'vmSnapshot')
  const vm = await executor
    .selectFrom('vm')
    .select('restore_prepared')
    .where('id', '=', ownVmId)
    .where('restore_from', 'is not', null)
    .executeTakeFirst()
  if (vm) found.add(vm.restore_prepared === 1 ? 'exchange' : 'restore')
  return found
}
