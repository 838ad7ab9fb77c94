import { healthApi, networkApi, vmSetApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Desk, deskWith, it } from '../desk.test-kit.ts'
import { EngineError } from '../engine/engine.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const networkOf = async ({ ada, params }: Desk) => (await ada.call(networkApi.get, { params })).body
const told = ({ app, params }: Desk) => app.engine.networkOf(params.projectId)
const switchTo = ({ ada, params }: Desk, internet: boolean) =>
  ada.call(networkApi.update, { params, body: { internet } })
/** Less than a second: how long a change may take to be known. */
const soon = 900

async function setOf(desk: Desk, name: string, replicas: number): Promise<string> {
  const body = { name, template_id: 'starter', ssh_key_id: desk.keyId, replicas }
  const answer = await desk.ada.call(vmSetApi.create, { params: desk.params, body })
  await desk.pass()
  return answer.body.id
}

const membersOf = async (desk: Desk, setId: string) =>
  (await networkOf(desk)).groups.find(({ group_id }) => group_id === setId)?.vm_ids ?? []

describe('the network of a project', () => {
  it('200 it is there without being asked for, and lets VMs reach the Internet', async ({ desk }) => {
    const { projectId: project_id } = desk.params
    const answer = await desk.ada.call(networkApi.get, { params: desk.params })
    const empty = { project_id, domain: 'p.internal', internet: true, members: [], groups: [] }
    expect(answer).toMatchObject({ status: 200, body: empty })
    await desk.pass(soon)
    expect(told(desk)).toEqual({ label: 'p', internet: true, names: {} })
  })

  it('200 has each VM with an address and names, the shortest first', async ({ desk }) => {
    const web = await desk.runningVm('Web')
    const db = await desk.runningVm('db')
    const { members } = await networkOf(desk)
    const address = expect.stringMatching(/^10\.\d+\.\d+\.\d+$/)
    expect(members).toEqual([
      { vm_id: web, vm_name: 'Web', address, names: ['web', 'web.p.internal'] },
      { vm_id: db, vm_name: 'db', address, names: ['db', 'db.p.internal'] },
    ])
    expect(new Set(members.map((member) => member.address)).size).toBe(2)
    expect(told(desk)?.names).toEqual({ web: [web], [web]: [web], db: [db], [db]: [db] })
  })

  it('has a VM before it is ready, with no address until it has one, and without it once it is deleted', async ({
    desk,
  }) => {
    const { body: vm } = await desk.createVm('web')
    expect((await networkOf(desk)).members).toMatchObject([{ vm_id: vm.id, address: null }])
    await desk.pass(soon)
    expect(told(desk)?.names).toHaveProperty('web')
    await desk.pass()
    expect((await networkOf(desk)).members).toMatchObject([{ address: expect.any(String) }])
    await desk.deleteVm(vm.id)
    expect((await networkOf(desk)).members).toEqual([])
    await desk.pass(soon)
    expect(told(desk)?.names).toEqual({})
  })

  it('the name of a set means its running members', async ({ desk }) => {
    const setId = await setOf(desk, 'etcd', 3)
    const { members, groups } = await networkOf(desk)
    const ids = members.map(({ vm_id }) => vm_id)
    const named = { group_name: 'etcd', names: ['etcd', 'etcd.p.internal'] }
    expect(groups).toEqual([{ ...named, group_id: setId, kind: 'vm_set', vm_ids: ids }])
    expect(told(desk)?.names).toMatchObject({ etcd: ids, [setId]: ids })
    const [first = '', ...others] = ids
    desk.app.engine.endRun(first, { how: 'crashed', reason: 'It fell over.' })
    await desk.pass(soon)
    expect(told(desk)?.names.etcd).toEqual(others)
    expect(told(desk)?.names[setId]).toEqual(others)
    await desk.pass()
    expect(told(desk)?.names.etcd).toHaveLength(3)
  })

  it('the name of a set is gone with it', async ({ desk }) => {
    const setId = await setOf(desk, 'etcd', 1)
    const { status } = await desk.ada.call(vmSetApi.delete, { params: { ...desk.params, setId } })
    expect(status).toBe(204)
    await desk.pass(soon)
    expect(await membersOf(desk, setId)).toEqual([])
    expect(told(desk)?.names).toEqual({})
  })

  it('200 shows names while the engine is away', async ({ desk }) => {
    await desk.runningVm('web')
    desk.app.engine.networkAddresses = () =>
      Promise.reject(new EngineError('away', 'The cluster does not respond.', { retryable: true }))
    expect(await networkOf(desk)).toMatchObject({ members: [{ vm_name: 'web', address: null }] })
  })
})

describe('the network as a VM sees it', () => {
  it('200 with its names and those of its set', async ({ desk }) => {
    const alone = await desk.runningVm('web')
    await setOf(desk, 'etcd', 1)
    const member = (await networkOf(desk)).members.find(({ vm_id }) => vm_id !== alone)
    const of = async (vmId = '') =>
      (await desk.ada.call(networkApi.ofVm, { params: { ...desk.params, vmId } })).body
    expect(await of(alone)).toEqual({
      ...{ vm_id: alone, vm_name: 'web', address: expect.any(String), names: ['web', 'web.p.internal'] },
      ...{ domain: 'p.internal', internet: true, group_names: [] },
    })
    const group_names = ['etcd', 'etcd.p.internal']
    expect(await of(member?.vm_id)).toMatchObject({ ...member, group_names })
  })
})

describe('Internet access', () => {
  it('200 is switched off and on again, for the engine too', async ({ desk }) => {
    for (const internet of [false, true]) {
      expect(await switchTo(desk, internet)).toMatchObject({ status: 200, body: { internet } })
      expect((await networkOf(desk)).internet).toBe(internet)
      await desk.pass(soon)
      expect(told(desk)?.internet).toBe(internet)
    }
  })

  it('is recorded when it changes, and only then', async ({ desk }) => {
    for (const internet of [true, false, false, true]) await switchTo(desk, internet)
    const entries = await desk.app.db
      .selectFrom('activity')
      .select('message')
      .where('action', '=', 'network.update')
      .orderBy('id')
      .execute()
    expect(entries.map(({ message }) => message)).toEqual([
      'Switched off the Internet access of project p',
      'Switched on the Internet access of project p',
    ])
  })

  it('400 for what is no choice, and nothing changes', async ({ desk }) => {
    const { projectId } = desk.params
    const message = 'Choose whether VMs of this project reach the Internet'
    for (const body of [{}, { internet: 'no' }, { internet: null }])
      expect(await desk.ada.raw('PUT', `/api/projects/${projectId}/network`, body)).toMatchObject({
        status: 400,
        body: { message, fields: { internet: message } },
      })
    expect((await networkOf(desk)).internet).toBe(true)
  })

  it('422 where the engine has no networks; nothing is stored, and the engine is told nothing', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, networks: clusterLimits.networks } })

    expect(await switchTo(desk, false)).toMatchObject({
      status: 422,
      body: { message: clusterLimits.networks },
    })
    await desk.runningVm('web')
    expect(await networkOf(desk)).toMatchObject({ internet: true, members: [{ address: null }] })
    expect(told(desk)).toBeUndefined()
  })
})

describe('what the engine is told', () => {
  it.override('desk', () => deskWith({ admins: ['person-1@slipway.test'] }))

  const calls = (desk: Desk) => {
    const all: string[] = []
    const { putNetwork } = desk.app.engine
    desk.app.engine.putNetwork = (projectId, spec) => {
      all.push(Object.keys(spec.names).join(' '))
      return putNetwork(projectId, spec)
    }
    return all
  }

  it('is told when it is new, and not again', async ({ desk }) => {
    const puts = calls(desk)
    const vmId = await desk.runningVm('web')
    expect(puts).toEqual([`web ${vmId}`])
    await desk.act('stop', vmId)
    await desk.pass(120_000)
    await desk.act('start', vmId)
    await desk.pass(120_000)
    expect(puts).toEqual([`web ${vmId}`])
  })

  it('is told in few calls of many VMs that come at once', async ({ desk }) => {
    const puts = calls(desk)
    await Promise.all(Array.from({ length: 40 }, (_, i) => desk.createVm(`vm-${i}`)))
    await desk.pass()
    expect(Object.keys(told(desk)?.names ?? {})).toHaveLength(80)
    expect(puts.length).toBeLessThan(10)
  })

  it('is told again until the engine takes it, and health shows that meanwhile', async ({ desk }) => {
    const { putNetwork } = desk.app.engine
    desk.app.engine.putNetwork = () =>
      Promise.reject(new EngineError('internal', 'No bridge could be made.', { retryable: true }))
    await desk.createVm('web')
    await desk.pass(5_000)
    const failing = async () => {
      const { body } = await desk.ada.call(healthApi.get)
      return body.reconcilers.find(({ name }) => name === 'network')?.failing
    }
    expect(await failing()).toBe(1)
    desk.app.engine.putNetwork = putNetwork
    await desk.pass(120_000)
    expect(await failing()).toBe(0)
    expect(told(desk)?.names).toHaveProperty('web')
  })

  it('is told by a scan what no word told', async ({ desk }) => {
    const vmId = await desk.runningVm('web')
    expect(told(desk)?.names).toEqual({ web: [vmId], [vmId]: [vmId] })
    await desk.app.db.updateTable('vm').set({ name: 'shop' }).where('id', '=', vmId).execute()
    await desk.pass(60_000)
    expect(told(desk)?.names).toEqual({ shop: [vmId], [vmId]: [vmId] })
  })

  it('loses the network of a project that goes, also while it was being told of it', async ({ desk }) => {
    const { putNetwork } = desk.app.engine
    const gate = Promise.withResolvers<void>()
    desk.app.engine.putNetwork = async (projectId, spec) => {
      await gate.promise
      return putNetwork(projectId, spec)
    }
    await switchTo(desk, false)
    await desk.app.clock.advance(0)
    const url = `/api/projects/${desk.params.projectId}?for_good=true`
    expect((await desk.ada.raw('DELETE', url)).status).toBe(204)
    await desk.app.clock.advance(0)
    gate.resolve()
    await desk.pass(soon)
    expect(await desk.app.engine.listProjects()).not.toContain(desk.params.projectId)
    expect(told(desk)).toBeUndefined()
  })
})
