import { type VmPool, type VmPoolCreate, vmPoolApi } from '@slipway/contract'
import { call, settled } from '../../screen/screen.test-kit.ts'

/** Creates a pool and waits until it has as many VMs as it wants. */
export async function makePool(projectId: string, body: VmPoolCreate): Promise<VmPool> {
  const { id } = await call(vmPoolApi.create, { params: { projectId }, body })
  return settled('active', () => call(vmPoolApi.get, { params: { projectId, poolId: id } }))
}
