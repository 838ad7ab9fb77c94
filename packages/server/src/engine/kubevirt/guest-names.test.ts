import { describe, expect, it, test } from 'vitest'
import { endpointsText } from './guest-endpoints.ts'
import { namedAddresses, networkDomainOf, slicesOf } from './guest-names.ts'
import { makeNames } from './names.ts'

test('names end in the service of the namespace', () => {
  expect(networkDomainOf(makeNames('slipway'))).toBe('vms.slipway-{id}.svc')
})

describe('what names mean', () => {
  const addresses = new Map([
    ['a', '10.244.0.9'],
    ['b', '10.244.0.10'],
  ])

  it('is the address of the one, or of all that it stands for', () => {
    expect(namedAddresses({ web: ['a'], db: ['b'], all: ['a', 'b'] }, addresses)).toEqual([
      { name: 'all', address: '10.244.0.10' },
      { name: 'all', address: '10.244.0.9' },
      { name: 'db', address: '10.244.0.10' },
      { name: 'web', address: '10.244.0.9' },
    ])
  })

  it('is nothing where none of them lives', () => {
    expect(namedAddresses({ web: ['c'], all: ['a', 'c'], none: [] }, addresses)).toEqual([
      { name: 'all', address: '10.244.0.9' },
    ])
  })

  it('is each address once, in one order however it was told', () => {
    const once = namedAddresses({ all: ['b', 'a', 'b'], a: ['a'] }, addresses)
    expect(once).toEqual(namedAddresses({ a: ['a'], all: ['a', 'b'] }, addresses))
    expect(once).toHaveLength(3)
  })
})

describe('the endpoints of a project', () => {
  it('carry the names, also those that begin with a digit', () => {
    const id = '0b3f6c1e-0000-4000-8000-000000000000'
    expect(slicesOf('vms', [{ name: id, address: '10.0.0.1' }])).toEqual([
      {
        name: 'vms-ipv4-0',
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1'], hostname: id, conditions: { ready: true } }],
      },
    ])
  })

  it('are none where nobody lives', () => {
    expect(slicesOf('vms', [])).toEqual([])
  })

  it('are as many as one slice takes, and apart by family', () => {
    const many = (count: number, address: string) =>
      Array.from({ length: count }, (_, i) => ({ name: `n${i}`, address }))
    const sizes = (...all: Parameters<typeof slicesOf>[1][]) =>
      slicesOf('vms', all.flat()).map(({ name, addressType, endpoints }) => [
        name,
        addressType,
        endpoints.length,
      ])
    expect(sizes(many(1000, '10.0.0.1'))).toEqual([['vms-ipv4-0', 'IPv4', 1000]])
    expect(sizes(many(1001, '10.0.0.1'), many(2, 'fd00::1'))).toEqual([
      ['vms-ipv4-0', 'IPv4', 1000],
      ['vms-ipv4-1', 'IPv4', 1],
      ['vms-ipv6-0', 'IPv6', 2],
    ])
  })
})

describe('the text of endpoints', () => {
  const one = { addresses: ['10.0.0.1'], hostname: 'web', conditions: { ready: true } }

  it('is the same for what means the same', () => {
    expect(endpointsText([{ ...one, conditions: {} }])).toBe(endpointsText([one]))
    expect(endpointsText([{ ...one, conditions: { ready: null } }])).toBe(endpointsText([one]))
    expect(endpointsText(null)).toBe(endpointsText([]))
  })

  it.each([
    ['a name', { ...one, hostname: 'db' }],
    ['no name', { addresses: one.addresses }],
    ['an address', { ...one, addresses: ['10.0.0.2'] }],
    ['what is not ready', { ...one, conditions: { ready: false } }],
  ])('differs by %s', (_, other) => {
    expect(endpointsText([other])).not.toBe(endpointsText([one]))
    expect(endpointsText([one, other])).not.toBe(endpointsText([one]))
  })
})
