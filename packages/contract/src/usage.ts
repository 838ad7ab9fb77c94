import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import { Id, Time } from './text.ts'
import { VmParams } from './vm.ts'
import { VmPoolParams } from './vm-pool.ts'
import { VmSetParams } from './vm-set.ts'

/** What VMs used in one span of time. Null where nobody could tell, such as the network of a guest without an agent. */
export const UsageSample = z.object({
  /** The end of the span. */
  at: Time,
  /** How many of them ran. */
  running: z.int(),
  /** Mean use of their processors, from 0 to 100. */
  cpu: z.number().nullable(),
  /** Memory in use, together. */
  memory_mb: z.number().nullable(),
  /** Bytes in a second, together. */
  disk_read: z.number().nullable(),
  disk_write: z.number().nullable(),
  net_in: z.number().nullable(),
  net_out: z.number().nullable(),
})
export type UsageSample = z.infer<typeof UsageSample>

/** The span that is asked for: the last hour in steps of ten seconds, or the last day in steps of five minutes. */
export const UsageRange = z.object({ range: z.enum(['hour', 'day']).default('hour') })

/** Samples oldest first; a span in which nothing ran has none. */
export const Usage = z.object({
  every_s: z.number(),
  /** What the VMs that run now were given together. */
  cpu: z.int(),
  memory_mb: z.int(),
  samples: z.array(UsageSample),
})
export type Usage = z.infer<typeof Usage>

/** For a small drawing: CPU use in percent in half minutes of the last five, oldest first; the last one is now. */
export const VmUsage = z.object({ vm_id: Id, cpu: z.array(z.int().nullable()) })
export type VmUsage = z.infer<typeof VmUsage>

const of = (summary: string) => ({
  summary,
  auth: 'session' as const,
  status: 200 as const,
  query: UsageRange,
  response: Usage,
})

export const usageApi = {
  ofProject: endpoint('usage.ofProject', {
    ...of('What the VMs of a project use together'),
    params: ProjectParams,
    errors: { 404: [messages.projectNotFound] },
  }),
  ofVms: endpoint('usage.ofVms', {
    summary: 'How hard each running VM of a project works, now and in the last five minutes',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(VmUsage),
    errors: { 404: [messages.projectNotFound] },
  }),
  ofVm: endpoint('vm.usage', {
    ...of('What a VM uses'),
    params: VmParams,
    errors: { 404: [messages.projectNotFound, messages.vmNotFound] },
  }),
  ofVmPool: endpoint('vmPool.usage', {
    ...of('What the VMs of a pool use together'),
    params: VmPoolParams,
    errors: { 404: [messages.projectNotFound, messages.vmPoolNotFound] },
  }),
  ofVmSet: endpoint('vmSet.usage', {
    ...of('What the VMs of a set use together'),
    params: VmSetParams,
    errors: { 404: [messages.projectNotFound, messages.vmSetNotFound] },
  }),
}
