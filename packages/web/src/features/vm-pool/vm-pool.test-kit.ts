import { type VmPool, type VmPoolCreate, vmPoolApi } from '@slipway/contract'
import { expect } from 'vitest'
import { call } from '../../screen/screen.test-kit.ts'

/** Creates a pool and waits until it has as many VMs as it wants. */
export async function makePool(projectId: string, body: VmPoolCreate): Promise<VmPool> {
  const { id } = await call(vmPoolApi.create, { params: { projectId }, body })
  let pool: VmPool | undefined
  await expect
    .poll(async () => {
      pool = await call(vmPoolApi.get, { params: { projectId, poolId: id } })
      return pool.status
    })
    .toBe('active')
  if (!pool) throw new Error(`The pool ${body.name} is gone`)
  return pool
}
