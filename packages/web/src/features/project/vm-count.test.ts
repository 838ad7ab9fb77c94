import type { Vm } from '@slipway/contract'
import { expect, test } from 'vitest'
import { countText, reasonNotCounted } from './vm-count.ts'

const of = (...statuses: Vm['status'][]) => statuses.map((status) => ({ status }) as Vm) // nothing else is counted

test.each([
  [{ vms: of(), failed: false }, 'No VMs', undefined],
  [{ vms: of('running'), failed: false }, '1 VM, 1 running', undefined],
  [{ vms: of('running', 'failed'), failed: false }, '2 VMs, 1 running', undefined],
  // An older list is better than none.
  [{ vms: of('stopped'), failed: true }, '1 VM, 0 running', undefined],
  [{ vms: undefined, failed: false }, 'Counting VMs...', 'Counting what will be deleted with the project...'],
  [
    { vms: undefined, failed: true },
    'The VMs of this project could not be counted.',
    'The VMs of this project could not be counted.',
  ],
])('the VMs of a project are counted or said to be unknown: %j', (counted, text, reason) => {
  expect(countText(counted)).toBe(text)
  expect(reasonNotCounted(counted)).toBe(reason)
})
