// @module-tag full
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { overlap, parseRange, type Range } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'
import { directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { silentLog } from '../../../lib/log.ts'
import { missing } from '../qemu-engine.test-kit.ts'
import { derivedLimits } from './guest-limits.ts'
import { keptNetworksIn } from './kept-networks.ts'
import { FORWARDER, FORWARDER_PORT, fileNamesIn } from './names.ts'
import { namespaceOf, removeNamespace } from './namespace.ts'
import { makeProjectNetworks } from './project-networks.ts'
import { makeRootGround } from './root-ground.ts'
import { chooseSpace, uplinkOf } from './space.ts'
import { whyNoProjectNetworks } from './trial.ts'

const why = missing ?? (process.getuid?.() === 0 ? await whyNoProjectNetworks() : 'it takes root')
if (why) console.log(`SKIPPED: "ranges of addresses of project networks", because ${why}`)

/** What is left of an installation whose link somebody removed: a program that serves at its end of the way out. */
async function serveAt(address: string): Promise<ChildProcess> {
  await run('ip', ['route', 'add', 'local', address, 'dev', 'lo'])
  const script = `require('node:net').createServer().listen(${FORWARDER_PORT}, '${address}', () => console.log('listening'))`
  const program = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(program.stdout, 'data')
  await run('ip', ['route', 'delete', 'local', address, 'dev', 'lo'])
  return program
}

/** Networks of an installation without guests: `alive` says which machines have one. */
async function makeInstallation() {
  const dataDir = directoryOfTest()
  const namespace = namespaceOf(dataDir)
  const ground = makeRootGround(dataDir)
  const alive = new Set<string>()
  return {
    dataDir,
    namespace,
    ground,
    alive,
    /** The address that a new guest gets. */
    async start(networks: ReturnType<typeof makeProjectNetworks>, project: string, machine: string) {
      await networks.assign(project, machine)
      const { plug, done } = await networks.join(machine)
      alive.add(machine)
      done()
      return plug.ip
    },
    /** As a server does that begins with this setting. */
    async open(named: Range | null) {
      const networks = makeProjectNetworks({
        ...{ dataDir, ground, named, limits: derivedLimits, log: silentLog },
        ...{ living: () => alive, isMade: async () => true, isOn: () => true },
      })
      await networks.open()
      onTestFinished(async () => {
        alive.clear()
        await networks.close()
      })
      return networks
    },
  }
}

const isIn = (range: Range, ip: string | undefined): boolean => {
  const address = parseRange(`${ip}/32`)
  return address !== null && overlap(address, range)
}

describe.skipIf(why)('ranges of addresses of project networks', () => {
  test('a range of addresses that another serves in is left to it', async () => {
    const { namespace, ground, open } = await makeInstallation()
    const wished = chooseSpace(await ground.takenRanges(), { named: null, usedSoFar: null, contested: [] })
    const other = await serveAt(uplinkOf(wished).host)
    onTestFinished(() => void other.kill('SIGKILL'))

    const [project, machine] = [randomUUID(), randomUUID()]
    const networks = await open(null)
    await networks.assign(project, machine)
    const { plug, done } = await networks.join(machine)
    done()
    expect(isIn(wished, plug.ip)).toBe(false)
    const routes = await run('ip', ['-4', 'route', 'show', 'dev', namespace.link])
    expect(routes).not.toContain(uplinkOf(wished).host)
    expect(await networks.addresses(project)).toEqual(new Map([[machine, plug.ip]]))
  })

  test('a range that the operator changes holds once no guest has an address of the old one', async () => {
    const { namespace, alive, open, start } = await makeInstallation()
    const [before, after] = [parseRange('10.201.0.0/16'), parseRange('10.202.0.0/16')]
    if (!before || !after) throw new Error('These are ranges')
    const [project, first, second] = [randomUUID(), randomUUID(), randomUUID()]
    const old = await open(before)
    const itsIp = await start(old, project, first)
    expect(isIn(before, itsIp)).toBe(true)

    const changed = await open(after)
    expect(isIn(before, await start(changed, project, second))).toBe(true)
    expect((await changed.addresses(project)).get(first)).toBe(itsIp)
    expect(await changed.look()).toEqual([])

    alive.clear()
    await changed.look()
    expect(await namespace.isThere()).toBe(false)
    expect(isIn(after, await start(changed, project, first))).toBe(true)
    expect(isIn(after, (await changed.addresses(project)).get(second))).toBe(true)
  })

  test('what is counted of a guest goes on being counted when other guests come and go', async () => {
    const { namespace, alive, open, start } = await makeInstallation()
    const [project, first, second] = [randomUUID(), randomUUID(), randomUUID()]
    const networks = await open(null)
    const ip = await start(networks, project, first)
    const table = ['inet', 'slipway_limits']
    const counted = `{ ${ip} counter packets 7 bytes 7 }`
    await namespace.inside('nft', ['add', 'element', ...table, 'refused', counted])
    await start(networks, project, second)
    alive.delete(second)
    expect(await networks.look()).toEqual([])
    expect(await networks.refused()).toEqual(new Map([[first, 7]]))

    await namespace.inside('nft', ['delete', 'table', ...table])
    expect(await networks.look()).toEqual(['firewall rules'])
    expect(await networks.refused()).toEqual(new Map())
  })

  test('addresses stay over a reboot of the host, which leaves nothing of networks', async () => {
    const { namespace, alive, open, start } = await makeInstallation()
    const [project, machine] = [randomUUID(), randomUUID()]
    const ip = await start(await open(null), project, machine)

    await removeNamespace(namespace)
    alive.clear()
    const networks = await open(null)
    expect(await namespace.isThere()).toBe(false)
    expect(await networks.addresses(project)).toEqual(new Map([[machine, ip]]))
    expect(await start(networks, project, machine)).toBe(ip)
    expect(await networks.look()).toEqual([])
  })

  test('a range stays with its installation while somebody has removed its way out', async () => {
    const [one, two] = [await makeInstallation(), await makeInstallation()]
    const [project, machine, later] = [randomUUID(), randomUUID(), randomUUID()]
    const networks = await one.open(null)
    const ip = await one.start(networks, project, machine)
    const range = parseRange((await keptNetworksIn(one.dataDir).readRange()) ?? '')
    if (!range) throw new Error('This is a range')
    expect(isIn(range, ip)).toBe(true)

    // No route of it is left on the host, and nobody serves at its address.
    await run('ip', ['link', 'delete', one.namespace.link])
    const forwarder = await readFile(fileNamesIn(one.namespace.files, FORWARDER).pid, 'utf8')
    process.kill(Number(forwarder), 'SIGKILL')
    const others = await two.open(null)
    expect(isIn(range, await two.start(others, randomUUID(), randomUUID()))).toBe(false)

    expect(await networks.look()).toEqual(expect.arrayContaining(['the way out', 'the forwarder of names']))
    expect(await others.look()).toEqual([])
    expect(isIn(range, await one.start(networks, project, later))).toBe(true)
  })
})
