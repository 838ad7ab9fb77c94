import type { UsageSample } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import type { UsageSampleTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { type Owner, together, type Used } from './usage.book.ts'

/** Whose use is asked for. */
export type Whose = { projectId: string } | { groupId: string } | { vmId: string }

const columnOf = (whose: Whose) =>
  'projectId' in whose
    ? (['project_id', whose.projectId] as const)
    : 'groupId' in whose
      ? (['group_id', whose.groupId] as const)
      : (['vm_id', whose.vmId] as const)

/**
 * The database keeps statements prepared, and one that stores several rows takes memory for each. So there are only
 * two of them, whatever the number of VMs: for so many rows, and for one.
 */
const rowsAtOnce = 50

export type UsageRepo = ReturnType<typeof makeUsageRepo>

export function makeUsageRepo(db: Db) {
  return {
    /** The VMs whose guests live, as far as was last seen. */
    async living(): Promise<Owner[]> {
      const rows = await db
        .selectFrom('vm')
        .select(['id', 'project_id', 'group_id', 'cpu', 'memory_mb'])
        .where('seen_power', 'in', ['booting', 'ready'])
        .execute()
      return rows.flatMap(({ id, project_id, group_id, cpu, memory_mb }) =>
        project_id === null
          ? []
          : [
              {
                vmId: id,
                projectId: project_id,
                groupId: group_id,
                processors: cpu,
                memoryMb: memory_mb,
              },
            ],
      )
    },

    /** Stores one span of all VMs, all or nothing. */
    async insert(at: number, all: readonly (readonly [Owner, Used])[]): Promise<void> {
      const rows = all.map(
        ([owner, used]): UsageSampleTable => ({
          vm_id: owner.vmId,
          at: isoTime(at),
          project_id: owner.projectId,
          group_id: owner.groupId,
          processors: owner.processors,
          cpu: used.cpu,
          memory_mb: used.memoryMb,
          disk_read: used.diskRead,
          disk_write: used.diskWrite,
          net_in: used.netIn,
          net_out: used.netOut,
        }),
      )
      const whole = rows.length - (rows.length % rowsAtOnce)
      await db.transaction().execute(async (tx) => {
        for (let from = 0; from < rows.length; from += from < whole ? rowsAtOnce : 1) {
          const values = rows.slice(from, from < whole ? from + rowsAtOnce : from + 1)
          await tx.insertInto('usage_sample').values(values).execute()
        }
      })
    },

    /** Oldest first. */
    async samples(whose: Whose, since: number): Promise<UsageSample[]> {
      const [column, id] = columnOf(whose)
      const rows = await db
        .selectFrom('usage_sample')
        .selectAll()
        .where(column, '=', id)
        .where('at', '>=', isoTime(since))
        .orderBy('at')
        .execute()
      return [...Map.groupBy(rows, ({ at }) => at)].map(([at, spans]) =>
        together(
          Date.parse(at),
          spans.map((row) => ({
            processors: row.processors,
            cpu: row.cpu,
            memoryMb: row.memory_mb,
            diskRead: row.disk_read,
            diskWrite: row.disk_write,
            netIn: row.net_in,
            netOut: row.net_out,
          })),
        ),
      )
    },

    async forgetBefore(at: number): Promise<void> {
      await db.deleteFrom('usage_sample').where('at', '<', isoTime(at)).execute()
    },
  }
}
