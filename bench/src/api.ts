/** The API with 1,000 VMs on the simulated engine: one client, one connection. */
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { newPerson } from './person.ts'
import { quantile, report, timed } from './report.ts'

const vms = 1_000
const restSeconds = 20
const ticksPerSecond = 100

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)]).toString('base64')} bench`
}

export async function benchApi(): Promise<boolean> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const person = await newPerson(server)
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const key = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: newPublicKey() },
    })
    const params = { projectId: project.id }
    let last = ''
    const posts = await timed(vms, async (i) => {
      const vm = await person.call(vmApi.create, {
        params,
        body: { name: `vm-${i}`, template_id: 'starter', ssh_key_id: key.id },
      })
      last = vm.id
    })
    for (;;) {
      const list = await person.call(vmApi.list, { params })
      if (list.every((vm) => vm.status === 'running')) break
      await sleep(500)
    }
    const list = await timed(60, () => person.get(`/api/projects/${project.id}/vms`))
    const one = await timed(500, () => person.get(`/api/projects/${project.id}/vms/${last}`))
    await sleep(2_000)
    const before = await cpuSeconds(server.pid)
    await sleep(restSeconds * 1_000)
    const rest = ((await cpuSeconds(server.pid)) - before) / restSeconds
    return report(`API with ${vms} VMs, simulated engine`, [
      { what: 'create one VM (POST), median', value: quantile(posts, 0.5), unit: 'ms', goal: 50 },
      { what: 'create one VM (POST), 99 %', value: quantile(posts, 0.99), unit: 'ms', goal: null },
      { what: 'full list, median', value: quantile(list, 0.5), unit: 'ms', goal: 30 },
      { what: 'full list, 99 %', value: quantile(list, 0.99), unit: 'ms', goal: null },
      { what: 'one VM, median', value: quantile(one, 0.5), unit: 'ms', goal: 1.4 },
      { what: 'one VM, 99 %', value: quantile(one, 0.99), unit: 'ms', goal: null },
      { what: 'memory of the server', value: await memoryMb(server.pid), unit: 'MB', goal: 150 },
      { what: 'CPU of the server at rest', value: rest * 100, unit: '%', goal: 1 },
    ])
  } finally {
    await server.stop()
  }
}
