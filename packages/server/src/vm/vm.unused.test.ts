/** VMs that are suspended because nobody uses them, through the real app. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { notRunning, vmApi, vmTexts } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'

const minute = 60_000
const update = (desk: Desk, id: string, minutes: unknown) =>
  desk.changeVm(id, { suspend_after_minutes: minutes })
const keepAwake = (desk: Desk, id: string) =>
  desk.ada.call(vmApi.keepAwake, { params: { ...desk.params, vmId: id } })
/** Lets time go by in steps, as looks at VMs and measurements take turns. */
async function pass(desk: Desk, minutes: number): Promise<void> {
  for (let s = 0; s < minutes * 60; s += 5) await desk.pass(5_000)
}
async function unusedVm(desk: Desk, minutes = 10): Promise<string> {
  const id = await desk.runningVm('quiet')
  expect(await update(desk, id, minutes)).toMatchObject({
    status: 200,
    body: { suspend_after_minutes: minutes, suspends_at: null },
  })
  return id
}

describe('a VM that nobody uses', () => {
  it('keeps running unless its owner chose a time, and then is suspended after it, announced before', async ({
    desk,
  }) => {
    const other = await desk.runningVm('other')
    const id = await unusedVm(desk)
    await pass(desk, 3)
    const { suspends_at } = await desk.vm(id)
    const left = Date.parse(suspends_at ?? '') - desk.app.clock.now()
    expect(left).toBeGreaterThan(6 * minute)
    expect(left).toBeLessThan(8 * minute)
    await pass(desk, 8)
    expect(await desk.vm(id)).toMatchObject({ status: 'suspended', suspends_at: null })
    expect((await desk.vm(other)).status).toBe('running')
    expect(await desk.told()).toEqual(
      expect.arrayContaining([
        'VM quiet is to be suspended after 10 minutes without use',
        'VM quiet was not used for 10 minutes',
        'VM quiet was suspended',
      ]),
    )
    // Again after it is started: the choice stays.
    await desk.act('start', id)
    await pass(desk, 13)
    expect((await desk.vm(id)).status).toBe('suspended')
  })

  it('has its time begin anew when it is kept awake, and no end when the choice is taken back', async ({
    desk,
  }) => {
    const id = await unusedVm(desk)
    await pass(desk, 8)
    const before = (await desk.vm(id)).suspends_at
    expect(before).not.toBeNull()
    expect(await keepAwake(desk, id)).toMatchObject({ status: 200, body: { suspends_at: null } })
    await pass(desk, 8)
    const { status, suspends_at } = await desk.vm(id)
    expect(status).toBe('running')
    expect(Date.parse(suspends_at ?? '')).toBeGreaterThan(Date.parse(before ?? ''))
    expect(await update(desk, id, null)).toMatchObject({
      body: { suspend_after_minutes: null, suspends_at: null },
    })
    await pass(desk, 15)
    expect((await desk.vm(id)).status).toBe('running')
    expect(await desk.told()).toContain('VM quiet is not suspended by itself any more')
  })

  it('is used while its guest works, and while somebody has its console open', async ({ desk }) => {
    const id = await unusedVm(desk, 3)
    desk.app.engine.setLoad(id, 60)
    await pass(desk, 8)
    expect(await desk.vm(id)).toMatchObject({ status: 'running', suspends_at: null })
    desk.app.engine.setLoad(id, 1)

    await desk.app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = desk.app.app.server.address() as AddressInfo
    const socket = new WebSocket(
      `ws://127.0.0.1:${port}/api/projects/${desk.params.projectId}/vms/${id}/console`,
      { headers: { cookie: desk.ada.cookie ?? '', origin: `http://127.0.0.1:${port}` } },
    )
    await once(socket, 'open')
    await pass(desk, 8)
    expect(await desk.vm(id)).toMatchObject({ status: 'running', suspends_at: null })
    socket.close()
    await once(socket, 'close')
    await pass(desk, 5)
    expect((await desk.vm(id)).status).toBe('suspended')
  })

  it('runs on when it cannot be suspended, says why, and has its time begin anew', async ({ desk }) => {
    const id = await desk.runningVm('fault-no-copies')
    await update(desk, id, 2)
    await pass(desk, 4)
    expect(await desk.vm(id)).toMatchObject({ status: 'running' })
    expect((await desk.vm(id)).status_message).toMatch(/could not be suspended and is still running/)
    expect((await desk.told()).filter((one) => one.includes('was not used for'))).toHaveLength(1)
  })
})

describe('the choice', () => {
  it('400 for what is no time, and the same without a word when nothing is new', async ({ desk }) => {
    const id = await unusedVm(desk)
    for (const minutes of [0, -5, 1.5, 10_081, '10'])
      expect(await update(desk, id, minutes)).toMatchObject(refusal(400, vmTexts.suspendAfter))
    await update(desk, id, 10)
    expect((await desk.told()).filter((one) => one.includes('is to be suspended'))).toHaveLength(1)
  })

  it('409 for keeping awake what does not run', async ({ desk }) => {
    const id = await unusedVm(desk)
    await desk.done(desk.act('stop', id))
    expect(await keepAwake(desk, id)).toMatchObject(refusal(409, notRunning))
    expect((await update(desk, id, 20)).status).toBe(200)
  })

  it('422 with the sentence where nothing can be suspended', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, suspend: clusterLimits.suspend } })
    const id = await desk.runningVm('vm')
    expect(await update(desk, id, 10)).toMatchObject(refusal(422, clusterLimits.suspend))
    expect((await update(desk, id, null)).status).toBe(200)
  })
})
