/**
 * SSH by name against SSH straight to the guest: the same guest, the same files, in turns, so that both see the same
 * load. Directly OpenSSH chooses the ciphers; through the gateway it does on the one side and the gateway on the other.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hostApi, projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { clear, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { newPerson } from './person.ts'
import { quantile, report, timed } from './report.ts'

const run = promisify(execFile)

const logins = 10
const copies = 5
const megabytes = 20

export async function benchGateway(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  try {
    const person = await newPerson(server)
    const { file: key, publicKey } = await newKeyPair(dataDir)
    const stored = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: publicKey },
    })
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId: project.id }
    const body = { name: 'guest', template_id: 'starter', ssh_key_id: stored.id }
    let vm = await person.call(vmApi.create, { params, body })
    while (vm.status !== 'running') {
      if (vm.status === 'failed') throw new Error(vm.status_message ?? 'failed')
      await sleep(100)
      vm = await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })
    }
    const gateway = (await person.call(hostApi.get, {})).ssh_gateway
    if (!gateway) throw new Error('SSH by name is switched off')

    const options = [
      ...['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'BatchMode=yes'],
      ...[`IdentityFile=${key}`, 'IdentitiesOnly=yes'],
    ].flatMap((option) => ['-o', option])
    const ways = {
      direct: { host: `root@${vm.ip_address}`, options: [...options, '-o', `Port=${vm.ssh_port}`] },
      gateway: { host: 'guest.bench@127.0.0.1', options: [...options, '-o', `Port=${gateway.port}`] },
    }
    const file = join(dataDir, 'bytes')
    await writeFile(file, randomBytes(megabytes * 1e6))

    /** Both ways in turns; the first turn warms up and is not counted. Milliseconds of each. */
    async function both(times: number, work: (way: (typeof ways)['direct']) => Promise<unknown>) {
      const direct: number[] = []
      const byName: number[] = []
      for (let i = 0; i <= times; i++) {
        const [one = Number.NaN] = await timed(1, () => work(ways.direct))
        const [other = Number.NaN] = await timed(1, () => work(ways.gateway))
        if (i === 0) continue
        direct.push(one)
        byName.push(other)
      }
      const ratio = quantile(byName, 0.5) / quantile(direct, 0.5)
      return { direct: quantile(direct, 0.5), byName: quantile(byName, 0.5), ratio }
    }
    const login = await both(logins, ({ host, options }) => run('ssh', [...options, host, 'true']))
    const put = await both(copies, ({ host, options }) =>
      run('scp', ['-q', ...options, file, `${host}:/root/bytes`]),
    )
    const get = await both(copies, ({ host, options }) =>
      run('scp', ['-q', ...options, `${host}:/root/bytes`, join(dataDir, 'back')]),
    )
    const figures = (what: string, { direct, byName, ratio }: typeof login, goal: number) => [
      { what: `${what}, direct, median`, value: direct, unit: 'ms', goal: null },
      { what: `${what}, by name, median`, value: byName, unit: 'ms', goal: null },
      { what: `${what}, by name to direct`, value: ratio, unit: 'x', goal },
    ]
    return report(`SSH by name, ${server.output().match(/TCG|KVM/)?.[0] ?? ''}`, [
      ...figures('login', login, 1.5),
      ...figures(`scp of ${megabytes} MB in`, put, 2),
      ...figures(`scp of ${megabytes} MB out`, get, 2),
    ])
  } finally {
    await server.stop()
    await clear(dataDir)
  }
}
