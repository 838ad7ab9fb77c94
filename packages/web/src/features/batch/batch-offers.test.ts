import { expect, it } from 'vitest'
import { offersOf, type Selectable, takenBy } from './batch-offers.ts'

const vm = (name: string, status: string, more: Partial<Selectable> = {}): Selectable => ({
  id: name,
  name,
  status,
  delete_protection: false,
  persistent: true,
  ...more,
})
const offer = (kind: keyof typeof offersOf, label: string) => {
  const found = offersOf[kind].find((one) => one.label === label)
  if (!found) throw new Error(label)
  return found
}

it('an action takes the objects that allow it', () => {
  const [on, off] = [vm('on', 'running'), vm('off', 'stopped')]
  expect(takenBy(offer('vm', 'Stop'), [on, off])).toEqual({ taken: [on], reason: undefined })
  expect(takenBy(offer('vm', 'Start'), [on, off])).toEqual({ taken: [off], reason: undefined })
  expect(takenBy(offer('vm', 'Tags'), [on, off]).taken).toEqual([on, off])
})

it('says why where none allows it', () => {
  expect(takenBy(offer('vm', 'Start'), [vm('on', 'running')])).toEqual({
    taken: [],
    reason: 'VM cannot be started while it is running',
  })
  expect(takenBy(offer('vm', 'Delete'), [vm('kept', 'running', { delete_protection: true })]).reason).toBe(
    'This VM is protected against deletion. Turn its protection off first.',
  )
  const attached = { id: 'd', name: 'd', status: 'attached', vm_id: 'v' }
  expect(takenBy(offer('disk', 'Delete'), [attached]).reason).toBe(
    'Disk is attached to a VM. Detach it first.',
  )
})

it('pools and sets can be deleted in every state', () => {
  const groups = ['active', 'creating', 'error'].map((status) => ({ id: status, name: status, status }))
  for (const kind of ['vm_pool', 'vm_set'] as const) {
    expect(takenBy(offer(kind, 'Delete'), groups)).toEqual({ taken: groups, reason: undefined })
    expect(offersOf[kind]).toHaveLength(1)
  }
})

it('asks to select some where nothing is selected', () => {
  expect(takenBy(offer('vm', 'Stop'), []).reason).toBe('Select VMs first')
  expect(takenBy(offer('disk_snapshot', 'Delete'), []).reason).toBe('Select snapshots first')
  expect(takenBy(offer('vm_pool', 'Delete'), []).reason).toBe('Select pools first')
})
