import type { Disk, DiskSnapshot, Template, VmPool, VmSet, VmSnapshot } from '@slipway/contract'

/** Objects as the server sends them, for answers in its place. */

const madeAt = '2026-11-20T10:00:00.000Z'

/** A template as the server sends it. */
export const makeTemplate = (name: string, more: Partial<Template> = {}): Template => ({
  id: name,
  name,
  description: `All about ${name}`,
  image_url: null,
  default_cpu: 2,
  default_memory_mb: 2048,
  created_at: madeAt,
  image: { state: 'ready', progress: null, message: null, root_disk_gb: 20 },
  has_start_script: false,
  ...more,
})

/** The image of a template in some state. */
export const imageIn = (
  state: Template['image']['state'],
  more: Partial<Template['image']> = {},
): Pick<Template, 'image'> => ({
  image: { state, progress: null, message: null, root_disk_gb: null, ...more },
})

/** A disk as the server sends it. */
export const makeDisk = (
  name: string,
  status: Disk['status'] = 'available',
  more: Partial<Disk> = {},
): Disk => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status,
  status_message: null,
  status_since: madeAt,
  progress: null,
  size: '10Gi',
  size_gb: 10,
  next_size_gb: null,
  disk_type: 'standard',
  source: 'blank',
  image_url: null,
  image_sha256: null,
  vm_id: null,
  vm_name: null,
  deleted_with_vm: false,
  created_at: madeAt,
  ...more,
})

const keptUntil = '2026-12-20T10:00:00.000Z'

/** A VM snapshot as the server sends it. */
export const makeVmSnapshot = (name: string, more: Partial<VmSnapshot> = {}): VmSnapshot => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status: 'ready',
  status_message: null,
  status_since: madeAt,
  progress: null,
  vm_id: 'v',
  vm_name: 'engine',
  snapshot_type: 'disk',
  has_memory: false,
  consistency: 'crash',
  disks: [],
  automatic: false,
  scheduled: null,
  size_mb: 512,
  retention_days: 30,
  expires_at: keptUntil,
  metadata: null,
  created_at: madeAt,
  ...more,
})

/** A disk snapshot as the server sends it. */
export const makeDiskSnapshot = (name: string, more: Partial<DiskSnapshot> = {}): DiskSnapshot => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  disk_id: 'd',
  disk_name: 'ledger',
  size: '10Gi',
  stored_mb: 512,
  status: 'ready',
  status_message: null,
  status_since: madeAt,
  progress: null,
  snapshot_type: 'full',
  parent_id: null,
  consistency: 'crash',
  scheduled: null,
  retention_days: 30,
  expires_at: keptUntil,
  created_at: madeAt,
  ...more,
})

const group = (name: string) => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status_message: null,
  status_since: madeAt,
  template_id: 'starter',
  template_name: 'Starter Linux',
  ssh_key_id: 'k',
  ssh_key_name: 'Laptop',
  snapshot_id: null,
  persistent: true,
  disks: [],
  cpu: 1,
  memory_mb: 512,
  root_disk_gb: null,
  roll_out: { revision: 1, state: 'none' as const, message: null, renewed_vms: 2, total_vms: 2 },
  created_at: madeAt,
})

/** A VM pool as the server sends it. */
export const makeVmPool = (name: string, more: Partial<VmPool> = {}): VmPool => ({
  ...group(name),
  status: 'active',
  current_size: 1,
  desired_size: 1,
  min_size: 1,
  max_size: 3,
  auto_scaling: true,
  ...more,
})

/** A VM set as the server sends it. */
export const makeVmSet = (name: string, more: Partial<VmSet> = {}): VmSet => ({
  ...group(name),
  status: 'active',
  replicas: 2,
  vm_stats: { total_vms: 2, running_vms: 2 },
  ...more,
})
