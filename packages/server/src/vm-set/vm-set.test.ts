import { messages, sshKeyApi, VmSet } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { TestAppOptions } from '../app.test-kit.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

async function desk(options?: TestAppOptions) {
  const shop = await groupDesk(options)
  return { ...shop, ...shop.sets, settle: shop.pass }
}

describe('creating a set', () => {
  it('201 answers with the status creating, then it holds its number and is active', async () => {
    const { create, get, settle } = await desk()
    const answer = await create()
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(VmSet.shape).sort())
    expect(answer.body).toMatchObject({
      status: 'creating',
      replicas: 2,
      persistent: true,
      vm_stats: { total_vms: 0, running_vms: 0 },
    })
    await settle()
    const set = await get(answer.body.id)
    expect(set).toMatchObject({ status: 'active', vm_stats: { total_vms: 2, running_vms: 2 } })
    for (const vm of set.vms) expect(vm).toMatchObject({ vmset_id: set.id, vmpool_id: null })
  })

  it.each([
    [{ name: '' }, 'Please enter a VM Set name.', 'name'],
    [{ ssh_key_id: '' }, 'Please select an SSH key for secure access.', 'ssh_key_id'],
    [{ template_id: '' }, 'Please select a template.', 'template_id'],
    [{ replicas: 0 }, 'Number of replicas must be at least 1', 'replicas'],
    [{ replicas: 21 }, 'Number of replicas cannot be greater than 20', 'replicas'],
    [{ replicas: 'two' }, 'Number of replicas must be at least 1', 'replicas'],
    [{ disks: [{ size: '1Gi' }] }, 'Please enter a name for disk #1', 'disks'],
    [{ disks: [{ name: 'a' }] }, 'Please enter a size for disk #1', 'disks'],
  ])('400 for %j says which field and why', async (change, message, field) => {
    const { create } = await desk()
    expect(await create(change)).toMatchObject({
      status: 400,
      body: { message, fields: { [field]: message } },
    })
  })

  it('still makes VMs with its key when the key is deleted', async () => {
    const { get, made, resize, settle, ada, keyId } = await desk()
    const set = await made()
    await ada.call(sshKeyApi.delete, { params: { sshKeyId: keyId } })
    await resize(set.id, 3)
    await settle()
    const grown = await get(set.id)
    expect(grown.vms.map((vm) => vm.ssh_key_name)).toEqual(['k', 'k', 'k'])
  })
})

describe('a set holds its number', () => {
  it('200 grows to and shrinks from 20', async () => {
    const { get, made, resize, settle } = await desk()
    const set = await made({ disks: [{ name: 'd', size: '1Gi' }] })
    expect((await resize(set.id, 20)).body).toMatchObject({ status: 'creating', replicas: 20 })
    await settle(60_000)
    expect(await get(set.id)).toMatchObject({
      status: 'active',
      vm_stats: { total_vms: 20, running_vms: 20 },
    })
    await resize(set.id, 1)
    await settle(120_000)
    expect(await get(set.id)).toMatchObject({ status: 'active', vm_stats: { total_vms: 1, running_vms: 1 } })
  })

  it.each([0, 21, 1.5, 'x', undefined])('400 for %j replicas, and nothing changes', async (replicas) => {
    const { get, made, update } = await desk()
    const set = await made()
    expect((await update(set.id, { replicas })).status).toBe(400)
    expect((await get(set.id)).replicas).toBe(2)
  })

  it('counts VMs that run apart from those that there are, and replaces nothing that its user stopped', async () => {
    const { get, made, settle, act } = await desk()
    const set = await made()
    const [first] = set.vms
    await act('stop', first?.id ?? '')
    await settle(10 * 60_000)
    const seen = await get(set.id)
    expect(seen).toMatchObject({ status: 'active', vm_stats: { total_vms: 2, running_vms: 1 } })
    expect(seen.vms.map(({ id }) => id)).toEqual(set.vms.map(({ id }) => id))
  })

  it('brings its VMs up a few at a time, and says what the others wait for', async () => {
    const { create, get, app, vms } = await desk({ startsAtOnce: 2 })
    const { body } = await create({ replicas: 8 })
    await app.clock.advance(2_000)
    const early = await get(body.id)
    // Two on their way up, two ready to follow.
    expect(early.vms).toHaveLength(4)
    expect(early.status_message).toMatch(
      /^0 of 8 VMs created\. web-\d: Waiting for a start slot: 2 VMs are starting/,
    )
    await app.clock.advance(60_000)
    expect(await get(body.id)).toMatchObject({ status: 'active', vm_stats: { running_vms: 8 } })
    expect((await vms()).map(({ name }) => name)).toEqual(Array.from({ length: 8 }, (_, i) => `web-${i + 1}`))
  })

  it('204 deletes it with everything that was made for it', async () => {
    const { get, made, remove, list, settle, app, vms, disks } = await desk()
    const set = await made({ disks: [{ name: 'd', size: '1Gi' }] })
    expect((await remove(set.id, true)).status).toBe(204)
    expect(await list()).toEqual([])
    expect(await vms()).toEqual([])
    expect(await disks()).toEqual([])
    await settle()
    expect((await app.engine.list()).size).toBe(0)
    expect(await app.engine.listVolumes()).toEqual([])
    expect(await get(set.id)).toEqual({ message: messages.vmSetNotFound })
  })

  it('tells what happened to it, newest first', async () => {
    const { made, resize, history, settle } = await desk()
    const set = await made()
    await resize(set.id, 3)
    await settle()
    const { events } = await history(set.id)
    expect(events.map(({ message }) => message)).toEqual([
      '"web-3" was added: 2 to 3',
      'By Ada Lovelace: size 2 to 3',
      '"web-2" was added: 1 to 2',
      '"web-1" was added: 0 to 1',
      'Created with a desired size of 2',
    ])
  })
})
