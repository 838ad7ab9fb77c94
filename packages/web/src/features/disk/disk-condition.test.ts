import { type Disk, noLimits } from '@slipway/contract'
import { expect, test } from 'vitest'
import { detachLimit, diskCondition } from './disk-condition.ts'

const since = '2026-11-20T10:00:00.000Z'
type Described = Parameters<typeof diskCondition>[0]
const disk = (status: Disk['status'], more: Partial<Described> = {}): Described => ({
  status,
  vm_id: null,
  source: 'blank',
  progress: null,
  status_message: null,
  status_since: since,
  ...more,
})

test('a disk that is well needs no words, unless the server has some', () => {
  expect(diskCondition(disk('available'))).toBeNull()
  expect(diskCondition(disk('available', { status_message: 'Its image was larger.' }))).toEqual({
    tone: 'known',
    reason: 'Its image was larger.',
  })
})

test('one that is being created says how far it is, in the words of the server where it has some', () => {
  expect(diskCondition(disk('creating', { source: 'image', progress: 0.4 }))).toEqual({
    tone: 'working',
    step: 'Writing the image to the disk',
    progress: 0.4,
    since,
  })
  expect(diskCondition(disk('creating', { status_message: 'Downloading' }))).toMatchObject({
    step: 'Downloading',
  })
  expect(diskCondition(disk('creating'))).toMatchObject({ step: undefined })
})

test('one that failed says what to do, and a broken one on a VM is detached first', () => {
  expect(diskCondition(disk('failed', { status_message: 'Not found' }))).toEqual({
    tone: 'failed',
    reason: 'Not found',
    next: 'Delete this disk and create it again.',
    since,
  })
  expect(diskCondition(disk('error'))).toMatchObject({ next: expect.stringMatching(/^Create a new disk/) })
  expect(diskCondition(disk('error', { vm_id: 'v' }))).toMatchObject({
    next: expect.stringMatching(/^Detach it/),
  })
})

test('a disk stays on its VM while that runs where nothing can be plugged, and says why', () => {
  const hot_plug = 'Stop the VM, then change its disks.'
  const unable = { ...noLimits, hot_plug }
  const on = disk('attached', { vm_id: 'v' })
  expect(detachLimit(on, 'running', unable)).toBe(hot_plug)
  for (const limit of [
    detachLimit(on, 'running', noLimits),
    detachLimit(on, 'stopped', unable),
    detachLimit(on, undefined, unable),
    detachLimit(disk('available'), 'running', unable),
  ])
    expect(limit).toBeUndefined()
})
