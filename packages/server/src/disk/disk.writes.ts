/** What other features write into the table of disks, each within a transaction of theirs. */
import type { SelectQueryBuilder } from 'kysely'
import { record } from '../activity/record.ts'
import type { Tx } from '../db/open.ts'
import type { DiskTable, Schema } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { diskAttachedAgain, diskFreed } from './disk.activity.ts'

const offEveryVm = { vm_id: null, plugged: 0, detaching: 0 } as const

/** Stores new disks. */
export async function insertDisks(tx: Tx, rows: readonly DiskTable[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('disk')
    .values([...rows])
    .execute()
}

/**
 * Puts disks on a VM that is being stored. Returns the id of the first that is not an available one of the VM's
 * project, or null when all went well; the caller undoes the transaction when one is returned.
 */
export async function takeDisksFor(
  tx: Tx,
  vm: { id: string; projectId: string | null; createdAt: string },
  diskIds: readonly string[],
): Promise<string | null> {
  for (const diskId of diskIds) {
    const taken = await tx
      .updateTable('disk')
      .set({ status: 'attached', status_since: vm.createdAt, vm_id: vm.id, plugged: 1 })
      .where('id', '=', diskId)
      .where('project_id', '=', vm.projectId)
      .where('status', '=', 'available')
      .executeTakeFirst()
    if (taken.numUpdatedRows !== 1n) return diskId
  }
  return null
}

/**
 * Leaves the disks of VMs that are being deleted to others, which is recorded, and wishes those deleted that were
 * made for them. `vms` selects the ids of the VMs, whose rows are still there.
 */
export async function releaseDisksOf(
  tx: Tx,
  vms: SelectQueryBuilder<Schema, 'vm', { id: string }>,
  nowMs: number,
): Promise<{ deletedIds: string[]; freedIds: string[] }> {
  const status_since = isoTime(nowMs)
  const deleted = await tx
    .updateTable('disk')
    .set({ ...offEveryVm, status: 'deleting', status_since, status_message: null })
    .where('owner_vm_id', 'in', vms)
    .returning('id')
    .execute()
  const freed = await freeDisksOf(tx, vms, nowMs)
  return { deletedIds: deleted.map(({ id }) => id), freedIds: freed.map(({ id }) => id) }
}

/** Leaves the disks of VMs to others, which is recorded: those that are not kept or deleted with them. */
export async function freeDisksOf(
  tx: Tx,
  vms: SelectQueryBuilder<Schema, 'vm', { id: string }>,
  nowMs: number,
): Promise<{ id: string; status: string; detaching: 0 | 1 }[]> {
  const status_since = isoTime(nowMs)
  const freed = await tx
    .selectFrom('disk')
    .innerJoin('vm', 'vm.id', 'disk.vm_id')
    .select([
      'disk.id',
      'disk.name',
      'disk.status',
      'disk.detaching',
      'disk.project_id',
      'vm.name as vm_name',
    ])
    .where('disk.vm_id', 'in', vms)
    .execute()
  await tx
    .updateTable('disk')
    .set({ ...offEveryVm, status: 'available', status_since })
    .where('vm_id', 'in', vms)
    .where('status', '=', 'attached')
    .execute()
  // What is still being made, or is lost, keeps its status.
  await tx.updateTable('disk').set(offEveryVm).where('vm_id', 'in', vms).execute()
  await record(
    tx,
    freed
      .filter(({ status }) => status === 'attached')
      .map((disk) => diskFreed(disk, disk.vm_name, disk.project_id, nowMs)),
  )
  return freed
}

/**
 * Keeps the disks that were made for VMs in the bin: their VMs have them when they come back, as `owner_vm_id` and
 * `plugged` say. What is being made of them, or could not be, holds nothing and is deleted. Returns the ids of
 * all of them.
 */
export async function keepDisksOf(
  tx: Tx,
  vms: SelectQueryBuilder<Schema, 'vm', { id: string }>,
  binId: string,
  nowMs: number,
): Promise<string[]> {
  const deleting = { status: 'deleting', status_since: isoTime(nowMs), status_message: null }
  const gone = await tx
    .updateTable('disk')
    .set({ ...deleting, ...offEveryVm })
    .where('owner_vm_id', 'in', vms)
    .where('status', 'in', ['creating', 'failed'])
    .returning('id')
    .execute()
  const kept = await tx
    .updateTable('disk')
    // One that was being detached is attached anew when it comes back, whether its guest let go of it or not.
    .set((e) => ({
      ...deleting,
      bin_id: binId,
      vm_id: null,
      plugged: e.case().when('detaching', '=', 1).then<0 | 1>(0).else(e.ref('plugged')).end(),
      detaching: 0,
    }))
    .where('owner_vm_id', 'in', vms)
    .where('status', '!=', 'deleting')
    .returning('id')
    .execute()
  return [...gone, ...kept].map(({ id }) => id)
}

/** Takes the disks out of the bin that came there with a VM. Returns their ids. */
export async function returnDisksOf(tx: Tx, binId: string, nowMs: number): Promise<string[]> {
  const rows = await tx
    .updateTable('disk')
    .set((e) => ({
      bin_id: null,
      vm_id: e.ref('owner_vm_id'),
      status: e.case().when('owner_vm_id', 'is', null).then('available').else('attached').end(),
      status_since: isoTime(nowMs),
    }))
    .where('bin_id', '=', binId)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Attaches those of these disks to a VM again that are still available, which is recorded. Returns their ids. */
export async function attachAgain(
  tx: Tx,
  vm: { id: string; name: string; projectId: string | null },
  diskIds: readonly string[],
  nowMs: number,
): Promise<string[]> {
  if (diskIds.length === 0) return []
  const rows = await tx
    .updateTable('disk')
    .set({ status: 'attached', status_since: isoTime(nowMs), vm_id: vm.id, plugged: 0 })
    .where('id', 'in', diskIds)
    .where('project_id', '=', vm.projectId)
    .where('status', '=', 'available')
    .returning(['id', 'name', 'project_id'])
    .execute()
  await record(
    tx,
    rows.map((disk) => diskAttachedAgain(disk, vm.name, disk.project_id, nowMs)),
  )
  return rows.map(({ id }) => id)
}

/** For the bin, which does not keep these items any more: nothing is left of these disks. Returns their ids. */
export async function dropDisks(tx: Tx, binIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .updateTable('disk')
    .set({ bin_id: null, ...offEveryVm })
    .where('bin_id', 'in', binIds)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Wishes the disks of a project deleted that is being deleted itself. */
export async function deleteDisksOfProject(tx: Tx, projectId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('disk')
    .set({ status: 'deleting', status_since: isoTime(nowMs), project_id: null, vm_id: null })
    .where('project_id', '=', projectId)
    .execute()
}
