import { GroupDisk, type GroupEvent, groupEventKinds, type VmStatus, type VmStep } from '@slipway/contract'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { VmGroupTable } from '../db/schema.ts'
import { releaseDisksOf } from '../disk/disk.writes.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { endSharesOf } from '../share/share.writes.ts'
import { deleteMembersOf, renewMembersOf } from '../vm/vm.writes.ts'
import { eventNews, groupNews } from './vm-group.activity.ts'
import { heldMembers, isGroupBusy } from './vm-group.conditions.ts'
import type { Member } from './vm-group.facts.ts'
import type { Gone, GroupKind, GroupRecord, NewEvent } from './vm-group.state.ts'

/** How many members a group has now. */
export interface MemberCounts {
  total: number
  /** Failed ones left out. */
  existing: number
  running: number
  /** Those that were made of the present settings. */
  renewed: number
  /** Those that are protected against deletion. */
  held: number
}

/** Which settings of its group a member was made of. */
export interface MemberRevision {
  vm_id: string
  revision: number
}

/** How a group is stored otherwise, with what belongs to it. */
interface GroupChange {
  set?: Partial<VmGroupTable>
  events?: readonly NewEvent[]
  entries?: readonly Entry[]
  /** After it is stored, in the same transaction; may throw to refuse. */
  alongside?: (tx: Tx) => Promise<void>
}

const eventsKept = 200
const Disks = z.array(GroupDisk)
const EventKind = z.enum(groupEventKinds)
const msOf = (time: string | null): number | null => (time === null ? null : Date.parse(time))

export const toGroup = (row: VmGroupTable): GroupRecord => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  name: row.name,
  description: row.description,
  templateId: row.template_id,
  templateName: row.template_name,
  imageId: row.image_id,
  sshKeyId: row.ssh_key_id,
  sshKeyName: row.ssh_key_name,
  sshPublicKey: row.ssh_public_key,
  cpu: row.cpu,
  memoryMb: row.memory_mb,
  rootBytes: row.root_bytes,
  disks: Disks.parse(JSON.parse(row.disks)),
  copyOf: row.copy_of,
  minSize: row.min_size,
  maxSize: row.max_size,
  autoScaling: row.auto_scaling === 1,
  status: row.status,
  statusSince: Date.parse(row.status_since),
  statusMessage: row.status_message,
  sizedAt: msOf(row.sized_at),
  createdAt: row.created_at,
  facts: {
    desired: row.desired_size,
    persistent: row.persistent === 1,
    failures: row.failures,
    failedAt: msOf(row.failed_at),
    failedWhy: row.failed_why,
    revision: row.revision,
    rollOut: row.roll_out,
    rollOutWhy: row.roll_out_why,
    inPlace: row.kind === 'set',
  },
})

export type VmGroupRepo = ReturnType<typeof makeVmGroupRepo>

export function makeVmGroupRepo(db: Db) {
  /** Those that are not in the bin. */
  const groups = (executor: Db) => executor.selectFrom('vm_group').selectAll().where('bin_id', 'is', null)

  const members = (executor: Db) =>
    executor
      .selectFrom('vm')
      .select([
        'id',
        'group_id',
        'name',
        'member_number',
        'status',
        'status_since',
        'status_message',
        'retiring',
        'heals',
        'steps',
        'seen_power',
        'group_revision',
        'delete_protection',
      ])
      .where('group_id', 'is not', null)
      .where('wanted_deleted', '=', 0)

  type MemberRow = Awaited<ReturnType<ReturnType<typeof members>['execute']>>[number]
  const toMember = (row: MemberRow, busy: Set<string>): Member => {
    // Written by the VM's own repository, in this form; thousands are read at once.
    const steps = row.steps === '[]' ? [] : (JSON.parse(row.steps) as VmStep[])
    const last = steps.at(-1)
    return {
      id: row.id,
      name: row.name,
      number: row.member_number ?? 0,
      // Written by the VM's own repository.
      status: row.status as VmStatus,
      statusSince: Date.parse(row.status_since),
      statusMessage: row.status_message,
      retiring: row.retiring === 1,
      heals: row.heals,
      upAt: msOf(steps.find(({ name }) => name === 'ready')?.ended_at ?? null),
      shortSince: last?.name === 'room' && last.ended_at === null ? Date.parse(last.started_at) : null,
      busy: row.seen_power === 'unreadable' || busy.has(row.id),
      revision: row.group_revision ?? 1,
      isProtected: row.delete_protection === 1,
    }
  }

  async function find(id: string, executor: Db = db): Promise<GroupRecord | null> {
    const row = await groups(executor).where('id', '=', id).executeTakeFirst()
    return row ? toGroup(row) : null
  }

  async function addEvents(tx: Tx, groupId: string, now: number, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    await tx
      .insertInto('vm_group_event')
      .values(events.map((event) => ({ ...event, id: newId(now), group_id: groupId, at: isoTime(now) })))
      .execute()
    const oldest = await tx
      .selectFrom('vm_group_event')
      .select('id')
      .where('group_id', '=', groupId)
      .orderBy('id', 'desc')
      .offset(eventsKept)
      .limit(1)
      .executeTakeFirst()
    if (!oldest) return
    await tx
      .deleteFrom('vm_group_event')
      .where('group_id', '=', groupId)
      .where('id', '<=', oldest.id)
      .execute()
  }

  /**
   * Projects in which nothing happens, because their owners are deleting their accounts, or because they are in the bin, or
   * VMs of theirs are still to go on after that.
   */
  const frozenProjects = () =>
    db
      .selectFrom('project')
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
      .select('project.id')
      .where((e) =>
        e.or([
          e('leaving.account_id', 'is not', null),
          e('project.id', 'in', projectsInBin(db)),
          e.exists(
            e
              .selectFrom('vm')
              .select('vm.id')
              .whereRef('vm.project_id', '=', 'project.id')
              .where('vm.power_back', 'is not', null)
              .where('vm.wanted_deleted', '=', 0),
          ),
        ]),
      )

  async function countMembers(groupId: string, executor: Db): Promise<number> {
    const { n } = await executor
      .selectFrom('vm')
      .select((e) => e.fn.countAll<number>().as('n'))
      .where('group_id', '=', groupId)
      .where('wanted_deleted', '=', 0)
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  return {
    find: (id: string) => find(id),

    async findAll(ids: readonly string[]): Promise<GroupRecord[]> {
      return (await groups(db).where('id', 'in', ids).execute()).map(toGroup)
    },

    /** The groups of a kind in a project, oldest first. */
    async list(projectId: string, kind: GroupKind): Promise<GroupRecord[]> {
      const rows = await groups(db)
        .where('project_id', '=', projectId)
        .where('kind', '=', kind)
        .orderBy('id')
        .execute()
      return rows.map(toGroup)
    },

    /** Those that are to be kept at their size: all but those of projects in which nothing happens. */
    async all(): Promise<GroupRecord[]> {
      const rows = await groups(db).where('project_id', 'not in', frozenProjects()).execute()
      return rows.map(toGroup)
    },

    /** Whether the members of a group are made of that VM snapshot, now and later. */
    async isFrom(snapshotId: string, executor: Db = db): Promise<boolean> {
      const row = await executor
        .selectFrom('vm_group')
        .select('id')
        .where('copy_of', '=', snapshotId)
        .where('bin_id', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    async isFrozen({ projectId }: GroupRecord): Promise<boolean> {
      return (await frozenProjects().where('project.id', '=', projectId).executeTakeFirst()) !== undefined
    },

    /** How many members groups have, of one project, of one group, or all of them. */
    async counts(of: { projectId?: string; groupId?: string } = {}): Promise<Map<string, MemberCounts>> {
      let query = db
        .selectFrom('vm')
        .innerJoin('vm_group', 'vm_group.id', 'vm.group_id')
        .select((e) => [
          'vm.group_id',
          e.fn.countAll<number>().as('total'),
          e.fn.sum<number>(sql`case when vm.status = 'failed' then 0 else 1 end`).as('existing'),
          e.fn.sum<number>(sql`case when vm.status = 'running' then 1 else 0 end`).as('running'),
          e.fn
            .sum<number>(sql`case when coalesce(vm.group_revision, 1) < vm_group.revision then 0 else 1 end`)
            .as('renewed'),
          e.fn.sum<number>('vm.delete_protection').as('held'),
        ])
        .where('vm.group_id', 'is not', null)
        .where('vm.wanted_deleted', '=', 0)
        .groupBy('vm.group_id')
      if (of.projectId !== undefined) query = query.where('vm.project_id', '=', of.projectId)
      if (of.groupId !== undefined) query = query.where('vm.group_id', '=', of.groupId)
      return new Map(
        (await query.execute()).map(({ group_id, total, existing, running, renewed, held }) => [
          group_id ?? '',
          {
            total: Number(total),
            existing: Number(existing),
            running: Number(running),
            renewed: Number(renewed),
            held: Number(held),
          },
        ]),
      )
    },

    /** The members of one group that are not deleted, oldest first. */
    async members(groupId: string): Promise<Member[]> {
      const rows = await members(db).where('group_id', '=', groupId).orderBy('id').execute()
      const busy = rows.length > 0 ? await heldMembers(db, groupId) : new Set<string>()
      return rows.map((row) => toMember(row, busy))
    },

    /** Of the members of one group that are not deleted, oldest first. */
    async revisions(groupId: string): Promise<MemberRevision[]> {
      const rows = await db
        .selectFrom('vm')
        .select(['id', 'group_revision'])
        .where('group_id', '=', groupId)
        .where('wanted_deleted', '=', 0)
        .orderBy('id')
        .execute()
      return rows.map(({ id, group_revision }) => ({ vm_id: id, revision: group_revision ?? 1 }))
    },

    /** Every member there is, by group. */
    async allMembers(): Promise<Map<string, Member[]>> {
      const busy = await heldMembers(db, null)
      const byGroup = new Map<string, Member[]>()
      for (const row of await members(db).orderBy('id').execute()) {
        const list = byGroup.get(row.group_id ?? '') ?? []
        byGroup.set(row.group_id ?? '', list)
        list.push(toMember(row, busy))
      }
      return byGroup
    },

    /** The members that run, with the processors they were given. */
    async running(): Promise<{ id: string; groupId: string; name: string; cpu: number }[]> {
      const rows = await db
        .selectFrom('vm')
        .select(['id', 'group_id', 'name', 'cpu'])
        .where('group_id', 'is not', null)
        .where('wanted_deleted', '=', 0)
        .where('status', '=', 'running')
        .execute()
      return rows.map(({ id, group_id, name, cpu }) => ({ id, groupId: group_id ?? '', name, cpu }))
    },

    /** `given` may throw to refuse, `alongside` adds what belongs to the group. */
    async insert(
      row: VmGroupTable,
      event: NewEvent,
      entry: Entry,
      given: (tx: Tx) => Promise<void>,
      alongside: (tx: Tx) => Promise<void>,
    ): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await given(tx)
        await tx.insertInto('vm_group').values(row).execute()
        await alongside(tx)
        await addEvents(tx, row.id, Date.parse(row.created_at), [event])
        await record(tx, [entry])
      })
    },

    /**
     * Changes a group with nobody in between: `next` sees it as it is and may throw to refuse, or return null to
     * leave it. A status that is new is recorded, and so are `entries`. Null when there is no such group. `given` may throw
     * to refuse another desired size; it is told how many members there are.
     */
    change(
      id: string,
      now: number,
      next: (group: GroupRecord, tx: Tx) => GroupChange | null | Promise<GroupChange | null>,
      given?: (tx: Tx, group: GroupRecord, desired: number, members: number) => Promise<void>,
    ): Promise<GroupRecord | null> {
      return db.transaction().execute(async (tx) => {
        const group = await find(id, tx)
        const change = group && (await next(group, tx))
        if (!group || !change) return group
        const desired = change.set?.desired_size
        if (given && desired !== undefined && desired > group.facts.desired)
          await given(tx, group, desired, await countMembers(id, tx))
        if (change.set) await tx.updateTable('vm_group').set(change.set).where('id', '=', id).execute()
        await change.alongside?.(tx)
        const events = change.events ?? []
        await addEvents(tx, id, now, events)
        const after = (await find(id, tx)) ?? group
        await record(tx, [
          ...(change.entries ?? []),
          ...events.flatMap((event) => eventNews(group, event, now)),
          ...groupNews(group, after),
        ])
        return after
      })
    },

    /**
     * Gives the members of a group its newest revision that were made of the same settings already, and answers how many
     * have older ones.
     */
    async renew(
      tx: Tx,
      groupId: string,
      settings: Parameters<typeof renewMembersOf>[2],
      revision: number,
    ): Promise<number> {
      await renewMembersOf(tx, groupId, settings, revision)
      const { n } = await tx
        .selectFrom('vm')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('group_id', '=', groupId)
        .where('wanted_deleted', '=', 0)
        .where(sql<number>`coalesce(group_revision, 1)`, '<', revision)
        .executeTakeFirstOrThrow()
      return Number(n)
    },

    /** Newest first. */
    async events(groupId: string): Promise<GroupEvent[]> {
      const rows = await db
        .selectFrom('vm_group_event')
        .selectAll()
        .where('group_id', '=', groupId)
        .orderBy('id', 'desc')
        .limit(eventsKept)
        .execute()
      return rows.map(({ group_id: _, kind, ...row }) => ({ ...row, kind: EventKind.parse(kind) }))
    },

    /**
     * Deletes a group in one transaction: its members become wishes to delete them, and so do the disks that were
     * made for them; other disks they have are free. `busy`: a snapshot or restore needs a member as it is;
     * `protected`: one is protected against deletion.
     */
    remove(id: string, entry: Entry): Promise<'busy' | 'missing' | 'protected' | Gone> {
      return db.transaction().execute(async (tx) => {
        if (!(await find(id, tx))) return 'missing'
        const rows = await members(tx).where('group_id', '=', id).execute()
        if (rows.some((row) => row.delete_protection === 1)) return 'protected'
        if (await isGroupBusy(tx, id)) return 'busy'
        const vmIds = rows.map((row) => row.id)
        const ofMembers = tx
          .selectFrom('vm')
          .select('id')
          .where('group_id', '=', id)
          .where('wanted_deleted', '=', 0)
        await record(tx, [entry])
        const { deletedIds, freedIds } = await releaseDisksOf(tx, ofMembers, entry.at)
        const shareIds = await endSharesOf(tx, ofMembers, entry.at)
        await deleteMembersOf(tx, id)
        await tx.deleteFrom('vm_group').where('id', '=', id).execute()
        return { vmIds, diskIds: deletedIds, freedIds, shareIds }
      })
    },
  }
}
