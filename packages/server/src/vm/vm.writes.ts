/** What other features write into the table of VMs, each within a transaction of theirs. */
import { nameBack, nameLimit } from '@slipway/contract'
import { sql } from 'kysely'
import type { Tx } from '../db/open.ts'
import { isChangingVm } from '../under-way/under-way.conditions.ts'

/** Wishes VMs deleted, at once and by force; those that are on their way out already stay so. */
async function wishDeleted(tx: Tx, of: 'group_id' | 'project_id', id: string): Promise<void> {
  await tx
    .updateTable('vm')
    .set((e) => ({
      wanted_deleted: 1,
      wanted_power: 'off',
      wanted_force: 1,
      power_back: null,
      version: e('version', '+', 1),
    }))
    .where(of, '=', id)
    .where('wanted_deleted', '=', 0)
    .execute()
}

/** The members of a group go with it. */
export const deleteMembersOf = (tx: Tx, groupId: string): Promise<void> =>
  wishDeleted(tx, 'group_id', groupId)

/** Members of a group that were made of what its settings are now count as made of that revision. */
export async function renewMembersOf(
  tx: Tx,
  groupId: string,
  of: {
    templateId: string
    imageId: string
    sshKeyId: string
    sshPublicKey: string
    cpu: number
    memoryMb: number
    rootBytes: number | null
    /** Those whose start script it is. */
    revisions: readonly { from: number; before: number | null }[]
  },
  revision: number,
): Promise<void> {
  await tx
    .updateTable('vm')
    .set((e) => ({ group_revision: revision, version: e('version', '+', 1) }))
    .where('group_id', '=', groupId)
    .where('wanted_deleted', '=', 0)
    .where('retiring', '=', 0)
    .where('template_id', '=', of.templateId)
    .where('image_id', '=', of.imageId)
    .where('ssh_key_id', '=', of.sshKeyId)
    .where('ssh_public_key', '=', of.sshPublicKey)
    .where('cpu', '=', of.cpu)
    .where('memory_mb', '=', of.memoryMb)
    .where(
      sql<number | null>`coalesce(next_root_bytes, root_bytes)`,
      of.rootBytes === null ? 'is' : '=',
      of.rootBytes,
    )
    .where((e) => {
      const own = sql<number>`coalesce(group_revision, 1)`
      return e.or(
        of.revisions.map(({ from, before }) =>
          e.and([e(own, '>=', from), ...(before === null ? [] : [e(own, '<', before)])]),
        ),
      )
    })
    .execute()
}

/** The VMs of a project go with it, and belong to no pool or set any more. */
export async function deleteVmsOfProject(tx: Tx, projectId: string): Promise<void> {
  await wishDeleted(tx, 'project_id', projectId)
  // Here, as PostgreSQL does not say whether groups or VMs lose their project first, and refuses one of these.
  await tx
    .updateTable('vm')
    .set({ group_id: null })
    .where('project_id', '=', projectId)
    .where('group_id', 'is not', null)
    .execute()
}

/** For the bin, which does not keep these items any more: nothing is left of these VMs. Returns their ids. */
export async function dropVms(tx: Tx, binIds: readonly string[]): Promise<string[]> {
  const rows = await tx
    .updateTable('vm')
    .set((e) => ({
      bin_id: null,
      power_back: null,
      wanted_power: 'off',
      wanted_force: 1,
      version: e('version', '+', 1),
    }))
    .where('bin_id', 'in', binIds)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Puts the members of a group that goes to the bin there with it: they rest one by one. Those whose disks are not all their
 * own are cut off at once, as those are available to others, and those that were never ready are deleted.
 */
export async function keepMembersOf(tx: Tx, groupId: string): Promise<void> {
  const present = () =>
    tx
      .updateTable('vm')
      .set((e) => ({ wanted_deleted: 1, version: e('version', '+', 1) }))
      .where('group_id', '=', groupId)
      .where('wanted_deleted', '=', 0)
  await present()
    .set({ wanted_power: 'off', wanted_force: 1 })
    .where((e) => e.or([e('provisioned', '=', 0), e('fault', '=', 'failed')]))
    .execute()
  const unsteady = tx
    .selectFrom('disk')
    .select('disk.vm_id')
    .where('disk.vm_id', 'is not', null)
    .where((e) =>
      e.or([
        e('disk.owner_vm_id', 'is', null),
        e('disk.owner_vm_id', '!=', e.ref('disk.vm_id')),
        isChangingVm(e),
      ]),
    )
  await present()
    .set((e) => ({
      bin_id: groupId,
      // Its memory fits the disks that it had.
      power_back: e
        .case()
        .when('wanted_power', '=', 'on')
        .then<'on' | 'off'>('on')
        .else<'on' | 'off'>('off')
        .end(),
      wanted_power: 'off',
      wanted_force: 1,
    }))
    .where('id', 'in', unsteady)
    .execute()
  await present().set({ bin_id: groupId }).execute()
}

/**
 * Takes the members of a group out of the bin, which go on one by one. Those whose name another VM of the project has get
 * a number. Returns their ids.
 */
export async function returnMembersOf(tx: Tx, groupId: string, projectId: string): Promise<string[]> {
  const others = await tx
    .selectFrom('vm')
    .select('name')
    .where('project_id', '=', projectId)
    .where('wanted_deleted', '=', 0)
    .execute()
  const taken = new Set(others.map(({ name }) => name))
  const rows = await tx
    .updateTable('vm')
    .set((e) => ({ wanted_deleted: 0, bin_id: null, version: e('version', '+', 1) }))
    .where('bin_id', '=', groupId)
    .returning(['id', 'name'])
    .execute()
  for (const { id, name } of rows) {
    const now = nameBack(name, taken, nameLimit)
    taken.add(now)
    if (now !== name) await tx.updateTable('vm').set({ name: now }).where('id', '=', id).execute()
  }
  return rows.map(({ id }) => id)
}
