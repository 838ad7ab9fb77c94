import { messages, type Parsed, type VmSet, type vmSetApi, vmSetTexts } from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import { isoTime } from '../lib/clock.ts'
import { rolledOut } from '../vm-group/roll-out.service.ts'
import { makeVmGroupService, type Sizes, type VmGroupServiceOptions } from '../vm-group/vm-group.service.ts'

type Api = typeof vmSetApi

export type VmSetService = ReturnType<typeof makeVmSetService>

export interface VmSetServiceOptions
  extends Omit<VmGroupServiceOptions<VmSet>, 'kind' | 'texts' | 'toWire' | 'changed'> {
  changed: Changed
}

/** A set is a group that has but one size. */
const sizesOf = (replicas: number): Sizes => ({
  min: replicas,
  desired: replicas,
  max: replicas,
  autoScaling: false,
})

export function makeVmSetService({ changed, ...options }: VmSetServiceOptions) {
  const groups = makeVmGroupService<VmSet>({
    ...options,
    kind: 'set',
    texts: { ...vmSetTexts, notFound: messages.vmSetNotFound },
    changed: (projectId, id) => changed('vm_set', projectId, id),
    toWire: ({ facts, ...set }, counts) => ({
      id: set.id,
      project_id: set.projectId,
      name: set.name,
      description: set.description,
      status: set.status === 'coming' ? 'creating' : set.status,
      status_message: set.statusMessage,
      status_since: isoTime(set.statusSince),
      template_id: set.templateId,
      template_name: set.templateName,
      snapshot_id: set.copyOf,
      ssh_key_id: set.sshKeyId,
      ssh_key_name: set.sshKeyName,
      replicas: facts.desired,
      vm_stats: { total_vms: counts.total, running_vms: counts.running },
      persistent: facts.persistent,
      disks: set.disks,
      ...rolledOut(set, facts, counts),
      created_at: set.createdAt,
    }),
  })

  return {
    ...groups,

    create: (userId: string, projectId: string, input: Parsed<Api['create']>['body']): Promise<VmSet> =>
      groups.create(userId, projectId, input, sizesOf(input.replicas)),

    update: (
      user: { id: string; name: string },
      projectId: string,
      setId: string,
      input: Parsed<Api['update']>['body'],
    ): Promise<VmSet> => groups.resize(user, projectId, setId, () => sizesOf(input.replicas)),
  }
}
