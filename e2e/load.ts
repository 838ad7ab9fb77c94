import { type APIRequestContext, type APIResponse, expect } from '@playwright/test'
import { type Endpoint, fillPath, projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { callWith, join, newPerson, templateId } from './fixtures.ts'
import { makeLedger } from './journeys/ledger.ts'
import { newPublicKey } from './person.ts'
import type { Server } from './server.ts'

/** Who works: signed in on `request`, with a project and a key. */
export interface Worker {
  request: APIRequestContext
  projectId: string
  sshKeyId: string
}

/** Signs somebody up at a server. */
export async function newWorker(request: APIRequestContext, server: Server): Promise<Worker> {
  const call = callWith(request)
  await join(call, server, newPerson())
  const project = await call(projectApi.create, { body: { name: 'Engines' } })
  const key = await call(sshKeyApi.create, {
    body: { key_name: 'Laptop', ssh_public_key: newPublicKey() },
  })
  return { request, projectId: project.id, sshKeyId: key.id }
}

/** Somebody who creates, lists, stops and deletes VMs again and again, and knows what was acknowledged. */
export interface Load {
  /** How many calls were answered with success, and how many with 503. */
  done: () => number
  refused: () => number
  /** Answers that are neither, and 503s without a sentence; one line each. */
  wrong: () => readonly string[]
  /** Ends when the call that is under way has its answer. */
  stop: () => Promise<void>
  /** Waits until every VM has come to rest, and compares them with what was acknowledged. */
  expectKept: () => Promise<void>
}

/** A busy host has many VMs to bring up. */
const patience = { timeout: 30_000 }

/** Between two calls of one worker. */
const breathMs = 50

export function startLoad({ request, projectId, sshKeyId }: Worker): Load {
  const ledger = makeLedger()
  const stopped = new Set<string>()
  /** Asked to stop, and nobody knows whether it is. */
  const unknown = new Set<string>()
  const wrong: string[] = []
  const counts = { done: 0, refused: 0 }
  let isOver = false

  /** The answer when it is a success, else null. */
  async function ask(endpoint: Endpoint, params: Record<string, string>, data?: object) {
    await new Promise((resolve) => setTimeout(resolve, breathMs))
    const answer: APIResponse | Error = await request
      .fetch(fillPath(endpoint.path, params), { method: endpoint.method, ...(data && { data }) })
      .catch((error: Error) => error)
    if (answer instanceof Error) {
      wrong.push(`${endpoint.id}: ${answer.message}`)
      return null
    }
    if (answer.ok()) {
      counts.done++
      return answer
    }
    const text = await answer.text()
    if (answer.status() === 503 && /"message":"[A-Z].+\."/.test(text)) counts.refused++
    else wrong.push(`${endpoint.id} answered ${answer.status()}: ${text}`)
    return null
  }

  /** Null when that was refused. */
  const list = async () => (await (await ask(vmApi.list, { projectId }))?.json()) as Vm[] | null | undefined

  async function work(): Promise<void> {
    for (let round = 0; !isOver; round++) {
      const body = { name: `vm-${round}`, template_id: templateId, ssh_key_id: sshKeyId }
      const made = (await (await ask(vmApi.create, { projectId }, body))?.json()) as Vm | undefined
      if (made) ledger.created(made.id)
      const known = await list()
      const up = known?.find(({ id, status }) => status === 'running' && !stopped.has(id) && !unknown.has(id))
      if (up) {
        const answer = await ask(vmApi.stop, { projectId, vmId: up.id }, { force: true })
        const told = answer ? stopped : unknown
        told.add(up.id)
      }
      // One of three is deleted, so that the project does not fill.
      const off = known?.find(({ id, status }) => status === 'stopped' && stopped.has(id))
      if (off && round % 3 === 0)
        await ledger.deletes(off.id, () => ask(vmApi.delete, { projectId, vmId: off.id }))
    }
  }

  const working = work()
  return {
    done: () => counts.done,
    refused: () => counts.refused,
    wrong: () => wrong,
    async stop() {
      isOver = true
      await working
    },
    async expectKept() {
      let last: Vm[] = []
      await expect
        .poll(async () => {
          last = (await list()) ?? []
          return last.filter(({ status }) => status !== 'running' && status !== 'stopped')
        }, patience)
        .toEqual([])
      expect(ledger.brokenBy(last.map(({ id }) => id))).toEqual([])
      const woken = last.filter(({ id, status }) => stopped.has(id) && status !== 'stopped')
      expect(woken, 'was stopped and runs').toEqual([])
      const asleep = last.filter(
        ({ id, status }) => status === 'stopped' && !stopped.has(id) && !unknown.has(id),
      )
      expect(asleep, 'is off though nobody stopped it').toEqual([])
    },
  }
}
