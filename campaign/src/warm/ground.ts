/** A server with real guests for what is tried many times over: one person, one project, one key. */
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Endpoint, projectApi, sshKeyApi, type Vm, type VmStatus, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { type CallParts, requestOf } from '../client.ts'
import { makePerson } from '../people.ts'

const run = promisify(execFile)
const PATIENCE_MS = 15 * 60_000
const LOOK_MS = 100

export async function openGround(stop: AbortSignal) {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir, { SLIPWAY_WARM: 'on', SLIPWAY_BIN_DAYS: '7' })
  const { client } = await makePerson(server, 1)
  const { file: keyFile, publicKey } = await newKeyPair(dataDir)

  /** Throws unless the call is answered with success. */
  async function call<T>(endpoint: Endpoint, parts: CallParts = {}): Promise<T> {
    const answer = await client.send(requestOf(endpoint, parts))
    if (answer?.status !== endpoint.status)
      throw new Error(`${endpoint.id} was answered with ${answer?.status}: ${answer?.text}`)
    // The endpoint was written down with what it answers with.
    return (answer.text === '' ? null : JSON.parse(answer.text)) as T
  }
  const idOf = async (endpoint: Endpoint, body: object) => (await call<{ id: string }>(endpoint, { body })).id
  const keyId = await idOf(sshKeyApi.create, { key_name: 'warm', ssh_public_key: publicKey })
  const projectId = await idOf(projectApi.create, { name: 'warm' })
  const at = (vmId: string) => ({ params: { projectId, vmId } })

  /** Looks until it is so; throws when it fails, takes too long, or nobody wants it any more. */
  async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
    const latest = performance.now() + PATIENCE_MS
    for (;;) {
      stop.throwIfAborted()
      const found = await look()
      if (found !== null) return found
      if (performance.now() > latest) throw new Error(`In ${PATIENCE_MS / 60_000} minutes: no ${what}`)
      await sleep(LOOK_MS)
    }
  }

  const ground = {
    dataDir,
    publicKey,
    projectId,
    at,
    call,
    until,
    vm: (vmId: string) => call<Vm>(vmApi.get, at(vmId)),
    untilVm: (vmId: string, status: VmStatus): Promise<Vm> =>
      until(async () => {
        const vm = await ground.vm(vmId)
        if (['failed', 'error'].includes(vm.status)) throw new Error(`${vm.name}: ${vm.status_message}`)
        return vm.status === status ? vm : null
      }, `VM that is ${status}`),
    create: (name: string): Promise<Vm> =>
      call<Vm>(vmApi.create, {
        params: { projectId },
        body: { name, template_id: 'starter', ssh_key_id: keyId },
      }),
    async ssh(vm: Pick<Vm, 'ip_address' | 'ssh_port'>, command: string): Promise<string> {
      const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
      const { stdout } = await run('ssh', [
        ...['-F', 'none', '-i', keyFile, '-p', `${vm.ssh_port}`, '-o', 'ConnectTimeout=60'],
        ...[...options, 'BatchMode=yes'].flatMap((option) => ['-o', option]),
        ...[`root@${vm.ip_address}`, command],
      ])
      return stdout.trim()
    },
    async delete(vmId: string): Promise<void> {
      await call(vmApi.delete, at(vmId))
      await until(
        async () => ((await guestsOf(dataDir)).some(({ machineId }) => machineId === vmId) ? null : vmId),
        'end of the guest',
      )
    },
    /** The directory of the guest that was frozen after a first VM. */
    frozen: () =>
      until(async () => {
        const names = await readdir(join(dataDir, 'warm')).catch(() => [])
        const key = names.find((name) => /^[0-9a-f]{64}$/.test(name))
        return key === undefined ? null : join(dataDir, 'warm', key)
      }, 'frozen guest'),
    async close(): Promise<void> {
      client.close()
      await server.stop()
      await clear(dataDir)
    },
  }
  return ground
}

export type Ground = Awaited<ReturnType<typeof openGround>>
