import type { Disk, DiskSnapshot, Vm, VmPool, VmSet, VmSnapshot } from '@slipway/contract'

/** Addresses of the console, written out here: a test that asked the console for them could not find them wrong. */

export const vmListPath = (projectId: string) => `/projects/${projectId}/vms`
export const vmPath = ({ project_id, id }: Pick<Vm, 'project_id' | 'id'>) => `${vmListPath(project_id)}/${id}`
export const activityPath = (projectId: string) => `/projects/${projectId}/activity`
export const binPath = (projectId: string) => `/projects/${projectId}/bin`
export const membersPath = (projectId: string) => `/projects/${projectId}/members`
export const webhookListPath = (projectId: string) => `/projects/${projectId}/webhooks`
export const networkPath = (projectId: string) => `/projects/${projectId}/network`
export const consolePath = (vm: Pick<Vm, 'project_id' | 'id'>) => `${vmPath(vm)}/console`
export const diskListPath = (projectId: string) => `/projects/${projectId}/disks`
export const diskPath = ({ project_id, id }: Pick<Disk, 'project_id' | 'id'>) =>
  `${diskListPath(project_id)}/${id}`
export const diskCreatePath = (projectId: string) => `${diskListPath(projectId)}/create`
export const snapshotListPath = (projectId: string) => `/projects/${projectId}/snapshots`
export const snapshotPath = ({ project_id, id }: Pick<VmSnapshot, 'project_id' | 'id'>) =>
  `${snapshotListPath(project_id)}/${id}`
export const snapshotCreatePath = (projectId: string) => `${snapshotListPath(projectId)}/create`
export const diskSnapshotListPath = (projectId: string) => `/projects/${projectId}/disk-snapshots`
export const diskSnapshotPath = ({ project_id, id }: Pick<DiskSnapshot, 'project_id' | 'id'>) =>
  `${diskSnapshotListPath(project_id)}/${id}`
export const diskSnapshotCreatePath = (projectId: string) => `${diskSnapshotListPath(projectId)}/create`
export const vmPoolListPath = (projectId: string) => `/projects/${projectId}/vmpools`
export const vmPoolCreatePath = (projectId: string) => `${vmPoolListPath(projectId)}/create`
export const vmSetListPath = (projectId: string) => `/projects/${projectId}/vmsets`
export const vmSetCreatePath = (projectId: string) => `${vmSetListPath(projectId)}/create`
export const vmPoolPath = ({ project_id, id }: Pick<VmPool, 'project_id' | 'id'>) =>
  `${vmPoolListPath(project_id)}/${id}/vms`
export const vmSetPath = ({ project_id, id }: Pick<VmSet, 'project_id' | 'id'>) =>
  `${vmSetListPath(project_id)}/${id}/vms`
