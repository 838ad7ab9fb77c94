import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect } from '@playwright/test'
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
import { newKeyPair, runShown } from './real.ts'

/** Somebody with a project and a key who talks to the API; the server may die under the call. */
export interface Owner {
  /** What every path of the project begins with. */
  params: { projectId: string }
  /** Null when the server was killed under the call or refused it. */
  call: <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E> | null>
  /** Throws when the call is refused. */
  must: <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<CallOutput<E>>
  list: () => Promise<Vm[]>
  /** The id of the key it uses. */
  keyId: string
  create: (name: string, more?: { persistent?: boolean }) => Promise<Vm | null>
  of: (vmId: string) => { params: { projectId: string; vmId: string } }
  /** The VM once its status does not pass by itself. */
  settled: (vmId: string) => Promise<Vm>
  /** Runs a command in a guest that is up, over SSH; what it printed. */
  inGuest: (vmId: string, command: string) => Promise<string>
}

/** `server` is asked anew at each call, because it is another one after a restart. */
export async function newOwner(request: APIRequestContext, server: () => Server): Promise<Owner> {
  const must: Owner['must'] = async (endpoint, input) => {
    const { params, body } = input as { params?: Record<string, string>; body?: unknown }
    const answer = await request.fetch(server().url + fillPath(endpoint.path, params), {
      method: endpoint.method,
      ...(body !== undefined && { data: body }),
    })
    if (!answer.ok()) throw new Error(`${endpoint.id} was refused: ${await answer.text()}`)
    // The server has put the answer through this endpoint's schema.
    return (endpoint.response ? await answer.json() : undefined) as CallOutput<typeof endpoint>
  }
  let refusal = 'nothing was refused'
  const call: Owner['call'] = (endpoint, input) =>
    must(endpoint, input).catch((error) => {
      refusal = String(error)
      return null
    })
  const email = `${randomUUID()}@example.com`
  const password = 'Analytical-Engine-1843'
  await call(accountApi.signUp, { body: { name: 'Ada', email, password } })
  const link = await server().mailedLink(email, 'verify-email')
  await call(accountApi.verifyEmail, { body: { token: link.split('token=')[1] ?? '' } })
  await call(accountApi.signIn, { body: { email, password } })
  const project = await call(projectApi.create, { body: { name: 'journey' } })
  const { file, publicKey } = await newKeyPair(server().dataDir)
  const key = await call(sshKeyApi.create, { body: { key_name: 'journey', ssh_public_key: publicKey } })
  const params = { projectId: project?.id ?? '' }
  const list = async () => (await call(vmApi.list, { params })) ?? []
  const settledWords = ['running', 'stopped', 'failed', 'error']
  return {
    params,
    call,
    must,
    list,
    keyId: key?.id ?? '',
    of: (vmId) => ({ params: { ...params, vmId } }),
    create: (name, more) =>
      call(vmApi.create, {
        params,
        body: { name, template_id: 'starter', ssh_key_id: key?.id ?? '', ...more },
      }),
    async settled(vmId) {
      if (!vmId) throw new Error(`There is no VM to wait for: ${refusal}`)
      let vm: Vm | null = null
      await expect
        .poll(
          async () => {
            vm = await call(vmApi.get, { params: { ...params, vmId } })
            return vm?.status
          },
          { intervals: [500], message: `the VM settles (last refusal: ${refusal})` },
        )
        .toMatch(new RegExp(settledWords.join('|')))
      if (!vm) throw new Error('the VM is gone')
      return vm
    },
    async inGuest(vmId, command) {
      const { ip_address, ssh_port } = await must(vmApi.get, { params: { ...params, vmId } })
      return runShown(`ssh -p ${ssh_port} root@${ip_address}`, file, command)
    },
  }
}
