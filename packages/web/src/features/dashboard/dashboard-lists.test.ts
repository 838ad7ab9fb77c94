import type { VmStatus } from '@slipway/contract'
import { expect, test } from 'vitest'
import { needsAttention, recentVms } from './dashboard-lists.ts'

const at = (minute: number) => `2026-11-21T10:0${minute}:00.000Z`

test('the six newest VMs are recent, the newest first', () => {
  const vms = [3, 1, 7, 2, 6, 5, 4, 0].map((minute) => ({ created_at: at(minute) }))
  expect(recentVms(vms).map((vm) => vm.created_at)).toEqual([7, 6, 5, 4, 3, 2].map(at))
})

test('failed and broken VMs need attention, the latest first', () => {
  const vm = (status: VmStatus, minute: number) => ({ status, status_since: at(minute) })
  const vms = [vm('failed', 1), vm('running', 2), vm('error', 3), vm('stopped', 4), vm('pending', 5)]
  expect(needsAttention(vms)).toEqual([vm('error', 3), vm('failed', 1)])
})
