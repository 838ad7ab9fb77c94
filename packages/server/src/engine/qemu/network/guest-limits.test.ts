import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Range } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'
import { describeWith } from '../../../lib/describe-with.test-kit.ts'
import { directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { derivedLimits, guestLimits, limitRules, readRefused } from './guest-limits.ts'
import { FORWARDER, fileNamesIn, forwarderSettings, settingsOf } from './names.ts'
import { frameRules, packetRules } from './rules.ts'
import { partOf, uplinkOf } from './space.ts'

test('the limits of a guest are parts of what the host tracks, unless the operator sets them', () => {
  expect(guestLimits(derivedLimits, 262_144)).toEqual({ connections: 4096, newPerSecond: 256 })
  expect(guestLimits(derivedLimits, 1000)).toEqual({ connections: 256, newPerSecond: 32 })
  expect(guestLimits({ connections: 20_000, newPerSecond: null }, 262_144)).toEqual({
    connections: 20_000,
    newPerSecond: 1250,
  })
  expect(guestLimits({ connections: null, newPerSecond: 9 }, 262_144).newPerSecond).toBe(9)
})

/** Named namespaces are root's, and not even root's in every container. */
const probe = `slipway-probe-${process.pid}`
const mayMakeNetworks = await run('ip', ['netns', 'add', probe])
  .then(() => run('ip', ['netns', 'delete', probe]))
  .then(
    () => true,
    () => false,
  )
if (!mayMakeNetworks) console.log('SKIPPED: "the share of a guest", because no namespaces may be made here')

const space: Range = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const uplink = uplinkOf(space)
const PUBLIC = '11.77.0.1'
const TCP_PORT = 7077

/** Answers every datagram, and takes connections. */
const world = `
  const socket = require('node:dgram').createSocket('udp4')
  socket.on('message', (text, from) => socket.send(text, from.port, from.address)).bind(7078, '${PUBLIC}')
  require('node:net').createServer((line) => line.on('error', () => {}).end('open'))
    .listen(${TCP_PORT}, '0.0.0.0', () => console.log('listening'))
`
/** Sends a datagram to each of so many ports, all in a moment. */
const flood = `
  const [, first, count] = process.argv.map(Number)
  const socket = require('node:dgram').createSocket('udp4')
  let left = count
  for (let port = first; port < first + count; port++)
    socket.send('x', port, '${PUBLIC}', () => --left || socket.close())
`
/** Prints how many of 20 connections were made. */
const knock = `
  let [open, left] = [0, 20]
  for (let i = 0; i < 20; i++) {
    const line = require('node:net').connect(${TCP_PORT}, '${PUBLIC}').on('error', () => {})
    const late = setTimeout(() => line.destroy(), 900)
    line.on('data', () => open++).on('close', () => (clearTimeout(late), --left || console.log(open)))
  }
`
/** Says something each time it is told to, by one connection, and prints how often it got an answer. */
const talk = `
  const socket = require('node:dgram').createSocket('udp4')
  let answers = 0
  socket.on('message', () => console.log(++answers)).bind(() => socket.send('x', 7078, '${PUBLIC}'))
  process.stdin.on('data', () => socket.send('x', 7078, '${PUBLIC}'))
`

/** Names of a project as its own name server is told of them. */
const spec = { label: 'shop', internet: true, names: {} }

describeWith(['nft', 'ip', 'nsenter', 'dnsmasq'], 'the share of a guest', () => {
  describe.skipIf(!mayMakeNetworks)('in networks of their own', () => {
    const named = (what: string) => `slipway-share-${what}-${process.pid}`
    /** All guests and their bridges; what is outside; a guest of either project. */
    const [inside, outside] = [named('inside'), named('outside')]
    const guests = [named('guest0'), named('guest1')] as const
    const programs: ChildProcess[] = []

    const ip = (namespace: string, ...args: string[]) => run('ip', ['-n', namespace, ...args])
    const entered = (namespace: string, ...command: string[]) => [
      `--net=/run/netns/${namespace}`,
      '--',
      ...command,
    ]
    const within = (namespace: string, command: string[], input?: string) =>
      run('nsenter', entered(namespace, ...command), input === undefined ? {} : { input })
    const program = (namespace: string, script: string, ...args: (string | number)[]) =>
      within(namespace, [process.execPath, '-e', script, ...args.map(String)])
    function started(namespace: string, ...command: string[]) {
      const child = spawn('nsenter', entered(namespace, ...command), { stdio: ['pipe', 'pipe', 'inherit'] })
      programs.push(child)
      return child
    }
    const tracked = async () =>
      Number(await within(inside, ['cat', '/proc/sys/net/netfilter/nf_conntrack_count']))
    const rules = (text: string) => within(inside, ['nft', '-f', '-'], text)

    const networks = [0, 1].map((index) => ({
      ...{ bridge: `p${index}`, index, internet: true },
      ports: [{ tap: `t${index}-2`, mac: `52:54:00:00:00:0${index + 2}`, ip: `10.80.${4 * index}.2` }],
    }))

    async function wire(name: string, to: { namespace: string; name: string }) {
      const peer = ['peer', 'name', to.name, 'netns', to.namespace]
      await ip(inside, 'link', 'add', name, 'type', 'veth', ...peer)
      await ip(inside, 'link', 'set', name, 'up')
    }

    beforeEach(async () => {
      for (const one of [inside, outside, ...guests]) {
        await run('ip', ['netns', 'add', one])
        await ip(one, 'link', 'set', 'lo', 'up')
      }
      await within(inside, ['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'])
      await wire('uplink', { namespace: outside, name: 'in' })
      await ip(outside, 'link', 'set', 'in', 'up')
      await ip(outside, 'address', 'add', `${uplink.host}/30`, 'dev', 'in')
      await ip(outside, 'address', 'add', `${PUBLIC}/32`, 'dev', 'lo')
      await ip(outside, 'route', 'add', '10.80.0.0/14', 'via', uplink.inside)
      await ip(inside, 'address', 'add', `${uplink.inside}/30`, 'dev', 'uplink')
      await ip(inside, 'route', 'add', 'default', 'via', uplink.host)
      for (const [index, guest] of guests.entries()) {
        const { bridge, ports } = networks[index] ?? { bridge: '', ports: [] }
        const { gateway } = partOf(space, index)
        await ip(inside, 'link', 'add', bridge, 'type', 'bridge')
        await ip(inside, 'address', 'add', `${gateway}/22`, 'dev', bridge)
        await ip(inside, 'link', 'set', bridge, 'up')
        for (const { tap, mac, ip: address } of ports) {
          await wire(tap, { namespace: guest, name: 'eth0' })
          await ip(inside, 'link', 'set', tap, 'master', bridge)
          await ip(guest, 'link', 'set', 'eth0', 'address', mac, 'up')
          await ip(guest, 'address', 'add', `${address}/22`, 'dev', 'eth0')
        }
        await ip(guest, 'route', 'add', 'default', 'via', gateway)
      }
      await rules(frameRules(networks) + packetRules(space, networks, []))
    })
    afterEach(async () => {
      await Promise.all(
        programs.splice(0).map((one) => one.exitCode ?? (one.kill('SIGKILL') && once(one, 'close'))),
      )
      for (const one of [inside, outside, ...guests])
        await run('ip', ['netns', 'delete', one]).catch(() => {})
    })

    test('ends a flood of new connections, and neither those that are made nor those of other projects', async () => {
      await once(started(outside, process.execPath, '-e', world).stdout, 'data')
      const [flooder, other] = guests
      await program(flooder, flood, 10_000, 600)
      const without = await tracked()
      expect(without).toBeGreaterThanOrEqual(600)

      const talker = started(flooder, process.execPath, '-e', talk)
      await once(talker.stdout, 'data')
      const limits = { connections: 60, newPerSecond: 40 }
      await rules(limitRules(limits))
      // As fast as that for a moment, then as many as that.
      await program(flooder, flood, 20_000, 600)
      expect((await tracked()) - without).toBeLessThanOrEqual(2 * limits.newPerSecond + 5)
      await program(flooder, flood, 30_000, 600)
      await program(flooder, flood, 40_000, 600)
      expect((await tracked()) - without).toBeLessThanOrEqual(limits.connections + 25)

      expect(Number(await program(flooder, knock))).toBeLessThan(20)
      expect(Number(await program(other, knock))).toBe(20)
      for (let said = 2; said <= 10; said++) {
        talker.stdin.write('x')
        expect(Number(await once(talker.stdout, 'data'))).toBe(said)
      }
      const refused = readRefused(
        await within(inside, ['nft', '-j', 'list', 'set', 'inet', 'slipway_limits', 'refused']),
      )
      expect([...refused.keys()]).toEqual(['10.80.0.2'])
      expect(refused.get('10.80.0.2')).toBeGreaterThan(1500)
    })

    test('leaves names to others while one project asks for those that nobody answers', async () => {
      const dir = directoryOfTest()
      await chmod(dir, 0o755)
      const upstream = `
        const socket = require('node:dgram').createSocket('udp4')
        socket.on('message', (question, from) => {
          if (question.includes('silent')) return
          const answer = Buffer.concat([question, Buffer.from('c00c00010001000000050004', 'hex'), Buffer.from([9, 9, 9, 9])])
          answer.writeUInt16BE(0x8180, 2)
          answer.writeUInt16BE(1, 6)
          answer.writeUInt16BE(0, 10)
          socket.send(answer, from.port, from.address)
        }).bind(5300, '127.0.0.1', () => console.log('listening'))
      `
      await once(started(outside, process.execPath, '-e', upstream).stdout, 'data')
      const serve = async (namespace: string, name: string, settings: string, ...args: string[]) => {
        const { settings: path } = fileNamesIn(dir, name)
        await writeFile(path, settings)
        await chmod(path, 0o644)
        started(namespace, 'dnsmasq', '--keep-in-foreground', `--conf-file=${path}`, ...args)
      }
      const own = ['--no-resolv', '--server=127.0.0.1#5300']
      await serve(outside, FORWARDER, forwarderSettings(space, fileNamesIn(dir, FORWARDER)), ...own)
      for (const { bridge, index } of networks) {
        const files = fileNamesIn(dir, bridge)
        for (const path of [files.names, files.leases]) await writeFile(path, '')
        const network = { index, bridge, spec, machines: [], places: new Map() }
        const by = { user: 'nobody', resolver: `${uplink.host}#10053` }
        await serve(inside, bridge, settingsOf(space, network, files, by))
      }
      await rules(limitRules({ connections: 4096, newPerSecond: 4096 }))

      // Sends questions for names, so many in a second, and prints how many were answered.
      const ask = `
        const [, server, name, count, everyMs] = process.argv
        const socket = require('node:dgram').createSocket('udp4')
        const part = (text) => Buffer.from([text.length, ...Buffer.from(text)])
        const answered = new Set()
        socket.on('message', (answer) => answer.readUInt16BE(6) > 0 && answered.add(answer.readUInt16BE(0)))
        const end = Buffer.from('0000010001', 'hex')
        let asked = 0
        const timer = setInterval(() => {
          const head = Buffer.from('000001000001000000000000', 'hex')
          head.writeUInt16BE(asked, 0)
          socket.send(Buffer.concat([head, part(name + asked), part('example'), end]), 53, server)
          if (++asked < Number(count)) return
          clearInterval(timer)
          setTimeout(() => (console.log(answered.size), socket.close()), 500)
        }, Number(everyMs))
      `
      const [flooder, other] = guests
      await expect.poll(() => program(other, ask, '10.80.4.1', 'early', 1, 1)).toBe('1\n')
      const silent = started(flooder, process.execPath, '-e', ask, '10.80.0.1', 'silent', '800', '5')
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(Number(await program(other, ask, '10.80.4.1', 'good', 15, 60))).toBe(15)
      silent.kill('SIGKILL')
      expect(await readFile(fileNamesIn(dir, FORWARDER).settings, 'utf8')).toContain('dns-forward-max=7650')
    })
  })
})
