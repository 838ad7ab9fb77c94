import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db } from '../db/open.ts'

export type CapacityRepo = ReturnType<typeof makeCapacityRepo>

export function makeCapacityRepo(db: Db) {
  const sumOf = async (
    table: 'disk' | 'vm_snapshot' | 'disk_snapshot',
    column: 'size_bytes' | 'stored_bytes',
  ) => {
    const row = await db
      .selectFrom(table)
      // The table has the column: the pairs below say so.
      .select((e) => e.fn.sum<number | null>(column as 'stored_bytes').as('bytes'))
      .executeTakeFirstOrThrow()
    return Number(row.bytes ?? 0)
  }

  return {
    /** What VMs were given: those whose guests live, and all. */
    async given() {
      const rows = await db
        .selectFrom('vm')
        .select((e) => [
          'seen_power',
          e.fn.countAll<number>().as('vms'),
          e.fn.sum<number>('cpu').as('processors'),
          e.fn.sum<number>('memory_mb').as('memory_mb'),
        ])
        .where('wanted_deleted', '=', 0)
        .where('project_id', 'not in', projectsInBin(db))
        .groupBy('seen_power')
        .execute()
      const sum = (wanted: typeof rows) => ({
        vms: wanted.reduce((all, { vms }) => all + Number(vms), 0),
        processors: wanted.reduce((all, { processors }) => all + Number(processors), 0),
        memory_mb: wanted.reduce((all, { memory_mb }) => all + Number(memory_mb), 0),
      })
      const lives = ({ seen_power }: { seen_power: string }) => ['booting', 'ready'].includes(seen_power)
      return { running: sum(rows.filter(lives)), all: sum(rows) }
    },

    /** Sizes of data disks, and what snapshots take, in bytes. */
    async stored() {
      const [disks, vmSnapshots, diskSnapshots] = await Promise.all([
        sumOf('disk', 'size_bytes'),
        sumOf('vm_snapshot', 'stored_bytes'),
        sumOf('disk_snapshot', 'stored_bytes'),
      ])
      return { disks, vmSnapshots, diskSnapshots }
    },
  }
}
