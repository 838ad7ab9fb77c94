import type { Db } from '../db/open.ts'

export type MetricsRepo = ReturnType<typeof makeMetricsRepo>

interface Count {
  status: string
  count: number
}

export function makeMetricsRepo(db: Db) {
  const byStatus = async (table: 'vm' | 'disk' | 'vm_snapshot' | 'disk_snapshot'): Promise<Count[]> =>
    (
      await db
        .selectFrom(table)
        .select((e) => ['status', e.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute()
    ).map(({ status, count }) => ({ status, count: Number(count) }))

  return {
    /** How many objects there are, by their status. */
    counts: async () => ({
      vm: await byStatus('vm'),
      disk: await byStatus('disk'),
      vm_snapshot: await byStatus('vm_snapshot'),
      disk_snapshot: await byStatus('disk_snapshot'),
    }),

    /** What VMs and their projects are called. */
    async names(): Promise<Map<string, { vm: string; project: string }>> {
      const rows = await db
        .selectFrom('vm')
        .innerJoin('project', 'project.id', 'vm.project_id')
        .select(['vm.id', 'vm.name as vm', 'project.name as project'])
        .where('vm.seen_power', 'in', ['booting', 'ready'])
        .execute()
      return new Map(rows.map(({ id, ...names }) => [id, names]))
    },
  }
}
