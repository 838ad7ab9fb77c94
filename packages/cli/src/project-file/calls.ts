/** The calls that the steps of a plan make, and who may make them. */
import { type ProjectEndpointId, type ProjectRole, roleMay } from '@slipway/contract/access.rules.ts'
import type { Part } from './entries.ts'
import type { SchedulePart } from './schedules.ts'

/** What steps create, change and delete. */
export type Thing = 'project' | Part | SchedulePart

/** Of a part: its calls, and what its id is called in their paths. Null: no step does that. */
export const calls = {
  project: { create: null, change: 'network.update', delete: null, id: null },
  disks: { create: 'disk.create', change: null, delete: 'disk.delete', id: 'diskId' },
  vms: { create: 'vm.create', change: 'vm.update', delete: 'vm.delete', id: 'vmId' },
  disk_schedules: {
    create: 'diskSnapshotSchedule.set',
    change: 'diskSnapshotSchedule.set',
    delete: 'diskSnapshotSchedule.delete',
    id: 'diskId',
  },
  vm_schedules: {
    create: 'vmSnapshotSchedule.set',
    change: 'vmSnapshotSchedule.set',
    delete: 'vmSnapshotSchedule.delete',
    id: 'vmId',
  },
  pools: { create: 'vmPool.create', change: 'vmPool.update', delete: 'vmPool.delete', id: 'poolId' },
  sets: { create: 'vmSet.create', change: 'vmSet.update', delete: 'vmSet.delete', id: 'setId' },
  webhooks: { create: 'webhook.create', change: 'webhook.update', delete: 'webhook.delete', id: 'webhookId' },
} as const satisfies Record<
  Thing,
  Record<'create' | 'change' | 'delete', ProjectEndpointId | null> & { id: string | null }
>

/** What the steps of a part are about, at the beginning of a problem. All that changes of a project is its network. */
export const subjects: Record<Thing, string> = {
  project: 'Internet access',
  disks: 'Disks',
  vms: 'VMs',
  disk_schedules: 'Snapshot schedules',
  vm_schedules: 'Snapshot schedules',
  pools: 'Pools',
  sets: 'Sets',
  webhooks: 'Webhooks',
}

type Taken = { do: 'create' | 'change' | 'delete'; what: Thing } | { do: 'attach' | 'detach'; what?: never }

/**
 * Why somebody of this role cannot take the steps of a plan, a sentence for each part. Who does not see webhooks is told
 * why instead.
 */
export function refusalsOf(
  role: ProjectRole,
  webhooksHidden: string | null,
  steps: readonly Taken[],
): string[] {
  const verdictOf = (step: Taken) => {
    if (step.what === 'webhooks' && webhooksHidden !== null) return webhooksHidden
    const call = step.what ? calls[step.what][step.do] : (`disk.${step.do}` as const)
    return call === null || roleMay(role, call)
  }
  const problems = steps.flatMap((step) => {
    const verdict = verdictOf(step)
    return verdict === true ? [] : [`${subjects[step.what ?? 'disks']}: ${verdict}`]
  })
  return [...new Set(problems)]
}
