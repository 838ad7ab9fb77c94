import { hostApi } from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { deskWith } from '../desk.test-kit.ts'
import { makeStartTimesRepo } from './start-times.repo.ts'
import { makeStartTimes } from './start-times.service.ts'

describe('how long VMs take to start', () => {
  it('is read from the activity log at most once a minute, whoever asks', async () => {
    const desk = await deskWith()
    const { clock, db } = desk.app
    const told = vi.fn(makeStartTimesRepo(db).told)
    const log = { error: vi.fn() }
    const startTimes = makeStartTimes({ repo: { told }, clock, log })
    for (let i = 0; i < 5; i++) await desk.runningVm(`vm-${i}`)
    await desk.act('stop', await desk.runningVm('sixth'))
    await desk.pass()
    expect(startTimes.latest()).toBeNull()
    await expect.poll(startTimes.latest).toEqual({ median_seconds: expect.any(Number), starts: 6 })
    expect(told).toHaveBeenCalledTimes(1)
    await clock.advance(61_000)
    startTimes.latest()
    startTimes.latest()
    expect(told).toHaveBeenCalledTimes(2)
    expect(log.error).not.toHaveBeenCalled()
  })

  it('is not told where VMs are simulated', async () => {
    const desk = await deskWith()
    for (let i = 0; i < 6; i++) await desk.runningVm(`vm-${i}`)
    await desk.app.clock.advance(120_000)
    expect((await desk.ada.call(hostApi.get)).body.start_time).toBeNull()
  })
})
