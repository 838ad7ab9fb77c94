import { expect, test } from 'vitest'
import type { Range } from '../../../lib/address-range.ts'
import { specialRangesV4 } from '../../../lib/public-hosts.ts'
import { frameRules, hashesOfTables, hostRules, hostTable, packetRules } from './rules.ts'

const space: Range = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const networks = [
  {
    bridge: 'p0',
    index: 0,
    internet: true,
    ports: [{ tap: 't0-2', mac: '52:54:00:00:00:02', ip: '10.80.0.2' }],
  },
  { bridge: 'p1', index: 1, internet: false, ports: [] },
]

test('frames are judged by who sends them, and dropped unless they are let through', () => {
  const rules = frameRules(networks)
  expect(rules).toContain('elements = { "t0-2" . 52:54:00:00:00:02 . 10.80.0.2 }')
  expect(rules).toContain('priority -300; policy drop;')
  expect(rules).not.toContain('ip6')
})

test('a project without Internet access is not online', () => {
  expect(packetRules(space, networks, [])).toContain('set online { type ifname; elements = { "p0" } }')
})

test('each network asks its own gateway only', () => {
  expect(packetRules(space, networks, [])).toContain('elements = { "p0" . 10.80.0.1, "p1" . 10.80.4.1 }')
})

test('guests get nowhere that images are not fetched from, nor to addresses of this host', () => {
  const rules = [packetRules(space, networks, ['8.8.4.4']), hostRules('slipway-1', 'sw-1', space)]
  for (const [network, prefix] of specialRangesV4)
    for (const text of rules) expect(text).toContain(`${network}/${prefix}`)
  expect(rules[0]).toContain('set host { type ipv4_addr; elements = { 8.8.4.4 } }')
})

test('a table is replaced in one step, and is no other installation’s', () => {
  expect(hostTable('slipway-12ab34cd')).toBe('slipway_12ab34cd')
  expect(hostRules('slipway-1', 'sw-1', space)).toMatch(
    /^table inet slipway_1 \{\}\ndelete table inet slipway_1\ntable inet slipway_1 \{\n/,
  )
})

test('the tables of all installations are known by their names, and no others', () => {
  const listing = ['table inet slipway', 'table inet slipway_12ab34cd', 'table ip slipway_00000000']
  expect(hashesOfTables([...listing, 'table inet slipway_12ab34cd_of', ''].join('\n'))).toEqual(['12ab34cd'])
})
