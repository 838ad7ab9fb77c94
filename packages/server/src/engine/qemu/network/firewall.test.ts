import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { describeWith } from '../../../lib/describe-with.test-kit.ts'
import { specialRangesV4 } from '../../../lib/public-hosts.ts'
import { makeFirewall, ruleset, watchFirewall } from './firewall.ts'

const users = { first: 999, count: 1 }
const limits = { connections: 40, newPerSecond: 1000 }

test('the rules name the user of the guests, and resolvers before what is refused', () => {
  const rules = ruleset([users], ['10.0.0.53', '::1', '192.168.1.1'], limits)
  expect(rules).toContain('meta skuid { 999 } jump guests')
  expect(rules.indexOf('ip daddr { 10.0.0.53, 192.168.1.1 }')).toBeGreaterThan(0)
  expect(rules.indexOf('th dport 53 accept')).toBeLessThan(rules.indexOf('oifname "lo"'))
})

test('the rules name all users that guests may be', () => {
  const many = ruleset([users, { first: 2000, count: 500 }, users], [], limits)
  expect(many).toContain('meta skuid { 999, 2000-2499 } jump guests')
})

test('without a resolver no door is left open for name resolution', () => {
  expect(ruleset([users], ['::1'], limits)).not.toContain('dport 53')
})

test('guests get nowhere that images are not fetched from', () => {
  for (const [network, prefix] of specialRangesV4)
    expect(ruleset([users], [], limits)).toContain(`${network}/${prefix}`)
  expect(ruleset([users], [], limits)).toContain('198.18.0.0/15')
})

test('rules that cannot be put in force let no guest start', async () => {
  const firewall = makeFirewall({ nft: () => Promise.reject(new Error('no nft')), resolvers: () => [] })
  await expect(firewall.ensure(users, limits)).rejects.toMatchObject({
    name: 'EngineError',
    retryable: true,
    message: expect.stringContaining('firewall rules'),
  })
})

/** Making a network is root's right, and not even root's in every container. */
const mayMakeNetworks = await run('unshare', ['-n', 'true']).then(
  () => true,
  () => false,
)
if (!mayMakeNetworks)
  console.log('SKIPPED: "the rules in a network of their own", because none may be made here')
const GUEST = 64_999
/** Among those who are kept away; the next id is not. */
const GUESTS = { first: 64_990, count: 10 }

/** A program that takes connections at some ports of all addresses, and says so. */
const answers = `
  const { createServer } = require('node:net')
  const { once } = require('node:events')
  const servers = process.argv[1].split(',').map((port) => createServer((socket) => socket.end()).listen(port, '0.0.0.0'))
  Promise.all(servers.map((server) => once(server, 'listening'))).then(() => console.log('open'))
`
/** Prints to which of its arguments, each an address and a port, there is a way. */
const knocks = 'for to; do (exec 3<>/dev/tcp/$to) 2>/dev/null && echo $to; done; true'

describeWith(['nft', 'unshare', 'nsenter', 'setpriv', 'ip'], 'the rules', () => {
  describe.skipIf(!mayMakeNetworks)('in a network of their own', () => {
    let holder: ChildProcess
    const inside = (...command: string[]) => ['-t', String(holder.pid), '-n', ...command]
    const nft = (args: readonly string[], input = '') => run('nsenter', inside('nft', ...args), { input })
    const listed = () => nft(['list', 'ruleset'])

    beforeEach(async () => {
      holder = spawn('unshare', ['-n', 'sleep', '600'])
      for (;;) {
        // Until then it is in ours.
        const names = await Promise.all(
          ['self', holder.pid].map((pid) => run('readlink', [`/proc/${pid}/ns/net`])),
        )
        if (names[0] !== names[1]) break
        await sleep(5)
      }
    })
    afterEach(() => holder.kill('SIGKILL'))

    test('stand once they were put in force, and are put back when somebody flushes or changes them', async () => {
      const firewall = makeFirewall({ nft, resolvers: () => ['10.0.0.53'] })
      expect(await firewall.ensure(users, limits)).toBe('changed')
      expect(await firewall.ensure(users, limits)).toBe('stood')
      const whole = await listed()
      for (const damage of [
        ['flush', 'ruleset'],
        ['flush', 'chain', 'inet', 'slipway', 'refuse'],
        ['insert', 'rule', 'inet', 'slipway', 'guests', 'accept'],
      ]) {
        await nft(damage)
        expect(await listed()).not.toBe(whole)
        expect(await firewall.ensure(users, limits)).toBe('put back')
        expect(await listed()).toBe(whole)
      }
    })

    test('that are other ones because the host tracks more connections were not put back', async () => {
      const firewall = makeFirewall({ nft, resolvers: () => [] })
      await firewall.ensure(users, limits)
      expect(await firewall.ensure(users, { ...limits, connections: limits.connections + 1 })).toBe('changed')
      await nft(['flush', 'ruleset'])
      expect(await firewall.ensure(users, limits)).toBe('changed')
    })

    test.each(['stood', 'changed', 'put back'] as const)(
      'that %s are told if they were put back',
      async (how) => {
        const told: string[] = []
        let looks = 0
        const stop = watchFirewall({
          ensure: async () => (looks++ === 0 ? how : 'stood'),
          isNeeded: () => true,
          log: { warn: (text: unknown) => told.push(String(text)), error: () => {} },
          everyMs: 5,
        })
        while (looks < 3) await sleep(5)
        stop()
        expect(told).toHaveLength(how === 'put back' ? 1 : 0)
      },
    )

    test('are watched while there is a guest, and what was put back is told', async () => {
      const firewall = makeFirewall({ nft, resolvers: () => [] })
      await firewall.ensure(users, limits)
      const told: string[] = []
      let guests = 0
      const stop = watchFirewall({
        ensure: () => firewall.ensure(users, limits),
        isNeeded: () => guests > 0,
        log: { warn: (text: unknown) => told.push(String(text)), error: () => {} },
        everyMs: 5,
      })
      await nft(['flush', 'ruleset'])
      await sleep(50)
      expect(await listed()).toBe('')
      guests = 1
      while (!(await listed()).includes('table inet slipway')) await sleep(5)
      while (told.length === 0) await sleep(5)
      stop()
      // A look under way would go on in the network of the next test.
      await firewall.ensure(users, limits)
      expect(told).toEqual([expect.stringContaining('put back')])
    })

    /**
     * Gives the network these addresses, lets something answer at all of them, and has root and then the guests' user
     * knock; resolves with where the latter got through. One interface carries all of them: under another name than
     * \`lo\` it is a wire to elsewhere.
     */
    async function knock(wire: string, addresses: string[], ports: number[]) {
      const ip = (...args: string[]) => run('nsenter', inside('ip', ...args))
      if (wire !== 'lo') await ip('link', 'set', 'lo', 'name', wire)
      await ip('link', 'set', wire, 'up')
      for (const address of addresses) await ip('address', 'add', `${address}/32`, 'dev', wire)
      const answering = spawn('nsenter', inside(process.execPath, '-e', answers, ports.join()))
      try {
        await once(answering.stdout, 'data')
        const targets = addresses.flatMap((address) => ports.map((port) => `${address}/${port}`))
        const reached = async (uid: number) => {
          const who = ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
          const text = await run('nsenter', inside(...who, 'bash', '-c', knocks, 'bash', ...targets))
          return text.trim().split('\n').filter(Boolean)
        }
        expect(await reached(0)).toEqual(targets)
        return await reached(GUEST)
      } finally {
        answering.kill('SIGKILL')
      }
    }

    test('keep a guest from this host and from the guests beside it', async () => {
      await makeFirewall({ nft, resolvers: () => [] }).ensure(GUESTS, limits)
      expect(await knock('lo', ['127.100.0.2', '8.8.8.8'], [22, 80])).toEqual([])
    })

    test('let a guest begin only so many connections, and tell who wanted more', async () => {
      const firewall = makeFirewall({ nft, resolvers: () => [] })
      await firewall.ensure(GUESTS, limits)
      const ip = (...args: string[]) => run('nsenter', inside('ip', ...args))
      await ip('link', 'set', 'lo', 'name', 'wire')
      await ip('link', 'set', 'wire', 'up')
      await ip('address', 'add', '8.8.8.8/32', 'dev', 'wire')
      const send = 'for port in $(seq 1 200); do echo x > /dev/udp/8.8.8.8/$port; done 2>/dev/null; true'
      const who = ['setpriv', '--reuid', `${GUEST}`, '--regid', `${GUEST}`, '--clear-groups']
      await run('nsenter', inside(...who, 'bash', '-c', send))
      const count = await run('nsenter', inside('cat', '/proc/sys/net/netfilter/nf_conntrack_count'))
      expect(Number(count)).toBeLessThanOrEqual(limits.connections + 10)
      expect([...(await firewall.refused()).keys()]).toEqual([GUEST])
      // What was counted is no change of the rules.
      expect(await firewall.ensure(GUESTS, limits)).toBe('stood')
    })

    test('let a guest out to the Internet and to its resolver, and to no cloud metadata, neighbour or private network', async () => {
      await makeFirewall({ nft, resolvers: () => ['10.0.0.53'] }).ensure(GUESTS, limits)
      const kept = ['169.254.169.254', '10.0.0.7', '172.16.0.1', '192.168.1.1', '100.64.0.1']
      expect(await knock('wire', ['8.8.8.8', '10.0.0.53', ...kept], [53, 80])).toEqual([
        '8.8.8.8/53',
        '8.8.8.8/80',
        '10.0.0.53/53',
      ])
    })
  })
})
