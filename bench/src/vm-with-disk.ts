import { setTimeout as sleep } from 'node:timers/promises'
import { diskApi, projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { newKeyPair } from '@slipway/e2e/real'
import type { Server } from '@slipway/e2e/server'
import { prepare } from './create-to-ssh.ts'
import { newPerson } from './person.ts'

/**
 * A running VM of a new person with a blank data disk of 1 Gi on it.
 *
 * @param home where the key is kept that signs in to it
 * @returns `device`: what a shell in the guest makes the name of the disk of, such as `vdb`; nothing before the disk is there
 */
export async function startVmWithDisk(server: Server, home: string) {
  const person = await newPerson(server)
  const { file: key, publicKey } = await newKeyPair(home)
  const { id: ssh_key_id } = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: publicKey },
  })
  const { id: projectId } = await person.call(projectApi.create, { body: { name: 'bench' } })
  const params = { projectId }
  await prepare(person, 'starter')
  const { id: diskId } = await person.call(diskApi.create, {
    params,
    body: { name: 'data', size: '1Gi', source: 'EMPTY' as const },
  })
  let vm: Vm = await person.call(vmApi.create, {
    params,
    body: { name: 'bench', template_id: 'starter', ssh_key_id },
  })
  while (vm.status !== 'running') {
    if (vm.status === 'failed') throw new Error(vm.status_message ?? 'failed')
    await sleep(100)
    vm = await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })
  }
  await person.call(diskApi.attach, { params: { ...params, diskId }, body: { vm_id: vm.id } })
  const device = `$(grep -lsx ${diskId.slice(0, 20)} /sys/block/vd*/serial | cut -d/ -f4)`
  return { person, params, vm, diskId, key, device }
}
