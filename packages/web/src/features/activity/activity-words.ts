import type { ActivityKind, ActivityObject } from '@slipway/contract'

export const kindWords: Record<ActivityKind, string> = {
  wish: 'Request',
  change: 'Change',
  failure: 'Failure',
  repair: 'Repair',
  access: 'Access',
}

export const objectWords: Record<ActivityObject, string> = {
  account: 'Account',
  project: 'Project',
  ssh_key: 'SSH key',
  api_token: 'API token',
  passkey: 'Passkey',
  template: 'Template',
  vm: 'VM',
  vm_pool: 'VM pool',
  vm_set: 'VM set',
  disk: 'Disk',
  vm_snapshot: 'Snapshot',
  disk_snapshot: 'Disk snapshot',
  share: 'Shared port',
  batch: 'Batch',
  webhook: 'Webhook',
}
