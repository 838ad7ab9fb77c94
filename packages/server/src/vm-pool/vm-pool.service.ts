import {
  messages,
  type Parsed,
  poolSizesAllowed,
  type ScalingPolicy,
  type VmPool,
  type vmPoolApi,
  vmPoolTexts,
} from '@slipway/contract'
import type { Changed } from '../event/event.bus.ts'
import { isoTime } from '../lib/clock.ts'
import { refuse } from '../lib/problem.ts'
import { rolledOut } from '../vm-group/roll-out.service.ts'
import { makeVmGroupService, type Sizes, type VmGroupServiceOptions } from '../vm-group/vm-group.service.ts'

type Api = typeof vmPoolApi

export type VmPoolService = ReturnType<typeof makeVmPoolService>

export interface VmPoolServiceOptions
  extends Omit<VmGroupServiceOptions<VmPool>, 'kind' | 'texts' | 'toWire' | 'changed'> {
  changed: Changed
  policy: ScalingPolicy
}

export function makeVmPoolService({ changed, policy, ...options }: VmPoolServiceOptions) {
  const groups = makeVmGroupService<VmPool>({
    ...options,
    kind: 'pool',
    texts: { ...vmPoolTexts, notFound: messages.vmPoolNotFound },
    changed: (projectId, id) => changed('vm_pool', projectId, id),
    toWire: ({ facts, ...pool }, counts) => ({
      id: pool.id,
      project_id: pool.projectId,
      name: pool.name,
      description: pool.description,
      status: pool.status === 'coming' ? 'scaling' : pool.status,
      status_message: pool.statusMessage,
      status_since: isoTime(pool.statusSince),
      template_id: pool.templateId,
      template_name: pool.templateName,
      snapshot_id: pool.copyOf,
      ssh_key_id: pool.sshKeyId,
      ssh_key_name: pool.sshKeyName,
      current_size: counts.existing,
      desired_size: facts.desired,
      min_size: pool.minSize,
      max_size: pool.maxSize,
      auto_scaling: pool.autoScaling,
      persistent: facts.persistent,
      disks: pool.disks,
      ...rolledOut(pool, facts, counts),
      created_at: pool.createdAt,
    }),
  })

  function allowed(sizes: Sizes): Sizes {
    const verdict = poolSizesAllowed({
      min_size: sizes.min,
      desired_size: sizes.desired,
      max_size: sizes.max,
    })
    if (verdict !== true)
      throw refuse(verdict === vmPoolTexts.desiredOutside ? 'desired_size' : 'max_size', verdict)
    return sizes
  }

  return {
    ...groups,

    create: (userId: string, projectId: string, input: Parsed<Api['create']>['body']): Promise<VmPool> =>
      groups.create(userId, projectId, input, {
        min: input.min_size,
        desired: input.desired_size,
        max: input.max_size,
        autoScaling: input.auto_scaling,
      }),

    update: (
      user: { id: string; name: string },
      projectId: string,
      poolId: string,
      input: Parsed<Api['update']>['body'],
    ): Promise<VmPool> =>
      groups.resize(user, projectId, poolId, (now) =>
        allowed({
          min: input.min_size ?? now.min,
          desired: input.desired_size ?? now.desired,
          max: input.max_size ?? now.max,
          autoScaling: input.auto_scaling ?? now.autoScaling,
        }),
      ),

    async history(projectId: string, poolId: string) {
      const history = await groups.history(projectId, poolId)
      return { ...history, policy, verdict: options.load.verdict(poolId) }
    },
  }
}
