import type { Disk } from '@slipway/contract'
import { DiskStatus } from '@slipway/contract'
import type { Selectable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { DiskTable } from '../db/schema.ts'

const gibibyte = 1024 ** 3
/** Sizes are shown in whole Gi and never as less than there is. */
const sizeGb = (bytes: number): number => Math.ceil(bytes / gibibyte)

const toDisk = (row: Selectable<DiskTable> & { vm_name: string | null }): Disk => ({
  id: row.id,
  project_id: row.project_id,
  name: row.name,
  description: row.description,
  status: DiskStatus.parse(row.status),
  status_message: row.status_message,
  size: `${sizeGb(row.size_bytes)}Gi`,
  size_gb: sizeGb(row.size_bytes),
  disk_type: 'standard',
  source: row.source,
  image_url: row.image_url,
  vm_id: row.vm_id,
  vm_name: row.vm_name,
  created_at: row.created_at,
})

export type DiskRepo = ReturnType<typeof makeDiskRepo>

export function makeDiskRepo(db: Db) {
  return {
    async list(projectId: string): Promise<Disk[]> {
      const rows = await db
        .selectFrom('disk')
        .leftJoin('vm', 'vm.id', 'disk.vm_id')
        .selectAll('disk')
        .select('vm.name as vm_name')
        .where('disk.project_id', '=', projectId)
        .orderBy('disk.id')
        .execute()
      return rows.map(toDisk)
    },
  }
}
