import { mayBegin, type Project, type ProjectRole } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import { type Binned, putInBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import type { ProjectTable } from '../db/schema.ts'
import { sharesOfProject } from '../share/share.writes.ts'
import { underWayOfVms } from '../under-way/under-way.conditions.ts'

type Row = Omit<ProjectTable, 'account_id' | 'internet'> & { owner_name: string; delete_at: string | null }

const toProject = (
  { id, name, description, created_at, owner_name, delete_at }: Row,
  role: ProjectRole,
): Project => ({
  id,
  name,
  description,
  created_at,
  role,
  owner_name,
  delete_at,
})

/** Why a project is not deleted. */
type Refusal = 'missing' | 'has-vms' | 'protected'

interface DeleteHow {
  /** Its VMs, pools and sets go with it. */
  withVms: boolean
}

export type ProjectRepo = ReturnType<typeof makeProjectRepo>

/** Deletes, or wishes deleted, what a project has of one kind; part of the transaction that deletes the project. */
type DeleteOfProject = (tx: Tx, projectId: string, nowMs: number) => Promise<void>

/** What is done with the members of projects, as part of the transaction that stores or deletes the project. */
interface OfMembers {
  /** Makes the account that creates a project its first member. */
  addOwner: (tx: Tx, project: ProjectTable) => Promise<void>
  /** Nobody is a member any more, as long as it is in the bin; returns what they were, by account. */
  putMembersAside: (tx: Tx, projectId: string) => Promise<Record<string, ProjectRole>>
}

/**
 * What features above add to the writes of projects, each in the same transaction.
 *
 * @param goesAlong what goes along with the deletion of a project, done in this order
 */
export function makeProjectRepo(
  db: Db,
  { addOwner, putMembersAside }: OfMembers,
  goesAlong: readonly DeleteOfProject[],
) {
  const projects = () =>
    db
      .selectFrom('project')
      .innerJoin('account as owner', 'owner.id', 'project.account_id')
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'owner.id')
      .select([
        'project.id',
        'project.name',
        'project.description',
        'project.created_at',
        'owner.name as owner_name',
        'leaving.delete_at',
      ])

  return {
    /** Those that an account is a member of. */
    async list(accountId: string): Promise<Project[]> {
      const rows = await projects()
        .innerJoin('project_member as member', 'member.project_id', 'project.id')
        .select('member.role')
        .where('member.account_id', '=', accountId)
        .orderBy('project.id')
        .execute()
      return rows.map((row) => toProject(row, row.role))
    },

    /** What an account is in a project; null: no member, or there is no such project. */
    async roleOf(accountId: string, projectId: string): Promise<ProjectRole | null> {
      const row = await db
        .selectFrom('project_member')
        .select('role')
        .where('project_id', '=', projectId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row?.role ?? null
    },

    /** The same, with whether the project is frozen because its owner is deleting their account. */
    async standingOf(
      accountId: string,
      projectId: string,
    ): Promise<{ role: ProjectRole; isFrozen: boolean } | null> {
      const row = await db
        .selectFrom('project_member as member')
        .innerJoin('project', 'project.id', 'member.project_id')
        .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
        .select(['member.role', 'leaving.account_id as leaving_id'])
        .where('member.project_id', '=', projectId)
        .where('member.account_id', '=', accountId)
        .executeTakeFirst()
      return row ? { role: row.role, isFrozen: row.leaving_id !== null } : null
    },

    /** What each member of a project is in it, by account. */
    async rolesIn(projectId: string): Promise<Record<string, ProjectRole>> {
      const rows = await db
        .selectFrom('project_member')
        .select(['account_id', 'role'])
        .where('project_id', '=', projectId)
        .execute()
      return Object.fromEntries(rows.map(({ account_id, role }) => [account_id, role]))
    },

    /** As their owners see them; without those in the bin. */
    async findAll(ids: readonly string[]): Promise<Project[]> {
      const rows = await projects()
        .where('project.id', 'in', ids)
        .where('project.id', 'not in', projectsInBin(db))
        .execute()
      return rows.map((row) => toProject(row, 'owner'))
    },

    /** The names of projects, and who owns them. */
    async owners(ids: readonly string[]) {
      if (ids.length === 0) return []
      return db
        .selectFrom('project')
        .innerJoin('account', 'account.id', 'project.account_id')
        .select(['project.id', 'project.name', 'account.id as owner_id', 'account.name as owner_name'])
        .where('project.id', 'in', ids)
        .execute()
    },

    async insert(row: ProjectTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('project').values(row).execute()
        await addOwner(tx, row)
        await record(tx, [entry])
      })
    },

    /** Those of them that are there, in the bin or not. */
    async present(ids: readonly string[]): Promise<string[]> {
      const rows = await db.selectFrom('project').select('id').where('id', 'in', ids).execute()
      return rows.map(({ id }) => id)
    },

    /** Where a project is; null: nowhere any more. */
    async placeOf(projectId: string): Promise<'in-use' | 'in-bin' | null> {
      const row = await db
        .selectFrom('project')
        .leftJoin('bin', 'bin.id', 'project.id')
        .select('bin.id as bin_id')
        .where('project.id', '=', projectId)
        .executeTakeFirst()
      if (!row) return null
      return row.bin_id === null ? 'in-use' : 'in-bin'
    },

    /** Puts a project into the bin with all that is in it. Returns what its members were, and its shares. */
    putInBin(
      projectId: string,
      how: DeleteHow & Pick<Binned, 'deletedBy' | 'days'>,
      entry: Entry,
    ): Promise<{ roles: Record<string, ProjectRole>; shareIds: string[] } | Refusal> {
      const { withVms, ...by } = how
      return db.transaction().execute(async (tx) => {
        const project = await inUse(tx, projectId)
        if (!project) return 'missing'
        const refusal = await refusalOf(tx, projectId, withVms)
        if (refusal) return refusal
        const { name } = project
        await putInBin(tx, { id: projectId, projectId, kind: 'project', name, ...by }, entry.at)
        await record(tx, [entry])
        return {
          roles: await putMembersAside(tx, projectId),
          shareIds: await sharesOfProject(tx, projectId),
        }
      })
    },

    /**
     * Deletes a project for good, in one transaction. What goes along with it is deleted, or becomes a wish to delete it.
     *
     * @param from where it has to be; null: wherever it is, and whatever protects it
     */
    remove(
      projectId: string,
      { withVms, from }: DeleteHow & { from: 'in-use' | 'in-bin' | null },
      entry: Entry,
    ): Promise<'removed' | Refusal | 'busy'> {
      return db.transaction().execute(async (tx) => {
        const isInUse = (await inUse(tx, projectId)) !== undefined
        const isThere =
          from === 'in-use' ? isInUse : from === null || (!isInUse && (await isInBin(tx, projectId)))
        if (!isThere) return 'missing'
        const refusal = from === 'in-use' ? await refusalOf(tx, projectId, withVms) : null
        if (refusal) return refusal
        if (await isBusy(tx, projectId)) return 'busy'
        for (const deleteOfProject of goesAlong) await deleteOfProject(tx, projectId, entry.at)
        await tx.deleteFrom('project').where('id', '=', projectId).execute()
        await record(tx, [entry])
        return 'removed'
      })
    },
  }
}

const inUse = (tx: Tx, projectId: string) =>
  tx
    .selectFrom('project')
    .select('name')
    .where('id', '=', projectId)
    .where('id', 'not in', projectsInBin(tx))
    .executeTakeFirst()

const isInBin = async (tx: Tx, projectId: string): Promise<boolean> =>
  (await projectsInBin(tx).where('bin.id', '=', projectId).executeTakeFirst()) !== undefined

/** Why a project is not deleted that is in use. */
async function refusalOf(tx: Tx, projectId: string, withVms: boolean): Promise<Refusal | null> {
  const vms = tx
    .selectFrom('vm')
    .select('id')
    .where('project_id', '=', projectId)
    .where('wanted_deleted', '=', 0)
  if (!withVms && (await vms.executeTakeFirst())) return 'has-vms'
  return (await vms.where('delete_protection', '=', 1).executeTakeFirst()) ? 'protected' : null
}

/** Whether something is done with a VM of a project that has to end before it is deleted. */
async function isBusy(tx: Tx, projectId: string): Promise<boolean> {
  const vms = tx
    .selectFrom('vm')
    .select('vm.id')
    .where('vm.project_id', '=', projectId)
    .where('vm.wanted_deleted', '=', 0)
  const underWay = await underWayOfVms(tx, vms)
  return [...underWay.values()].some((changes) => mayBegin('binVm', changes) !== true)
}
