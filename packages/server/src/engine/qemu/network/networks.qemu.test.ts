// @module-tag full
import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseRange } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'
import type { Address, Engine } from '../../engine.ts'
import {
  makeKey,
  missing,
  type SignIn,
  starterMachine,
  startServer,
  testEngine,
  untilIs,
} from '../qemu-engine.test-kit.ts'
import { datagram } from './frames.test-kit.ts'
import { watchFrames } from './frames.watch.test-kit.ts'
import { bridgeOf } from './links.ts'
import { clearAbandonedByRoot, namespaceOf } from './namespace.ts'
import { hostRules, hostTable } from './rules.ts'
import { elsewhere, makeSurroundings, PORT } from './surroundings.test-kit.ts'
import { whyNoProjectNetworks } from './trial.ts'

const why = missing ?? (process.getuid?.() === 0 ? await whyNoProjectNetworks() : 'it takes root')
if (why) console.log(`SKIPPED: "networks of projects", because ${why}`)

const PATIENCE_MS = process.env.CI ? 300_000 : 120_000

/** A server of few words: looks after networks, and says when it begins. */
const lookAfter = `
  const { testEngine } = await import('./qemu-engine.test-kit.ts')
  await (await testEngine(process.argv[1], { networks: 'auto' })).open()
  process.stdout.write('begun')
  setInterval(() => {}, 60_000)
`

const isRepair = (line: string): boolean =>
  line.includes('Parts of the networks of projects were missing and have been put back') &&
  line.includes('firewall rules')

describe.skipIf(why)('networks of projects', () => {
  const [shop, other] = [randomUUID(), randomUUID()]
  let dataDir: string
  let engine: Engine
  let surroundings: { close(): Promise<void> }
  let ssh: SignIn
  const ids = { web: '', data: '', stranger: '' }
  type Name = keyof typeof ids
  const addresses = new Map<Name, Address>()

  /** What the engine has warned of. */
  const warned: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) })

  async function openEngine(): Promise<void> {
    engine = await testEngine(dataDir, { networks: 'auto', log })
    await engine.open()
  }
  const at = (name: Name): Address => {
    const address = addresses.get(name)
    if (!address) throw new Error(`${name} is not ready`)
    return address
  }
  const inGuest = (name: Name, command: string) => ssh(at(name), `${command}\ntrue`)
  const inNamespace = (command: string, ...args: string[]) => namespaceOf(dataDir).inside(command, args)
  async function ready(name: Name): Promise<void> {
    addresses.set(name, (await untilIs(engine, ids[name], 'ready')).address)
  }
  /** Which of these the guest gets through to. */
  async function reached(from: Name, targets: readonly [address: string, port: number][]): Promise<string[]> {
    const knocks = targets.map(
      ([address, port]) =>
        `(timeout 4 nc ${address} ${port} < /dev/null | grep -q -e open -e SSH && echo ${address}) &`,
    )
    const said = await inGuest(from, `${knocks.join('\n')}\nwait`)
    return said.split('\n').filter(Boolean).sort()
  }
  async function forbidden(): Promise<[string, number][]> {
    const { host, gateways } = await hostAddresses()
    const refused = [
      ...host,
      ...gateways,
      ...Object.values(elsewhere).filter((ip) => ip !== elsewhere.public),
    ]
    return [...refused.map((ip): [string, number] => [ip, PORT]), [at('stranger').ip, 22]]
  }
  async function hostAddresses() {
    const list = async (text: Promise<string>) =>
      [...(await text).matchAll(/inet ([\d.]+)/g)].map(([, ip = '']) => ip)
    const all = await list(run('ip', ['-4', 'address']))
    return {
      host: all.filter((ip) => !ip.startsWith('127.')),
      gateways: await list(inNamespace('ip', '-4', 'address')),
    }
  }
  const macOf = async (name: Name) => (await inGuest(name, 'cat /sys/class/net/eth0/address')).trim()

  let frames: Awaited<ReturnType<typeof watchFrames>>

  async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(250))
      if (await holds().catch(() => false)) return
    throw new Error(`It never came: ${what}`)
  }

  let mask = 0
  beforeAll(async () => {
    // As the server has it: nothing of it is for others to read.
    mask = process.umask(0o077)
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-networks-'))
    const key = await makeKey(join(dataDir, 'key'))
    ssh = key.ssh
    surroundings = await makeSurroundings()
    await openEngine()
    for (const name of Object.keys(ids) as Name[]) {
      ids[name] = randomUUID()
      const projectId = name === 'stranger' ? other : shop
      const sshPublicKeys = [key.publicKey]
      await engine.createMachine(starterMachine(name, { id: ids[name], projectId, sshPublicKeys }))
      await engine.startMachine(ids[name], { freshRoot: false, volumeIds: [] })
    }
    const { web, data, stranger } = ids
    await engine.putNetwork(shop, { label: 'shop', internet: true, names: { web: [web], data: [data] } })
    await engine.putNetwork(other, { label: 'shop', internet: true, names: { web: [stranger] } })
    for (const name of Object.keys(ids) as Name[]) await ready(name)
    frames = await watchFrames(namespaceOf(dataDir), bridgeOf(0), {
      own: { mac: await macOf('web'), ip: at('web').ip },
      other: { mac: await macOf('data'), ip: at('data').ip },
      inGuest: (command) => inGuest('web', command),
      dir: dataDir,
    })
  })

  afterAll(async () => {
    await frames?.end()
    for (const id of (await engine.list()).keys()) await engine.deleteMachine(id)
    await engine.close()
    await surroundings.close()
    process.umask(mask)
    await rm(dataDir, { recursive: true, force: true })
  })

  test('the same name means another guest in another project of the same label', async () => {
    expect(await inGuest('data', 'nslookup web.shop.internal')).toContain(at('web').ip)
    expect(await inGuest('stranger', 'nslookup web.shop.internal')).toContain(at('stranger').ip)
  })

  test('guests reach the Internet, and nothing of the host, its networks or other projects', async () => {
    const allowed: [string, number][] = [
      [elsewhere.public, PORT],
      [at('data').ip, 22],
    ]
    expect(await reached('web', [...allowed, ...(await forbidden())])).toEqual(
      allowed.map(([ip]) => ip).sort(),
    )
    // Each of them answers whoever may ask.
    for (const ip of [...(await hostAddresses()).host, ...Object.values(elsewhere)])
      expect(await run('bash', ['-c', `timeout 5 head -c 4 < /dev/tcp/${ip}/${PORT}`])).toBe('open')
  })

  test('Internet access of a project can be switched off and on while guests live', async () => {
    const network = { label: 'shop', names: { web: [ids.web], data: [ids.data] } }
    await engine.putNetwork(shop, { ...network, internet: false })
    expect(await reached('web', [[elsewhere.public, PORT]])).toEqual([])
    expect(await reached('stranger', [[elsewhere.public, PORT]])).toEqual([elsewhere.public])
    expect(await inGuest('web', 'ping -c 1 -W 5 data')).toContain('1 packets received')
    await engine.putNetwork(shop, { ...network, internet: true })
    expect(await reached('web', [[elsewhere.public, PORT]])).toEqual([elsewhere.public])
  })

  test('a guest cannot take the address of another where the gateway judges it', async () => {
    const { ip } = at('data')
    const gateway = /via ([\d.]+)/.exec(await inGuest('web', 'ip route'))?.[1] ?? ''
    expect(gateway).toMatch(/^10\./)
    // Said to be ours by ARP, and as the sender of packets.
    const taken = await inGuest(
      'web',
      `ip address add ${ip}/32 dev eth0; arping -U -c 2 -I eth0 -s ${ip} ${ip}; arping -A -c 1 -I eth0 -s ${ip} ${ip};
       ping -c 1 -W 2 -I ${ip} ${gateway}; ip address delete ${ip}/32 dev eth0`,
    )
    expect(taken).toContain(' 0 packets received')
    expect(await inNamespace('ip', 'neigh', 'show', ip)).not.toContain(await macOf('web'))
    expect(await inGuest('data', 'hostname')).toContain('data')
  })

  test('nothing that a guest says in the name of others gets further, byte for byte', async () => {
    expect(await frames.passing()).toEqual(frames.honest)
  })

  test('nothing that a guest sends to this host or its loopback addresses arrives', async () => {
    const told: string[] = []
    const listener = createSocket('udp4').on('message', (text) => told.push(text.toString()))
    listener.bind(PORT, '0.0.0.0')
    await once(listener, 'listening')
    const host = ['127.0.0.1', '127.0.0.53', '127.100.0.1', ...(await hostAddresses()).host]
    try {
      await frames.send(
        [...host, frames.cast.gateway.ip].map((ip) =>
          datagram(frames.cast, ip, PORT, `from a guest to ${ip}`),
        ),
      )
      const sender = createSocket('udp4')
      for (const ip of host) sender.send(`from the host to ${ip}`, PORT, ip)
      await eventually('what the host sends', async () => told.length >= host.length)
      sender.close()
      expect(told.sort()).toEqual(host.map((ip) => `from the host to ${ip}`).sort())
    } finally {
      listener.close()
    }
  })

  test('rules of the host may be flushed: nothing is open for a moment, and all is put back', async () => {
    const table = `inet ${namespaceOf(dataDir).name.replaceAll('-', '_')}`
    const flood = await frames.flood()
    const before = warned.length
    await run('nft', ['delete', 'table', ...table.split(' ')])
    const flushed = performance.now()
    await eventually('the table of the host', async () =>
      (await run('nft', ['list', 'table', ...table.split(' ')])).includes('masquerade'),
    )
    console.log(`NOTE: the table of the host was back after ${Math.round(performance.now() - flushed)} ms`)
    await eventually('an entry that says so', async () => warned.slice(before).some(isRepair))
    const { passed, rounds } = await flood.end()
    console.log(`NOTE: meanwhile the guest sent ${rounds} times what it may not`)
    expect(passed).toEqual(frames.honest)
    expect(await reached('web', await forbidden())).toEqual([])
    expect(await reached('web', [[elsewhere.public, PORT]])).toEqual([elsewhere.public])
  })

  test('rules that another installation left behind keep nobody from guests, and go with the next start of a server', async () => {
    const left = 'slipway-0badcafe'
    const range = parseRange(await readFile(join(namespaceOf(dataDir).files, 'range'), 'utf8'))
    if (!range) throw new Error('the namespace has no range')
    const tables = () => run('nft', ['list', 'tables'])
    await run('nft', ['-f', '-'], { input: hostRules(left, 'sw-0badcafe', range) })
    try {
      expect(await inGuest('web', 'hostname')).toContain('web')
      expect(await reached('web', [[elsewhere.public, PORT]])).toEqual([elsewhere.public])
      expect(await tables()).toContain(hostTable(left))
      await clearAbandonedByRoot()
      expect(await tables()).not.toContain(hostTable(left))
      expect(await tables()).toContain(hostTable(namespaceOf(dataDir).name))
    } finally {
      await run('nft', ['delete', 'table', 'inet', hostTable(left)]).catch(() => {})
    }
  })

  test('what was flushed, killed or removed in the namespace is put back', async () => {
    await inNamespace('nft', 'flush', 'ruleset')
    const flushed = performance.now()
    await eventually('the rules inside', async () =>
      (await inNamespace('nft', 'list', 'ruleset')).includes('@members'),
    )
    console.log(`NOTE: the rules were back ${Math.round(performance.now() - flushed)} ms after a flush`)
    // A connection that was begun in between may stand still.
    await eventually('an answer of the guest', async () => (await inGuest('web', 'hostname')).includes('web'))
    expect(await frames.passing()).toEqual(frames.honest)
    await run('pkill', ['-KILL', '-f', namespaceOf(dataDir).files])
    await run('ip', ['link', 'delete', namespaceOf(dataDir).link])
    await eventually(
      'the way out',
      async () => (await reached('web', [[elsewhere.public, PORT]])).length === 1,
    )
    await eventually('names', async () =>
      (await inGuest('web', 'ping -c 1 -W 2 data 2>&1')).includes('1 packets received'),
    )
    expect(await reached('web', await forbidden())).toEqual([])
  })

  test('nobody’s network ends with the server, and the next one takes it up', async () => {
    await engine.close()
    expect(await inGuest('web', 'ping -c 1 -W 5 data')).toContain('1 packets received')
    const server = await startServer(lookAfter, dataDir)
    const { name, files } = namespaceOf(dataDir)
    const flood = await frames.flood()
    await server.kill()
    await run('pkill', ['-KILL', '-f', files])
    await run('nft', ['delete', 'table', 'inet', name.replaceAll('-', '_')])
    await flood.pass(2)
    expect(await reached('data', await forbidden())).toEqual([])
    expect((await flood.end()).passed).toEqual(frames.honest)
    await inNamespace('nft', 'flush', 'ruleset')
    await openEngine()
    expect(await inNamespace('nft', 'list', 'ruleset')).toContain('@members')
    expect(await frames.passing()).toEqual(frames.honest)
    expect(await reached('web', await forbidden())).toEqual([])
    expect(await inGuest('web', 'ping -c 1 -W 5 data')).toContain('1 packets received')
    await eventually('all of them', async () => {
      const states = await Promise.all(Object.values(ids).map((id) => engine.inspect(id)))
      return states.every(({ power }) => power === 'ready')
    })
  })

  test('with the last guest everything of it goes', async () => {
    await frames.end()
    const { name, link, files, isThere } = namespaceOf(dataDir)
    for (const id of Object.values(ids)) await engine.deleteMachine(id)
    await eventually('that the namespace is gone', async () => !(await isThere()))
    // Its files are the last that go.
    const ofFiles = files.slice('/run/'.length)
    await eventually('that its files are gone', async () => !(await readdir('/run')).includes(ofFiles))
    expect(await run('ip', ['link'])).not.toContain(link)
    expect(await run('nft', ['list', 'tables'])).not.toContain(name.replaceAll('-', '_'))
    expect(await run('sh', ['-c', 'pgrep -a dnsmasq || true'])).not.toContain(files)
  })
})
