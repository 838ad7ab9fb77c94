import type { AccountDeletion } from '@slipway/contract'
import type { Db } from '../db/open.ts'

export type GoesAlongRepo = ReturnType<typeof makeGoesAlongRepo>

/** What goes along with an account that is deleted, as its owner is told beforehand. */
export function makeGoesAlongRepo(db: Db) {
  const projectsOf = (accountId: string) =>
    db.selectFrom('project').select('id').where('account_id', '=', accountId)

  /** Those on their way out already are not counted, as they are not listed. */
  async function storedIn(
    table: 'disk' | 'vm_snapshot' | 'disk_snapshot',
    accountId: string,
  ): Promise<number> {
    const { n } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number | string>().as('n'))
      .where('project_id', 'in', projectsOf(accountId))
      .where('status', '!=', 'deleting')
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function vmsOf(accountId: string): Promise<number> {
    const { n } = await db
      .selectFrom('vm')
      .select((e) => e.fn.countAll<number | string>().as('n'))
      .where('project_id', 'in', projectsOf(accountId))
      .where('wanted_deleted', '=', 0)
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function sharesOf(accountId: string): Promise<number> {
    const { n } = await db
      .selectFrom('share')
      .select((e) => e.fn.countAll<number | string>().as('n'))
      .where('project_id', 'in', projectsOf(accountId))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function binOf(accountId: string): Promise<number> {
    const { n } = await db
      .selectFrom('bin')
      .select((e) => e.fn.countAll<number | string>().as('n'))
      // One that is in the bin is counted as a project.
      .where('kind', '!=', 'project')
      .where('project_id', 'in', projectsOf(accountId))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function groupsOf(accountId: string, kind: 'pool' | 'set'): Promise<number> {
    const { n } = await db
      .selectFrom('vm_group')
      .select((e) => e.fn.countAll<number | string>().as('n'))
      .where('project_id', 'in', projectsOf(accountId))
      .where('kind', '=', kind)
      .where('bin_id', 'is', null)
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  async function ownCount(table: 'ssh_key' | 'api_token' | 'project', accountId: string): Promise<number> {
    const { n } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll<number | string>().as('n'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  return {
    /** How many of each kind. */
    async count(accountId: string): Promise<AccountDeletion['goes_along']> {
      const [
        projects,
        vms,
        disks,
        vmSnapshots,
        diskSnapshots,
        vm_pools,
        vm_sets,
        shares,
        bin_items,
        ssh_keys,
        api_tokens,
      ] = await Promise.all([
        ownCount('project', accountId),
        vmsOf(accountId),
        storedIn('disk', accountId),
        storedIn('vm_snapshot', accountId),
        storedIn('disk_snapshot', accountId),
        groupsOf(accountId, 'pool'),
        groupsOf(accountId, 'set'),
        sharesOf(accountId),
        binOf(accountId),
        ownCount('ssh_key', accountId),
        ownCount('api_token', accountId),
      ])
      const snapshots = vmSnapshots + diskSnapshots
      return { projects, vms, disks, snapshots, vm_pools, vm_sets, shares, bin_items, ssh_keys, api_tokens }
    },

    /** The projects of an account that have other members. */
    async shared(accountId: string): Promise<AccountDeletion['shared_projects']> {
      const rows = await db
        .selectFrom('project')
        .innerJoin('project_member as member', 'member.project_id', 'project.id')
        .select((e) => ['project.id', 'project.name', e.fn.countAll<number | string>().as('n')])
        .where('project.account_id', '=', accountId)
        .where('member.account_id', '!=', accountId)
        .groupBy(['project.id', 'project.name'])
        .orderBy('project.id')
        .execute()
      return rows.map(({ id, name, n }) => ({ id, name, other_members: Number(n) }))
    },
  }
}
