import { expect, test } from 'vitest'
import type { Range } from '../../../lib/address-range.ts'
import { leasesText, namesText, settingsOf } from './names.ts'

const space: Range = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const network = (internet = true) => ({
  index: 1,
  bridge: 'p1',
  spec: { label: 'shop', internet, names: { web: ['a'], workers: ['a', 'b'], gone: ['x'] } },
  machines: [{ id: 'a', mac: '52:54:00:00:00:02', place: 2 }],
  places: new Map([
    ['a', 2],
    ['b', 300],
  ]),
})
const file = { settings: '/f/s', names: '/f/n', leases: '/f/l', pid: '/f/p' }

test('a machine has all its names, with the domain and without; what has no address has none', () => {
  expect(namesText(space, network())).toBe(
    '10.80.4.2 web.shop.internal web workers.shop.internal workers\n10.80.5.44 workers.shop.internal workers\n',
  )
})

test('only machines that have a guest get a lease, each its own', () => {
  expect(leasesText(space, network())).toBe('52:54:00:00:00:02,10.80.4.2\n')
})

const by = { user: 'nobody', resolver: '10.83.252.1#10053' }

test('names of the Internet are asked for where the project may reach it, those of projects never', () => {
  const of = (internet: boolean) => settingsOf(space, network(internet), file, by)
  const [online, offline] = [of(true), of(false)]
  expect(online).toContain('server=10.83.252.1#10053\n')
  expect(offline).not.toMatch(/^server=/m)
  for (const settings of [online, offline]) {
    expect(settings).toContain('local=/internal/\n')
    expect(settings).toContain('dhcp-option=option:router,10.80.4.1\n')
    expect(settings).toContain('no-resolv\n')
  }
})

test('a name server drops its rights where there is somebody to drop them to', () => {
  const linesOf = (user: string | null) => settingsOf(space, network(), file, { ...by, user }).split('\n')
  expect(linesOf('nobody')).toContain('user=nobody')
  expect(linesOf(null)).toEqual(expect.arrayContaining(['user=', 'group=']))
})
