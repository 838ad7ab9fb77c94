import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { Id, Time } from './text.ts'

export const DiskStatus = z.enum(['creating', 'available', 'attached', 'deleting', 'failed', 'error'])
export type DiskStatus = z.infer<typeof DiskStatus>

export const Disk = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  status: DiskStatus,
  status_message: z.string().nullable(),
  /** In whole Gi, with the unit: `10Gi`. */
  size: z.string(),
  size_gb: z.int(),
  disk_type: z.literal('standard'),
  source: z.enum(['blank', 'image', 'snapshot']),
  image_url: z.string().nullable(),
  vm_id: Id.nullable(),
  vm_name: z.string().nullable(),
  created_at: Time,
})
export type Disk = z.infer<typeof Disk>

export const diskApi = {
  list: endpoint('disk.list', {
    summary: 'The data disks of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: z.object({
      status: z.string().optional(),
      source: z.string().optional(),
      vm_id: z.string().optional(),
    }),
    response: z.array(Disk),
    errors: { 404: [messages.projectNotFound] },
  }),
}
