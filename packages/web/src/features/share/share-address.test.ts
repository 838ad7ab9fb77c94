import { expect, test } from 'vitest'
import { fullAddress } from './share-address.ts'

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
