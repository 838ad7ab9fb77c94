import { templateApi, vmApi, vmPoolApi } from '@slipway/contract'
import { expect, it } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { atDesk } from '../desk.test-kit.ts'
import type { GuestReserve } from '../engine/engine.ts'
import { newId } from '../lib/id.ts'

it(
  'a VM gets the id of a guest that is kept ready for VMs like it, and its place in the list by its time',
  atDesk(async (desk) => {
    const { ada, params, keyId, app } = desk
    const kept = newId(desk.app.clock.now())
    const asked: Parameters<GuestReserve['take']>[0][] = []
    let left: string | null = kept
    const reserve: GuestReserve = {
      take(like) {
        asked.push(like)
        const id = left
        left = null
        return id
      },
      held: () => ({ guests: left ? 1 : 0, memoryMb: 90 }),
    }
    Object.assign(app.engine, { reserve })
    await desk.pass()
    const create = async (name: string, more: object = {}) => {
      const body = { name, template_id: 'starter', ssh_key_id: keyId, ...more }
      const answer = await ada.call(vmApi.create, { params, body })
      expect(answer.status).toBe(201)
      return answer.body.id
    }
    const disk = await desk.readyDisk()
    const withDisk = await create('with-disk', { disks: [{ disk_id: disk }] })
    const withScript = await create('with-script', { start_script: '#!/bin/sh\ntrue\n' })
    const { body: template } = await ada.call(templateApi.create, {
      body: {
        ...{ name: 'Scripted', description: 'x', default_cpu: 1, default_memory_mb: 512 },
        start_script: '#!/bin/sh\ntrue\n',
      },
    })
    const ofTemplate = await create('of-template', { template_id: template.id })
    const group = { name: 'pool', template_id: 'starter', ssh_key_id: keyId, max_size: 2 }
    await ada.call(vmPoolApi.create, { params, body: group })
    await desk.pass()
    expect(asked).toEqual([])

    const first = await create('first', { cpu: 2, memory_mb: 1024 })
    const second = await create('second')
    expect(first).toBe(kept)
    expect(second).not.toBe(kept)
    expect(asked).toEqual([
      { imageId: expect.any(String), cpu: 2, memoryMb: 1024 },
      { imageId: expect.any(String), cpu: 1, memoryMb: 256 },
    ])
    const { body } = await ada.call(vmApi.list, { params })
    const ids = body.map(({ id }) => id)
    expect(ids.filter((id) => [withDisk, withScript, ofTemplate, first, second].includes(id))).toEqual([
      withDisk,
      withScript,
      ofTemplate,
      first,
      second,
    ])
    await desk.pass()
    expect((await ada.call(vmApi.get, { params: { ...params, vmId: first } })).body.status).toBe('running')
  }),
)

/** A reserve of so many guests, with the ids that were taken. */
function reserveOf(guests: number, nowMs: number) {
  const taken: string[] = []
  const reserve: GuestReserve = {
    take() {
      if (taken.length === guests) return null
      const id = newId(nowMs)
      taken.push(id)
      return id
    },
    held: () => ({ guests: guests - taken.length, memoryMb: 90 }),
  }
  return { taken, reserve }
}

it(
  'a VM that its quota refuses takes no guest of the reserve',
  atDesk(
    async (desk) => {
      const { taken, reserve } = reserveOf(2, desk.app.clock.now())
      Object.assign(desk.app.engine, { reserve })
      for (let i = 0; i < 3; i++)
        expect((await desk.createVm(`refused-${i}`, { share_ports: [80] })).status).toBe(409)
      expect(taken).toEqual([])
      const { body } = await desk.createVm('fits')
      expect(taken).toEqual([body.id])
    },
    { projectQuota: { shares: 0 } },
  ),
)

it(
  'one account leaves guests of the reserve for others, and gets more of them a minute later',
  atDesk(async (desk) => {
    const { taken, reserve } = reserveOf(3, desk.app.clock.now())
    Object.assign(desk.app.engine, { reserve })
    for (let i = 0; i < 4; i++) expect((await desk.createVm(`vm-${i}`)).status).toBe(201)
    expect(taken).toHaveLength(2)
    const bob = await desk.app.signedIn('Bob')
    const make = async (url: string, body: object) =>
      ((await bob.raw('POST', url, body)).body as { id: string }).id
    const projectId = await make('/api/projects', { name: 'his' })
    const ssh_key_id = await make('/api/user/ssh-keys', {
      key_name: 'k',
      ssh_public_key: newPublicKey(),
    })
    const his = await make(`/api/projects/${projectId}/vms`, {
      name: 'his',
      template_id: 'starter',
      ssh_key_id,
    })
    expect(taken).toHaveLength(3)
    expect(taken).toContain(his)
    const again = reserveOf(1, desk.app.clock.now())
    Object.assign(desk.app.engine, { reserve: again.reserve })
    await desk.createVm('too-soon')
    expect(again.taken).toHaveLength(0)
    await desk.pass(61_000)
    await desk.createVm('later')
    expect(again.taken).toHaveLength(1)
  }),
)
