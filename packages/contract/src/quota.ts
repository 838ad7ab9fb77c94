import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import type { quotaResources } from './quota.rules.ts'

/** Null: no limit. */
const QuotaLine = z.object({ used: z.number(), limit: z.number().nullable() }).meta({ id: 'QuotaLine' })

/** What VMs, disks, snapshots and shared ports take together, and how much they may. */
export const Quota = z
  .object({
    /** VMs, those included that pools and sets are to have by their desired sizes. */
    vms: QuotaLine,
    /** Processors and memory that VMs were given, running or not. */
    processors: QuotaLine,
    memory_mb: QuotaLine,
    /** Sizes of data disks, whatever is stored on them; of uploads, the files that are larger than their disks. */
    disk_bytes: QuotaLine,
    /** What snapshots of VMs and disks take. */
    snapshot_bytes: QuotaLine,
    /** Shared ports. */
    shares: QuotaLine,
    /**
     * Bytes in the bin that would count toward a quota outside it. Nothing is refused for this limit: what is the oldest in the bin of
     * an account leaves it instead. A project has none of its own.
     */
    bin_bytes: QuotaLine,
  } satisfies Record<(typeof quotaResources)[number], unknown>)
  .meta({ id: 'Quota' })

/** A request needs room in both. */
const ProjectQuota = z
  .object({
    project: Quota,
    /** All projects of the account that owns the project together. */
    account: Quota,
  })
  .meta({ id: 'ProjectQuota' })

export const quotaApi = {
  ofAccount: endpoint('quota.ofAccount', {
    summary: "What all projects of the user's account use, and the limits",
    auth: 'session',
    status: 200,
    response: Quota,
  }),
  ofProject: endpoint('quota.ofProject', {
    summary: 'What a project and all projects of its owner use, and the limits',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: ProjectQuota,
    errors: { 404: [messages.projectNotFound] },
  }),
}
