const schedule = ['hourly', 'daily', 'weekly', 'time_zone', 'paused', 'next_at'] as const

/** The columns of tables; kinds that are not here show their plain fields. */
const chosen: Record<string, readonly string[]> = {
  vm: ['name', 'status', 'template_name', 'cpu', 'memory_mb', 'ip_address', 'created_at', 'id'],
  disk: ['name', 'status', 'size', 'vm_name', 'created_at', 'id'],
  project: ['name', 'role', 'owner_name', 'created_at', 'id'],
  template: ['name', 'id', 'default_cpu', 'default_memory_mb', 'description'],
  'vm-snapshot': ['name', 'status', 'vm_name', 'snapshot_type', 'size_mb', 'created_at', 'expires_at', 'id'],
  'disk-snapshot': [
    'name',
    'status',
    'disk_name',
    'snapshot_type',
    'size_mb',
    'created_at',
    'expires_at',
    'id',
  ],
  'vm-snapshot-schedule': ['vm_id', ...schedule],
  'disk-snapshot-schedule': ['disk_id', ...schedule],
  'vm-pool': [
    'name',
    'status',
    'current_size',
    'desired_size',
    'min_size',
    'max_size',
    'template_name',
    'id',
  ],
  batch: ['action', 'counts', 'requested_by', 'created_at', 'ended_at', 'id'],
  'vm-set': ['name', 'status', 'current_replicas', 'replicas', 'template_name', 'id'],
}

/** Wide fields, and those that are the same in every row. */
const left = new Set(['project_id', 'description', 'status_message', 'metadata'])
const most = 8

/** Whether columns were chosen for a kind. */
export const hasColumns = (noun: string): boolean => Object.hasOwn(chosen, noun)

/** Which fields of rows are shown: those chosen for their kind, as far as they are there; else the first plain ones. */
export function columnsOf(noun: string, rows: readonly Record<string, unknown>[]): string[] {
  const present = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = chosen[noun]?.filter((column) => present.includes(column))
  if (columns && columns.length > 0) return columns
  const isPlain = (column: string) =>
    rows.every((row) => typeof row[column] !== 'object' || row[column] === null)
  const plain = present.filter((column) => isPlain(column) && !left.has(column) && column !== 'id')
  // Where nothing is plain, anything is better than nothing.
  return [
    ...(plain.length > 0 ? plain.slice(0, most - 1) : present),
    ...(present.includes('id') ? ['id'] : []),
  ]
}
