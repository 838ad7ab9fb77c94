import { templateApi, vmPoolApi } from '@slipway/contract'
import { expect } from 'vitest'
import { type Desk, deskBeside, deskWith, it } from '../desk.test-kit.ts'
import type { GuestReserve } from '../engine/engine.ts'
import { newId } from '../lib/id.ts'

/** Gives the engine of a desk a reserve of so many guests; tells the ids that were taken, and for what. */
function keepReady({ app }: Desk, guests: number) {
  const taken: string[] = []
  const asked: Parameters<GuestReserve['take']>[0][] = []
  const nowMs = app.clock.now()
  const reserve: GuestReserve = {
    take(like) {
      asked.push(like)
      if (taken.length === guests) return null
      const id = newId(nowMs)
      taken.push(id)
      return id
    },
    held: () => ({ guests: guests - taken.length, memoryMb: 90 }),
  }
  Object.assign(app.engine, { reserve })
  return { taken, asked }
}

it('a VM gets the id of a guest that is kept ready for VMs like it, and its place in the list by its time', async ({
  desk,
}) => {
  const { taken, asked } = keepReady(desk, 1)
  await desk.pass()
  const create = async (name: string, more?: object) => (await desk.createVm(name, more)).body.id
  const start_script = '#!/bin/sh\ntrue\n'
  const withDisk = await create('with-disk', { disks: [{ disk_id: await desk.readyDisk() }] })
  const withScript = await create('with-script', { start_script })
  const { body: template } = await desk.ada.call(templateApi.create, {
    body: { name: 'Scripted', description: 'x', default_cpu: 1, default_memory_mb: 512, start_script },
  })
  const ofTemplate = await create('of-template', { template_id: template.id })
  const group = { name: 'pool', template_id: 'starter', ssh_key_id: desk.keyId, max_size: 2 }
  await desk.done(desk.ada.call(vmPoolApi.create, { params: desk.params, body: group }))
  expect(asked).toEqual([])

  const first = await create('first', { cpu: 2, memory_mb: 1024 })
  const second = await create('second')
  expect(taken).toEqual([first])
  expect(asked).toEqual([
    { imageId: expect.any(String), cpu: 2, memoryMb: 1024 },
    { imageId: expect.any(String), cpu: 1, memoryMb: 256 },
  ])
  const made = [withDisk, withScript, ofTemplate, first, second]
  const ids = (await desk.vms()).map(({ id }) => id)
  expect(ids.filter((id) => made.includes(id))).toEqual(made)
  await desk.pass()
  expect((await desk.vm(first)).status).toBe('running')
})

it('a VM that its quota refuses takes no guest of the reserve', async () => {
  const desk = await deskWith({ projectQuota: { shares: 0 } })
  const { taken } = keepReady(desk, 2)
  for (let i = 0; i < 3; i++)
    expect((await desk.createVm(`refused-${i}`, { share_ports: [80] })).status).toBe(409)
  expect(taken).toEqual([])
  const { body } = await desk.createVm('fits')
  expect(taken).toEqual([body.id])
})

it('one account leaves guests of the reserve for others, and gets more of them a minute later', async ({
  desk,
}) => {
  const { taken } = keepReady(desk, 3)
  for (let i = 0; i < 4; i++) expect((await desk.createVm(`vm-${i}`)).status).toBe(201)
  expect(taken).toHaveLength(2)
  const { body: his } = await (await deskBeside(desk)).createVm('his')
  expect(taken).toHaveLength(3)
  expect(taken).toContain(his.id)
  const again = keepReady(desk, 1)
  await desk.createVm('too-soon')
  expect(again.taken).toHaveLength(0)
  await desk.pass(61_000)
  await desk.createVm('later')
  expect(again.taken).toHaveLength(1)
})
