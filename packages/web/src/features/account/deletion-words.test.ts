import { expect, test } from 'vitest'
import { goesAlongText, namesText } from './deletion-words.ts'

const none = {
  projects: 0,
  vms: 0,
  disks: 0,
  snapshots: 0,
  vm_pools: 0,
  vm_sets: 0,
  shares: 0,
  bin_items: 0,
  ssh_keys: 0,
  api_tokens: 0,
}

test('what goes along is counted, and what there is none of is left out', () => {
  expect(goesAlongText({ ...none, projects: 2, vms: 1, api_tokens: 3 })).toBe(
    '2 projects, 1 VM, 3 API tokens',
  )
  expect(goesAlongText(none)).toBe('')
})

test('names are a list', () => {
  expect(namesText(['shop'])).toBe('shop')
  expect(namesText(['shop', 'lab', 'ci'])).toBe('shop, lab, and ci')
})
