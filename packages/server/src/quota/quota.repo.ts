import {
  type QuotaAmounts,
  type QuotaLimits,
  type QuotaResource,
  quotaOfVmsWithDisks,
} from '@slipway/contract'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'
import {
  bytesOfDisk,
  bytesOfDiskSnapshot,
  bytesOfRoot,
  bytesOfVmSnapshot,
  heldInBins,
} from '../stored-bytes/stored-bytes.conditions.ts'

/** Whose use is summed up. */
export type QuotaOwner = { projectId: string } | { accountId: string }

/** Limits that differ from those of the settings. */
export type SetLimits = Partial<QuotaLimits>

/** What groups are to have by their desired sizes counts as well, or only what is there. */
export type Counting = 'promised' | 'there'

export type QuotaRepo = ReturnType<typeof makeQuotaRepo>

const ofMachines = ['vms', 'processors', 'memory_mb', 'disk_bytes'] as const satisfies QuotaResource[]

export function makeQuotaRepo(db: Db) {
  /** The projects of an owner, for `where project_id in`: by their index whichever it is. Those in the bin count toward no account. */
  const projectsOf = (
    owner: QuotaOwner,
    executor: Db,
  ): SelectQueryBuilder<Schema, 'project', { id: string }> =>
    'projectId' in owner
      ? executor.selectFrom('project').select('id').where('id', '=', owner.projectId)
      : executor
          .selectFrom('project')
          .select('id')
          .where('account_id', '=', owner.accountId)
          .where('id', 'not in', projectsInBin(executor))

  /**
   * VMs, disks, and the pools and sets with their members, in one statement: a member that comes meanwhile is either there or
   * still lacking, never both and never neither.
   */
  async function machinesOf(owner: QuotaOwner, executor: Db) {
    const none = sql<number | null>`cast(null as bigint)`
    const rows = await executor
      .selectFrom('vm')
      .select((e) => [
        sql<'vms' | 'disks' | 'group'>`cast('vms' as text)`.as('kind'),
        e.fn.countAll<number | string>().as('n'),
        // What a VM is to get at its next boot counts from the moment it was asked for.
        sql<number | string | null>`sum(case when next_cpu > cpu then next_cpu else cpu end)`.as('cpu'),
        sql<number | string | null>`sum(case when next_memory_mb > memory_mb then next_memory_mb
          else memory_mb end)`.as('memory_mb'),
        sql<number | null>`sum(${bytesOfRoot})`.as('bytes'),
        none.as('desired'),
        sql<string | null>`cast(null as text)`.as('disks'),
      ])
      .where('project_id', 'in', projectsOf(owner, executor))
      .where('wanted_deleted', '=', 0)
      .unionAll(
        executor
          .selectFrom('disk')
          .select((e) => [
            sql<'vms' | 'disks' | 'group'>`cast('disks' as text)`.as('kind'),
            e.fn.countAll<number | string>().as('n'),
            none.as('cpu'),
            none.as('memory_mb'),
            sql<number | null>`sum(${bytesOfDisk})`.as('bytes'),
            none.as('desired'),
            sql<string | null>`cast(null as text)`.as('disks'),
          ])
          .where('project_id', 'in', projectsOf(owner, executor))
          // One that failed takes nothing, and is never tried again.
          .where('status', 'not in', ['deleting', 'failed']),
      )
      .unionAll(
        executor
          .selectFrom('vm_group')
          .select([
            sql<'vms' | 'disks' | 'group'>`cast('group' as text)`.as('kind'),
            sql<number | string>`(select count(*) from vm
              where vm.group_id = vm_group.id and vm.wanted_deleted = 0)`.as('n'),
            'cpu',
            'memory_mb',
            'root_bytes as bytes',
            sql<number | null>`desired_size`.as('desired'),
            'disks',
          ])
          .where('project_id', 'in', projectsOf(owner, executor))
          .where('bin_id', 'is', null),
      )
      .execute()
    const found = { vms: 0, processors: 0, memory_mb: 0, disk_bytes: 0 }
    const coming = { vms: 0, processors: 0, memory_mb: 0, disk_bytes: 0 }
    for (const { kind, n, cpu, memory_mb, bytes, desired, disks } of rows) {
      if (kind === 'vms') {
        found.vms = Number(n)
        found.processors = Number(cpu ?? 0)
        found.memory_mb = Number(memory_mb ?? 0)
        found.disk_bytes += Number(bytes ?? 0)
      } else if (kind === 'disks') found.disk_bytes += Number(bytes ?? 0)
      else {
        const missing = Math.max(0, Number(desired ?? 0) - Number(n))
        const lacking = quotaOfVmsWithDisks(missing, {
          cpu: Number(cpu ?? 0),
          memory_mb: Number(memory_mb ?? 0),
          root_bytes: Number(bytes ?? 0),
          disks: disksIn(disks),
        })
        for (const resource of ofMachines) coming[resource] += lacking[resource]
      }
    }
    return { found, coming }
  }

  /** What snapshots take. */
  async function snapshotsOf(owner: QuotaOwner, executor: Db): Promise<number> {
    const row = await executor
      .selectFrom('vm_snapshot')
      .select(sql<number | null>`sum(${bytesOfVmSnapshot})`.as('bytes'))
      .where('project_id', 'in', projectsOf(owner, executor))
      .where('status', '!=', 'deleting')
      .executeTakeFirstOrThrow()
    const ofDisks = await executor
      .selectFrom('disk_snapshot')
      .select(sql<number | null>`sum(${bytesOfDiskSnapshot})`.as('bytes'))
      .where('project_id', 'in', projectsOf(owner, executor))
      .where('status', '!=', 'deleting')
      .executeTakeFirstOrThrow()
    return Number(row.bytes ?? 0) + Number(ofDisks.bytes ?? 0)
  }

  async function sharesOf(owner: QuotaOwner, executor: Db): Promise<number> {
    const row = await executor
      .selectFrom('share')
      .select((e) => e.fn.countAll<number>().as('n'))
      .where('project_id', 'in', projectsOf(owner, executor))
      .executeTakeFirstOrThrow()
    return Number(row.n)
  }

  return {
    /** What is in use of these resources; of others nothing is read, and it counts as none. */
    async used(
      owner: QuotaOwner,
      wanted: readonly QuotaResource[],
      counting: Counting,
      executor: Db = db,
    ): Promise<QuotaAmounts> {
      const used: QuotaAmounts = {
        vms: 0,
        processors: 0,
        memory_mb: 0,
        disk_bytes: 0,
        snapshot_bytes: 0,
        shares: 0,
        bin_bytes: 0,
      }
      const wants = (...resources: readonly QuotaResource[]) => resources.some((one) => wanted.includes(one))
      if (wants(...ofMachines)) {
        const { found, coming } = await machinesOf(owner, executor)
        for (const resource of ofMachines)
          used[resource] = found[resource] + (counting === 'promised' ? coming[resource] : 0)
      }
      if (wants('snapshot_bytes')) used.snapshot_bytes = await snapshotsOf(owner, executor)
      if (wants('shares')) used.shares = await sharesOf(owner, executor)
      if (wants('bin_bytes'))
        used.bin_bytes = (await heldInBins(owner, executor)).reduce((sum, { bytes }) => sum + bytes, 0)
      return used
    },

    /** How many VMs are in bins. */
    vmsInBins: async (owner: QuotaOwner, executor: Db = db): Promise<number> =>
      (await heldInBins(owner, executor)).reduce((sum, { vms }) => sum + vms, 0),

    /** The account that owns a project, with the limits that were set for it; null when there is no such project. */
    async ownerOf(
      projectId: string,
      executor: Db = db,
    ): Promise<{ accountId: string; limits: SetLimits } | null> {
      const rows = await executor
        .selectFrom('project')
        .leftJoin('quota', 'quota.account_id', 'project.account_id')
        .select(['project.account_id', 'quota.resource', 'quota.amount'])
        .where('project.id', '=', projectId)
        .execute()
      const [first] = rows
      return first ? { accountId: first.account_id, limits: limitsOf(rows) } : null
    },

    /** The limits that were set for an account. */
    async limits(accountId: string, executor: Db = db): Promise<SetLimits> {
      return limitsOf(
        await executor.selectFrom('quota').selectAll().where('account_id', '=', accountId).execute(),
      )
    },

    /** Sets limits of an account in place of all that were set before; false when there is no such account. */
    setLimits(
      accountId: string,
      limits: Readonly<Record<string, number | null | undefined>>,
      entryOf: (account: { id: string; name: string }) => Entry,
    ) {
      return db.transaction().execute(async (tx: Tx) => {
        const account = await tx
          .selectFrom('account')
          .select(['id', 'name'])
          .where('id', '=', accountId)
          .executeTakeFirst()
        if (!account) return false
        await tx.deleteFrom('quota').where('account_id', '=', accountId).execute()
        const rows = Object.entries(limits).flatMap(([resource, amount]) =>
          amount === undefined ? [] : [{ account_id: accountId, resource, amount }],
        )
        if (rows.length > 0) await tx.insertInto('quota').values(rows).execute()
        await record(tx, [entryOf(account)])
        return true
      })
    },
  }
}

/** Rows of nothing are those of an account without limits of its own. */
const limitsOf = (rows: readonly { resource: string | null; amount: number | null }[]): SetLimits =>
  Object.fromEntries(
    rows.flatMap(({ resource, amount }) =>
      resource === null ? [] : [[resource, amount === null ? null : Number(amount)]],
    ),
  )

/** The disks of one member, by the list that groups keep of them. */
const disksIn = (disks: string | null): { size: string }[] =>
  // Written by the group's own repository, in this form.
  disks === null || disks === '[]' ? [] : (JSON.parse(disks) as { size: string }[])
