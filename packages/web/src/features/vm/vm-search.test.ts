import { expect, test } from 'vitest'
import { matchesVm } from './vm-search.ts'

const vm = {
  name: 'Payments-Worker 🚢',
  template_name: 'Rust',
  ssh_key_name: 'laptop',
  ip_address: '10.77.4.21',
  status: 'running',
  tags: ['prod', 'team/red'],
  note: 'Ask Ada before a restart.',
} satisfies Parameters<typeof matchesVm>[0]

test.each(['', '  ', 'pay', 'PAY', '🚢', 'rust', '77.4', 'running', 'worker rust', 'team/red', 'ask prod'])(
  'the search "%s" finds the VM',
  (search) => {
    expect(matchesVm(vm, search)).toBe(true)
  },
)

test.each(['python', 'rust python', 'pay  stopped'])('the search "%s" does not', (search) => {
  expect(matchesVm(vm, search)).toBe(false)
})

test('letter case and accents do not matter, in no script', () => {
  const named = (name: string) => ({ ...vm, name })
  expect(matchesVm(named('École'), 'ecole')).toBe(true)
  expect(matchesVm(named('ecole'), 'École')).toBe(true)
  expect(matchesVm(named('ЁЛКА'), 'елка')).toBe(true)
})
