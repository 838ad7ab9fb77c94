import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Project, projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import type { Person } from './person.ts'
import { timed } from './report.ts'

export function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)]).toString('base64')} bench`
}

export interface Fleet {
  project: Project
  vms: Vm[]
  /** Milliseconds of each POST. */
  posts: number[]
}

/** A new project with so many running VMs of a template. */
export async function newFleet(person: Person, size: number, templateId = 'starter'): Promise<Fleet> {
  const project = await person.call(projectApi.create, { body: { name: `bench ${size}` } })
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: newPublicKey() },
  })
  const params = { projectId: project.id }
  const posts = await timed(size, (i) =>
    person.call(vmApi.create, {
      params,
      body: { name: `vm-${i}`, template_id: templateId, ssh_key_id: key.id },
    }),
  )
  for (;;) {
    const vms = await person.call(vmApi.list, { params })
    if (vms.every((vm) => vm.status === 'running')) return { project, vms, posts }
    await sleep(500)
  }
}
