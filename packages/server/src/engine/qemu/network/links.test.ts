import { describe, expect, test } from 'vitest'
import { bridgeOf, type Link, linkCommands, placeOfTap, readLinks, spareTapOf, tapOf } from './links.ts'

const link = (name: string, more: Partial<Link> = {}): Link => ({
  name,
  isUp: true,
  isUsed: false,
  bridge: null,
  addresses: [],
  ...more,
})
const bridge = link('p0', { addresses: ['10.80.0.1/22'] })
const tap = (name: string, isUsed = false) => link(name, { bridge: 'p0', isUsed })
const wanted = (...taps: string[]) => [{ name: 'p0', address: '10.80.0.1/22', taps }]

test('names of taps say whose they are', () => {
  expect(placeOfTap(tapOf(12, 1022))).toEqual({ index: 12, place: 1022 })
  expect([bridgeOf(12), tapOf(1022, 1022).length <= 15]).toEqual(['p12', true])
  for (const name of ['lo', 'uplink', 'p0', 't0', 'xt0-1', 't0-1x']) expect(placeOfTap(name)).toBeNull()
})

test('what ip prints is read, and what it leaves out is nothing', () => {
  const printed = JSON.stringify([
    {},
    { ifname: 'p0', flags: ['UP', 'LOWER_UP'], addr_info: [{ local: '10.80.0.1', prefixlen: 22 }, {}] },
    { ifname: 't0-2', flags: ['NO-CARRIER'], master: 'p0' },
  ])
  expect(readLinks(printed)).toEqual([
    link('p0', { isUsed: true, addresses: ['10.80.0.1/22'] }),
    link('t0-2', { isUp: false, bridge: 'p0' }),
  ])
  expect(readLinks('')).toEqual([])
  expect(() => readLinks('{"a":1}')).toThrow()
})

describe('what makes interfaces what they should be', () => {
  test('all of it where nothing is', () => {
    expect(linkCommands([link('lo')], wanted('t0-2'))).toEqual([
      'link add p0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0',
      'address add 10.80.0.1/22 dev p0',
      'link set p0 up',
      'tuntap add dev t0-2 mode tap',
      'link set t0-2 master p0',
      'link set t0-2 up',
    ])
  })

  test('nothing where all is, nor of what is not ours', () => {
    expect(linkCommands([link('docker0'), bridge, tap('t0-2', true)], wanted('t0-2'))).toEqual([])
  })

  test('what was changed or left half-made', () => {
    const seen = [
      link('p0', { isUp: false, addresses: ['10.84.0.1/22'] }),
      link('t0-2', { isUp: false }),
      tap('t0-3'),
    ]
    expect(linkCommands(seen, wanted('t0-2', 't0-3'))).toEqual([
      'address flush dev p0',
      'address add 10.80.0.1/22 dev p0',
      'link set p0 up',
      'link set t0-2 master p0',
      'link set t0-2 up',
    ])
  })

  test('a tap that nobody needs goes, and one that a guest has never does', () => {
    expect(linkCommands([bridge, tap('t0-2'), tap('t0-3', true)], wanted())).toEqual(['link delete t0-2'])
    expect(linkCommands([bridge, tap('t0-2'), tap('t0-3', true)], [])).toEqual(['link delete t0-2'])
  })

  test('a bridge goes with its last tap', () => {
    expect(linkCommands([bridge, tap('t0-2')], [])).toEqual(['link delete t0-2', 'link delete p0'])
  })

  test('taps of the reserve are there and not up, and go when their guest does', () => {
    const spare = spareTapOf('0199d6b5-8f3a-7000-8123-456789abcdef')
    expect([spare.length <= 15, placeOfTap(spare)]).toEqual([true, null])
    expect(linkCommands([], [], [spare])).toEqual([`tuntap add dev ${spare} mode tap`])
    const seen = [link(spare, { isUp: false })]
    expect(linkCommands(seen, [], [spare])).toEqual([])
    expect(linkCommands(seen, [], [])).toEqual([`link delete ${spare}`])
  })
})
