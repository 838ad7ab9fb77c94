import type { UsageSample } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import type { UsageSampleTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { type Owner, together, type Used } from './usage.book.ts'

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

    /** Stores one span: a sample for each VM, each group and each project. All or nothing. */
    async insert(at: number, all: readonly (readonly [Owner, Used])[]): Promise<void> {
      const rows = [...byOwner(all)].map(([owner, used]): UsageSampleTable => {
        return { owner_id: owner, ...together(at, used) }
      })
      const whole = rows.length - (rows.length % rowsAtOnce)
      await db.transaction().execute(async (tx) => {
        for (let from = 0; from < rows.length; from += from < whole ? rowsAtOnce : 1) {
          const values = rows.slice(from, from < whole ? from + rowsAtOnce : from + 1)
          await tx.insertInto('usage_sample').values(values).execute()
        }
      })
    },

    /** The samples of a VM, a group or a project, oldest first. */
    samples: (ownerId: string, since: number): Promise<UsageSample[]> =>
      db
        .selectFrom('usage_sample')
        .select(['at', 'running', 'cpu', 'memory_mb', 'disk_read', 'disk_write', 'net_in', 'net_out'])
        .where('owner_id', '=', ownerId)
        .where('at', '>=', isoTime(since))
        .orderBy('at')
        .execute(),

    async forgetBefore(at: number): Promise<void> {
      await db.deleteFrom('usage_sample').where('at', '<', isoTime(at)).execute()
    },
  }
}

/** What was used, by the VM, by its group and by its project. */
function byOwner(all: readonly (readonly [Owner, Used])[]): Map<string, (Used & { processors: number })[]> {
  const owners = new Map<string, (Used & { processors: number })[]>()
  for (const [{ vmId, groupId, projectId, processors }, used] of all) {
    for (const id of [vmId, groupId, projectId]) {
      if (id === null) continue
      const list = owners.get(id) ?? []
      owners.set(id, list)
      list.push({ ...used, processors })
    }
  }
  return owners
}
