import type { Vm } from '@slipway/contract'

/** Addresses of the console, written out here: a test that asked the console for them could not find them wrong. */

export const vmListPath = (projectId: string) => `/projects/${projectId}/vms`
export const vmPath = ({ project_id, id }: Pick<Vm, 'project_id' | 'id'>) => `${vmListPath(project_id)}/${id}`
