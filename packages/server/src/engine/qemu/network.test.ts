import { expect, test } from 'vitest'
import { ruleset } from './network.ts'

test('the rules name the user of the guests, and resolvers before what is refused', () => {
  const rules = ruleset(999, ['10.0.0.53', '::1', '192.168.1.1'])
  expect(rules).toContain('meta skuid 999 jump guests')
  expect(rules.indexOf('ip daddr { 10.0.0.53, 192.168.1.1 }')).toBeGreaterThan(0)
  expect(rules.indexOf('th dport 53 accept')).toBeLessThan(rules.indexOf('oifname "lo"'))
})

test('without a resolver no door is left open for name resolution', () => {
  expect(ruleset(999, ['::1'])).not.toContain('dport 53')
})
