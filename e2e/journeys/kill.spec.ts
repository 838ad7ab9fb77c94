import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type APIRequestContext, expect, test } from '@playwright/test'
import {
  accountApi,
  type CallInput,
  type CallOutput,
  type Endpoint,
  fillPath,
  projectApi,
  sshKeyApi,
  type Vm,
  vmApi,
} from '@slipway/contract'
import type { Server } from '../server.ts'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from './real.ts'

const rounds = 20
const settled = ['running', 'stopped', 'failed', 'error']

test.setTimeout(600_000)

let dataDir: string
let server: Server

test.beforeAll(async () => {
  dataDir = await newDataDir()
  server = await startRealServer(dataDir)
})

test.afterAll(async () => {
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

/** Calls the API; null when the server was killed under the call or refused it. */
function caller(request: APIRequestContext) {
  return async <E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<CallOutput<E> | null> => {
    const { params, body } = input as { params?: Record<string, string>; body?: unknown }
    try {
      const answer = await request.fetch(server.url + fillPath(endpoint.path, params), {
        method: endpoint.method,
        ...(body !== undefined && { data: body }),
      })
      // The server has put the answer through this endpoint's schema.
      return answer.ok() ? ((endpoint.response ? await answer.json() : undefined) as CallOutput<E>) : null
    } catch {
      return null
    }
  }
}

test('a server killed at twenty random moments loses no VM, orphans no guest and lies about no state', async ({
  request,
}) => {
  const call = caller(request)
  const email = 'kill@example.com'
  const password = 'Analytical-Engine-1843'
  await call(accountApi.signUp, { body: { name: 'Kill', email, password } })
  const link = await server.mailedLink(email, 'verify-email')
  await call(accountApi.verifyEmail, { body: { token: link.split('token=')[1] ?? '' } })
  await call(accountApi.signIn, { body: { email, password } })
  const project = await call(projectApi.create, { body: { name: 'kill' } })
  const { publicKey } = await newKeyPair(dataDir)
  const key = await call(sshKeyApi.create, { body: { key_name: 'kill', ssh_public_key: publicKey } })
  const params = { projectId: project?.id ?? '' }
  const body = { template_id: 'starter', ssh_key_id: key?.id ?? '' }
  const list = async (): Promise<Vm[]> => (await call(vmApi.list, { params })) ?? []

  /** What was acknowledged: exactly these VMs must be there in the end. */
  const acknowledged = new Set<string>()
  const maybe = new Set<string>()

  async function act(round: number): Promise<void> {
    const vms = await list()
    const vm = vms[round % Math.max(1, vms.length)]
    const one = { params: { ...params, vmId: vm?.id ?? '' } }
    if (!vm || vms.length < 2 || round % 5 === 0) {
      const made = await call(vmApi.create, {
        params,
        body: { ...body, name: `round-${round}`, persistent: round % 2 === 0 },
      })
      if (made) acknowledged.add(made.id)
    } else if (round % 7 === 3 || vms.length > 4) {
      maybe.add(vm.id)
      await call(vmApi.delete, one)
    } else if (vm.status === 'running') {
      await call(round % 2 === 0 ? vmApi.stop : vmApi.restart, one as never)
    } else {
      await call(vmApi.start, one)
    }
  }

  for (let round = 0; round < rounds; round++) {
    const acting = act(round)
    // Sometimes in the middle of the call, sometimes while the guest is half way.
    await sleep(Math.random() < 0.5 ? Math.random() * 80 : Math.random() * 2_500)
    await server.kill()
    await acting
    server = await startRealServer(dataDir)
  }

  await expect
    .poll(async () => (await list()).filter((vm) => !settled.includes(vm.status)).map((vm) => vm.status), {
      timeout: 300_000,
      intervals: [1_000],
    })
    .toEqual([])
  const vms = await list()
  for (const id of acknowledged) if (!maybe.has(id)) expect(vms.map((vm) => vm.id)).toContain(id)
  for (const vm of vms) expect(['failed', 'error'].includes(vm.status) && !vm.status_message).toBe(false)
  const ids = vms.map((vm) => vm.id).sort()
  const running = vms
    .filter((vm) => vm.status === 'running')
    .map((vm) => vm.id)
    .sort()
  await expect
    .poll(async () => (await guestsOf(dataDir)).map((guest) => guest.machineId).sort(), { timeout: 60_000 })
    .toEqual(running)
  await expect
    .poll(async () => (await readdir(`${dataDir}/machines`)).filter((id) => !ids.includes(id)), {
      timeout: 60_000,
    })
    .toEqual([])

  for (const vm of vms) await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
  await expect.poll(() => guestsOf(dataDir), { timeout: 60_000 }).toEqual([])
  await expect.poll(() => readdir(`${dataDir}/machines`), { timeout: 60_000 }).toEqual([])
})
