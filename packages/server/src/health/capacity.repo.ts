import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db } from '../db/open.ts'

type StorageTable = 'disk' | 'vm_snapshot' | 'disk_snapshot'

/** What bins hold; sizes in bytes. */
export interface InBins {
  vms: number
  disks: number
  vmSnapshots: number
  diskSnapshots: number
}

export type CapacityRepo = ReturnType<typeof makeCapacityRepo>

export function makeCapacityRepo(db: Db) {
  const sumOf = async (
    table: StorageTable,
    column: 'size_bytes' | 'stored_bytes',
    where: 'anywhere' | 'in-bins',
  ) => {
    let rows = db.selectFrom(table)
    if (where === 'in-bins')
      rows = rows.where((e) =>
        e.or([
          e('bin_id', 'is not', null),
          e.and([e('status', '!=', 'deleting'), e('project_id', 'in', projectsInBin(db))]),
        ]),
      )
    const row = await rows
      // The table has the column: the pairs below say so.
      .select((e) => e.fn.sum<number | null>(column as 'stored_bytes').as('bytes'))
      .executeTakeFirstOrThrow()
    return Number(row.bytes ?? 0)
  }

  /** Sizes of data disks, and what snapshots take, in bytes. */
  const stored = async (where: 'anywhere' | 'in-bins' = 'anywhere') => {
    const [disks, vmSnapshots, diskSnapshots] = await Promise.all([
      sumOf('disk', 'size_bytes', where),
      sumOf('vm_snapshot', 'stored_bytes', where),
      sumOf('disk_snapshot', 'stored_bytes', where),
    ])
    return { disks, vmSnapshots, diskSnapshots }
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

    stored: () => stored(),

    /** How much of that is in bins, also in those of whole projects, and how many VMs are. */
    async inBins(): Promise<InBins> {
      const [{ vms }, sizes] = await Promise.all([
        db
          .selectFrom('vm')
          .select((e) => e.fn.countAll<number>().as('vms'))
          .where((e) =>
            e.or([
              e('bin_id', 'is not', null),
              e.and([e('wanted_deleted', '=', 0), e('project_id', 'in', projectsInBin(db))]),
            ]),
          )
          .executeTakeFirstOrThrow(),
        stored('in-bins'),
      ])
      return { vms: Number(vms), ...sizes }
    },
  }
}
