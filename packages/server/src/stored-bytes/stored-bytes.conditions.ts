/** What rows count as in bytes, toward quotas and toward the limit of the bin, for the queries of others. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'

const mebibyte = 1024 ** 2

/**
 * What a disk takes: the larger of what it has and what it gets. Until a file that is uploaded has become a disk, all of the file
 * counts, also what has not arrived: two files at once would otherwise pass the limit together.
 */
export const bytesOfDisk = sql<number>`case
  when disk.status = 'creating' and exists (select 1 from upload
    where upload.disk_id = disk.id and upload.file_bytes > disk.size_bytes)
    then (select file_bytes from upload where upload.disk_id = disk.id)
  when disk.next_size_bytes > disk.size_bytes then disk.next_size_bytes
  else disk.size_bytes end`

/** The same of the root disk of a VM. Those that are as their image makes them take nothing. */
export const bytesOfRoot = sql<number | null>`case
  when vm.next_root_bytes > coalesce(vm.root_bytes, 0) then vm.next_root_bytes
  else vm.root_bytes end`

/**
 * What a snapshot of a VM takes. One that is being made counts with the sizes of its disks and of its memory, so that many at
 * once do not all begin below the limit; those that forks are made of are gone in a moment.
 */
export const bytesOfVmSnapshot = sql<number>`case
  when vm_snapshot.status in ('pending', 'creating') and vm_snapshot.automatic = 0
    then coalesce((select sum(size_bytes) from disk where disk.vm_id = vm_snapshot.vm_id), 0)
      + case when vm_snapshot.snapshot_type = 'full'
        then cast(coalesce((select memory_mb from vm where vm.id = vm_snapshot.vm_id), 0) as bigint) * ${sql.lit(mebibyte)}
        else 0 end
  else coalesce(vm_snapshot.stored_bytes, 0) end`

export const bytesOfDiskSnapshot = sql<number>`case
  when disk_snapshot.status in ('pending', 'creating') then disk_snapshot.size_bytes
  else coalesce(disk_snapshot.stored_bytes, 0) end`

/** Something in a bin with all that is there with it: an item of the bin of a project, or a whole project. */
export interface InBin {
  id: string
  projectId: string
  kind: string
  name: string
  deletedAt: string
  /** Not yet counted since it came in. */
  isNew: boolean
  bytes: number
  vms: number
}

const ofTable = {
  vm: { bytes: sql`coalesce(${bytesOfRoot}, 0)`, vms: 1, isPresent: sql`vm.wanted_deleted = 0` },
  disk: { bytes: bytesOfDisk, vms: 0, isPresent: sql`disk.status <> 'deleting'` },
  vm_snapshot: { bytes: bytesOfVmSnapshot, vms: 0, isPresent: sql`vm_snapshot.status <> 'deleting'` },
  disk_snapshot: { bytes: bytesOfDiskSnapshot, vms: 0, isPresent: sql`disk_snapshot.status <> 'deleting'` },
} as const

/**
 * What the bins of all projects of an account hold, or that of one project, in two statements. A project in the bin counts whole,
 * with its own bin. What is on its way out already counts no more.
 */
export async function heldInBins(
  owner: { projectId: string } | { accountId: string },
  executor: Db,
): Promise<InBin[]> {
  const owned = (table: RawBuilder<unknown>) =>
    'projectId' in owner
      ? sql`${table}.project_id = ${owner.projectId}`
      : sql`${table}.project_id in (select id from project where account_id = ${owner.accountId})`
  const binned = sql`(select id from bin where kind = 'project')`
  const parts = Object.entries(ofTable).map(([name, { bytes, vms, isPresent }]) => {
    const table = sql.table(name)
    return sql`select case when ${table}.project_id in ${binned} then ${table}.project_id else ${table}.bin_id end as item,
        ${bytes} as bytes, ${sql.lit(vms)} as vms
      from ${table}
      where ${owned(table)}
        and (${table}.bin_id is not null or (${table}.project_id in ${binned} and ${isPresent}))`
  })
  const { rows: sums } = await sql<{ item: string; bytes: number | string; vms: number | string }>`
    select item, sum(bytes) as bytes, sum(vms) as vms from (${sql.join(parts, sql` union all `)}) held
    group by item`.execute(executor)
  const of = new Map(sums.map(({ item, bytes, vms }) => [item, { bytes: Number(bytes), vms: Number(vms) }]))
  const items = await executor
    .selectFrom('bin')
    .select(['id', 'project_id', 'kind', 'name', 'deleted_at', 'counted'])
    .where(sql<boolean>`${owned(sql.table('bin'))}`)
    .where(sql<boolean>`(kind = 'project' or project_id not in ${binned})`)
    .where('leaves_why', 'is', null)
    .execute()
  return items.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    name: row.name,
    deletedAt: row.deleted_at,
    isNew: row.counted === 0,
    ...(of.get(row.id) ?? { bytes: 0, vms: 0 }),
  }))
}
