// @module-tag both-databases
/** A server that stands by while another drives: it answers all requests, and what others change and do shows there too. */
import { randomUUID } from 'node:crypto'
import {
  accountApi,
  diskApi,
  healthApi,
  networkApi,
  operationApi,
  projectApi,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { TestAppOptions } from './app.test-kit.ts'
import { deskWith } from './desk.test-kit.ts'
import type { VolumeSpec, Work } from './engine/engine.ts'

/** A desk at the server that drives, and the same user at one that stands by. */
async function openBoth(options?: TestAppOptions) {
  const desk = await deskWith(options)
  const beside = await desk.app.serverBeside()
  const ada = beside.client(desk.ada.cookie)
  const body = { name: 'web', template_id: 'starter', ssh_key_id: desk.keyId }
  /** A VM that is asked for where the server stands by. */
  const create = async () => (await ada.call(vmApi.create, { params: desk.params, body })).body.id
  return { desk, beside, ada, create }
}

describe('a server that stands by', () => {
  it('has what it is asked for done, and sees it done', async () => {
    const { desk, beside, ada, create } = await openBoth()
    const told: [string, unknown][] = []
    beside.subscribe(desk.params.projectId, (name, data) => told.push([name, data]))
    const at = { params: { ...desk.params, vmId: await create() } }
    await desk.pass()
    expect((await ada.call(vmApi.get, at)).body.status).toBe('running')
    const statuses = () =>
      told.filter(([name]) => name === 'vm').map(([, data]) => (data as { status: string }).status)
    expect(statuses()).toEqual(expect.arrayContaining(['pending', 'running']))
    expect((await ada.call(vmApi.stop, { ...at, body: { force: true } })).status).toBe(202)
    await desk.pass()
    expect(statuses().at(-1)).toBe('stopped')
  })

  it('has done what it asked for while the one that drives could not hear it', async () => {
    const { desk, create } = await openBoth()
    let vmId = ''
    await desk.app.quietly(async () => {
      vmId = await create()
    })
    await desk.pass()
    expect(await desk.vm(vmId)).toMatchObject({ status: 'running' })
  })

  it('has the engine told of networks by the one that drives, which hears of each change', async () => {
    const { desk, ada, create } = await openBoth()
    const { putNetwork } = desk.app.engine
    const puts: unknown[] = []
    desk.app.engine.putNetwork = (projectId, spec) => {
      puts.push({ internet: spec.internet, names: Object.keys(spec.names).length })
      return putNetwork(projectId, spec)
    }
    await ada.call(networkApi.update, { params: desk.params, body: { internet: false } })
    await desk.pass(900)
    expect(puts.at(-1)).toEqual({ internet: false, names: 0 })
    const vmId = await create()
    await desk.pass(900)
    expect(puts.at(-1)).toEqual({ internet: false, names: 2 })
    await desk.pass()
    await ada.call(vmApi.delete, { params: { ...desk.params, vmId } })
    await desk.pass(900)
    expect(puts).toHaveLength(3)
    expect(puts.at(-1)).toEqual({ internet: false, names: 0 })
  })

  it('writes nothing that only the one that drives may write', async () => {
    const { desk, ada } = await openBoth()
    await desk.runningVm('web')
    await desk.pass(10 * 60_000)
    const { body } = await ada.raw('GET', `/api/projects/${desk.params.projectId}/usage?range=day`)
    const at = (body as { samples: { at: string }[] }).samples.map((sample) => sample.at)
    expect(at.length).toBeGreaterThan(0)
    expect(new Set(at).size).toBe(at.length)
    const rows = await desk.app.db.selectFrom('usage_sample').selectAll().execute()
    expect(new Set(rows.map((row) => `${row.owner_id} ${row.at}`)).size).toBe(rows.length)
  })

  it('shows how far the long work of the other is, and ends it', async () => {
    const { desk, ada } = await openBoth()
    const { engine } = desk.app
    const { createVolume } = engine
    engine.createVolume = (spec: VolumeSpec, work: Work) =>
      spec.source.from !== 'url'
        ? createVolume(spec, work)
        : new Promise<never>((_, reject) => {
            work.onProgress(0.25)
            work.signal.addEventListener('abort', () => reject(new Error('ended')))
          })
    const body = { name: 'd', size: '1Gi', source: 'HTTP', image_url: 'https://a.test/a.img' }
    const { body: disk } = await ada.call(diskApi.create, { params: desk.params, body })
    await desk.pass(2_000)
    const list = async () => (await ada.call(operationApi.list, { params: desk.params })).body
    expect(await list()).toMatchObject([{ id: disk.id, state: 'running', progress: 0.25 }])
    const late = (await desk.app.serverBeside()).client(desk.ada.cookie)
    expect((await late.call(operationApi.list, { params: desk.params })).body).toEqual(await list())
    const shown = async () => (await ada.call(diskApi.list, { params: desk.params })).body[0]
    expect(await shown()).toMatchObject({ status: 'creating', progress: 0.25 })
    const cancelled = { params: { ...desk.params, operationId: disk.id } }
    expect((await ada.call(operationApi.cancel, cancelled)).status).toBe(204)
    await desk.pass()
    expect(await list()).toEqual([])
    expect(await shown()).toMatchObject({ status: 'failed' })
  })

  it('answers when the guest has let go of a disk', async () => {
    const { desk, ada } = await openBoth()
    const vmId = await desk.runningVm('web')
    const diskId = await desk.readyDisk()
    expect((await desk.attach(diskId, vmId)).status).toBe(200)
    await desk.pass()
    const answer = ada.call(diskApi.detach, { params: { ...desk.params, diskId } })
    await desk.pass(3_000)
    expect(await answer).toMatchObject({ status: 200, body: { vm_id: null } })
  })

  it('restores snapshots, deletes them and what is left of projects', async () => {
    const { desk, ada } = await openBoth()
    const vmId = await desk.stoppedVm('web')
    const snapshotId = await desk.readyVmSnapshot(vmId)
    const at = { params: { ...desk.params, snapshotId } }
    const restored = await ada.call(vmSnapshotApi.restore, { ...at, body: { vm_id: vmId } })
    expect(restored.status).toBeLessThan(300)
    await desk.pass()
    expect(await desk.vm(vmId)).toMatchObject({ status: 'stopped' })
    expect((await ada.call(vmApi.delete, { params: { ...desk.params, vmId } })).status).toBe(204)
    await desk.pass()
    await desk.readyDisk()
    expect((await ada.raw('DELETE', `/api/projects/${desk.params.projectId}?for_good=true`)).status).toBe(204)
    await desk.pass()
    expect(await desk.namesIn('disk')).toEqual([])
    expect(await desk.namesIn('vm_snapshot')).toEqual([])
  })

  it('counts sign-ins that failed at the other', async () => {
    const { desk, beside } = await openBoth()
    const guess = (at: 'here' | 'there', email: string, password: string) => {
      const client = at === 'here' ? desk.app.client() : beside.client()
      return client.call(accountApi.signIn, { body: { email, password } })
    }
    const { email, password } = desk.ada
    const answers: number[] = []
    for (let i = 0; i < 12; i++)
      answers.push((await guess(i % 2 === 0 ? 'here' : 'there', email, `Wrong-horse-${i}`)).status)
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
    expect((await guess('there', email, password)).status).toBe(429)
  })

  it('creates one object for a key that both were sent at once', async () => {
    const { desk, beside } = await openBoth()
    const send = (client: { raw: typeof desk.ada.raw }, key: string) =>
      client.raw('POST', '/api/projects', { name: 'twice' }, { 'idempotency-key': key })
    const there = beside.client(desk.ada.cookie)
    for (let i = 0; i < 10; i++) {
      const key = randomUUID()
      const [one, other] = await Promise.all([send(desk.ada, key), send(there, key)])
      expect([one.status, other.status]).toEqual([201, 201])
      expect(other.body).toEqual(one.body)
    }
    expect((await desk.ada.call(projectApi.list)).body).toHaveLength(11)
  })

  it('says which server drives', async () => {
    const { desk, beside } = await openBoth({ admins: ['person-1@slipway.test'] })
    const health = async (client: { call: typeof desk.ada.call }) => (await client.call(healthApi.get)).body
    expect(await health(desk.ada)).toMatchObject({ driver: { is_this_server: true } })
    expect((await health(desk.ada)).reconcilers).not.toEqual([])
    expect(await health(beside.client(desk.ada.cookie))).toMatchObject({
      driver: { is_this_server: false },
      reconcilers: [],
    })
  })
})
