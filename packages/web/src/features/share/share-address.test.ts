import { expect, test } from 'vitest'
import { endOf, fullAddress } from './share-address.ts'

test.each([
  ['http', ':8101/', 'http://vms.example.com:8101/'],
  ['http', ':8101/?slipway=abc', 'http://vms.example.com:8101/?slipway=abc'],
  ['tcp', ':8301', 'vms.example.com:8301'],
  ['http', 'https://web-shop-3000.apps.example.net/', 'https://web-shop-3000.apps.example.net/'],
  ['tcp', 'vms.example.com:8301', 'vms.example.com:8301'],
  ['http', '', null],
] as const)('a %s share at %j is found at %s', (kind, address, expected) => {
  expect(fullAddress({ kind, address }, 'vms.example.com')).toBe(expected)
})

test('a share ends after its span, or not at all', () => {
  expect([endOf('never', 0), endOf('hour', 0), endOf('week', 0)]).toEqual([
    null,
    '1970-01-01T01:00:00.000Z',
    '1970-01-08T00:00:00.000Z',
  ])
})
