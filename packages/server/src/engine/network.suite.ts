import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildOnEachOther,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  PATIENCE_MS,
} from './engine.test-kit.ts'
import type { Engine, MachineSpec, NetworkSpec } from './engine.ts'

/**
 * The promises of the engine port about the networks of projects. Where the harness has real guests they ping each other.
 */
export function describeNetworks(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine with networks`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, code, real } = moves
    const [shop, bank] = [randomUUID(), randomUUID()]
    const web = machineSpec('web', { projectId: shop })
    const db = machineSpec('db', { projectId: shop })
    /** Of another project, under the same name. */
    const stranger = machineSpec('web', { projectId: bank })
    const all = [web, db, stranger]
    /** A name with what names of a network end in. */
    const full = (name: string, label: string, id: string) =>
      `${name}.${engine.capabilities.networkDomain.replace('{label}', label).replace('{id}', id)}`
    const network: NetworkSpec = {
      label: 'shop',
      internet: true,
      names: { web: [web.id], db: [db.id], everybody: [web.id, db.id], [web.id]: [web.id] },
    }
    const bankNetwork: NetworkSpec = { label: 'bank', internet: true, names: { web: [stranger.id] } }

    const needsNetworks = (skip: (note: string) => never) => moves.needs('networks', skip)
    const start = ({ id }: MachineSpec) => done(engine.startMachine(id, { freshRoot: false, volumeIds: [] }))
    const addresses = async (projectId = shop) => Object.fromEntries(await engine.networkAddresses(projectId))

    /** What a guest reaches under a name or an address: `reached` or `nothing`. */
    async function ping(from: MachineSpec, target: string): Promise<string> {
      const { address } = await until(from.id, 'ready')
      const command = `ping -c1 -W2 ${target} >/dev/null 2>&1 && echo reached || echo nothing`
      return ((await harness.ssh?.(address, command)) ?? '').trim()
    }
    /** Tries until a guest reaches it, or does no more; a ping that fails takes a few seconds itself. */
    async function pings(from: MachineSpec, target: string, wanted: string): Promise<void> {
      let last = ''
      for (let passed = 0; last !== wanted && passed < PATIENCE_MS; passed += 3_000) {
        last = await ping(from, target)
        if (last !== wanted) await harness.pass(500)
      }
      expect(`${from.hostname} to ${target}: ${last}`).toBe(`${from.hostname} to ${target}: ${wanted}`)
    }

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, ...all))
    })
    afterAll(async () => {
      for (const { id } of all) await moves.remove(id)
      for (const projectId of [shop, bank]) await done(engine.deleteProject(projectId))
      await engine.close()
      await harness.cleanUp()
    })

    test('an engine without networks keeps nothing of them', async ({ skip }) => {
      if (engine.capabilities.cannot.networks === null) skip('It has networks')
      await done(engine.putNetwork(shop, network))
      expect(await engine.listProjects()).not.toContain(shop)
      expect(await addresses()).toEqual({})
    })

    test('a network is there before its machines, however often it is told', async ({ skip }) => {
      needsNetworks(skip)
      await done(Promise.all([engine.putNetwork(shop, network), engine.putNetwork(shop, network)]))
      await done(engine.putNetwork(shop, network))
      await done(engine.putNetwork(bank, bankNetwork))
      expect((await engine.listProjects()).sort()).toEqual([shop, bank].sort())
      expect(await addresses()).toEqual({})
    })

    test('each machine has an address of its own in it', async ({ skip }) => {
      needsNetworks(skip)
      await moves.imageIsReady()
      for (const spec of all) await done(engine.createMachine(spec))
      for (const spec of all) await start(spec)
      for (const { id } of all) await until(id, 'ready')
      const known = await addresses()
      expect(Object.keys(known).sort()).toEqual([web.id, db.id].sort())
      expect(new Set(Object.values(known)).size).toBe(2)
      for (const address of Object.values(known)) expect(address).toMatch(/^\d+(\.\d+){3}$/)
      expect(Object.keys(await addresses(bank))).toEqual([stranger.id])
    }, 600_000)

    test('guests of a project find each other by name', async ({ skip }) => {
      needsNetworks(skip)
      real('ssh', skip)
      for (const target of ['db', full('db', 'shop', shop), (await addresses())[db.id] ?? ''])
        await pings(web, target, 'reached')
      for (const target of [
        'web',
        full('web', 'shop', shop),
        web.id,
        full(web.id, 'shop', shop),
        'everybody',
      ])
        await pings(db, target, 'reached')
    }, 300_000)

    test('guests of another project are neither found nor reached', async ({ skip }) => {
      needsNetworks(skip)
      real('ssh', skip)
      const known = await addresses()
      for (const target of ['db', full('db', 'shop', shop), full('web', 'shop', shop), known[db.id] ?? ''])
        expect(await ping(stranger, target)).toBe('nothing')
      expect(await ping(web, full('web', 'bank', bank))).toBe('nothing')
      // An address may well be there in both networks, where each has all of them for itself.
      const far = (await addresses(bank))[stranger.id] ?? ''
      if (!Object.values(known).includes(far)) expect(await ping(web, far)).toBe('nothing')
    }, 300_000)

    test('what is told is in place of what was told before, for living guests too', async ({ skip }) => {
      needsNetworks(skip)
      await done(engine.putNetwork(shop, { ...network, names: { web: [web.id], ledger: [db.id] } }))
      real('ssh', skip)
      await pings(web, 'ledger', 'reached')
      await pings(web, full('ledger', 'shop', shop), 'reached')
      await pings(web, 'db', 'nothing')
      await pings(web, 'everybody', 'nothing')
    }, 300_000)

    test('a name may be told before its machine is made', async ({ skip }) => {
      needsNetworks(skip)
      const later = randomUUID()
      await done(engine.putNetwork(shop, { ...network, names: { ...network.names, later: [later] } }))
      expect(await addresses()).not.toHaveProperty(later)
      real('ssh', skip)
      expect(await ping(web, 'later')).toBe('nothing')
      await pings(web, 'db', 'reached')
    }, 300_000)

    test('an address stays when its machine stops and starts, and with a new engine', async ({ skip }) => {
      needsNetworks(skip)
      const before = await addresses()
      await moves.powerOff(db.id)
      await start(db)
      await until(db.id, 'ready')
      const after = await addresses()
      // A cluster gives an address to a run: there, names are what stays.
      if (engine.capabilities.addresses === 'inside')
        expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort())
      else expect(after).toEqual(before)
      await engine.close()
      engine = await harness.open()
      expect(await addresses()).toEqual(after)
      expect((await engine.listProjects()).sort()).toEqual([shop, bank].sort())
    }, 300_000)

    test('what was told holds with a new engine', async ({ skip }) => {
      needsNetworks(skip)
      real('ssh', skip)
      await pings(web, 'db', 'reached')
      await pings(db, full('web', 'shop', shop), 'reached')
    }, 300_000)

    test('a project with machines is busy, and its network stays', async ({ skip }) => {
      needsNetworks(skip)
      const before = await addresses()
      expect(await code(engine.deleteProject(shop))).toBe('project-busy')
      expect(await addresses()).toEqual(before)
      if (harness.ssh) await pings(web, 'db', 'reached')
    }, 300_000)

    test('an address is gone with its machine, and the others stay', async ({ skip }) => {
      needsNetworks(skip)
      const { [db.id]: gone, ...others } = await addresses()
      expect(gone).toBeDefined()
      await moves.remove(db.id)
      expect(await addresses()).toEqual(others)
      if (harness.ssh) await pings(web, gone ?? '', 'nothing')
    }, 300_000)

    test('nothing is left of the network of a project that is deleted', async ({ skip }) => {
      needsNetworks(skip)
      await moves.remove(web.id)
      await done(engine.deleteProject(shop))
      await done(engine.deleteProject(shop))
      expect(await addresses()).toEqual({})
      expect(await engine.listProjects()).toEqual([bank])
      if (harness.traces) expect(await harness.traces(shop)).toEqual({ processes: [], files: [] })
    }, 300_000)
  })
}
