import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { STARTER_IMAGE } from '../../image/image-store.ts'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { describeEngine } from '../engine.suite.ts'
import type { Engine } from '../engine.ts'
import { describeNetworks } from '../network.suite.ts'
import { runsSector } from './accelerator.ts'
import {
  makeHarness,
  missing,
  processesOf,
  starterMachine,
  startServer,
  testEngine,
  testImages,
} from './qemu-engine.test-kit.ts'

/** A server of few words: launches a machine, prints the run and stays. */
const launchAndStay = `
  const [dataDir, spec] = process.argv.slice(1)
  const { testEngine } = await import('./qemu-engine.test-kit.ts')
  const engine = await testEngine(dataDir)
  const machine = JSON.parse(spec)
  await engine.open()
  await engine.createMachine(machine)
  await engine.startMachine(machine.id, { freshRoot: false, volumeIds: [] })
  process.stdout.write((await engine.inspect(machine.id)).run)
  setInterval(() => {}, 60_000)
`

if (missing === undefined) {
  describeEngine('QEMU', () => makeHarness())
  describeNetworks('QEMU where networks are switched on', () => makeHarness('auto'))
  describe('QEMU when things go wrong', () => {
    const dataDir = directoryForAll()
    const spec = starterMachine('wrong-1', { memoryMb: 512 })
    async function withEngine(work: (engine: Engine) => Promise<void>) {
      const engine = await testEngine(dataDir())
      await engine.open()
      try {
        await work(engine)
      } finally {
        await engine.deleteMachine(spec.id)
        await engine.close()
      }
    }

    test('a guest lives on when the server that launched it is killed', async () => {
      const server = await startServer(launchAndStay, dataDir(), JSON.stringify(spec))
      await server.kill()
      await withEngine(async (engine) => {
        const state = await engine.inspect(spec.id)
        expect(state).toMatchObject({ run: server.said })
        expect(['booting', 'ready']).toContain(state.power)
      })
    })

    test('an engine that is closed leaves guests to the next one', async () => {
      const earlier = await testEngine(dataDir())
      await earlier.open()
      await earlier.createMachine(spec)
      await earlier.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
      await earlier.close()
      await expect(earlier.powerDown(spec.id)).rejects.toThrow('shutting down')
      await withEngine((engine) => engine.powerDown(spec.id))
    })

    test('a machine whose root disk is damaged is broken, until it starts afresh', async () => {
      await withEngine(async (engine) => {
        await engine.createMachine(spec)
        await writeFile(join(dataDir(), 'machines', spec.id, 'root.qcow2'), 'nonsense')
        expect((await engine.inspect(spec.id)).power).toBe('broken')
        await expect(engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })).rejects.toThrow(
          'root disk',
        )
        await engine.startMachine(spec.id, { freshRoot: true, volumeIds: [] })
        expect((await engine.inspect(spec.id)).power).toBe('booting')
      })
    })

    test('another program on its port makes a machine move to another one', async () => {
      await withEngine(async (engine) => {
        await engine.createMachine(spec)
        const record = JSON.parse(
          await readFile(join(dataDir(), 'machines', spec.id, 'machine.json'), 'utf8'),
        )
        const squatter = createServer().listen(record.address.port, record.address.ip)
        await once(squatter, 'listening')
        await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
        const state = await engine.inspect(spec.id)
        expect(state).toMatchObject({ power: 'booting', address: { ip: record.address.ip } })
        expect(state).not.toMatchObject({ address: record.address })
        squatter.close()
      })
    })

    test('a machine whose volume is lost or damaged is not launched, and leaves no process', async () => {
      await withEngine(async (engine) => {
        await engine.createMachine(spec)
        const lost = randomUUID()
        const start = () => engine.startMachine(spec.id, { freshRoot: false, volumeIds: [lost] })
        await expect(start()).rejects.toMatchObject({ code: 'volume-missing' })
        await writeFile(join(dataDir(), 'volumes', `${lost}.qcow2`), 'nonsense')
        const refusal = await start().catch((error: unknown) => error)
        expect(refusal).toMatchObject({ code: 'launch-failed' })
        expect(String(refusal)).toMatch(/could not be started: .*qcow2 format/)
        expect(String(refusal)).not.toMatch(/qemu|\//i)
        expect(await engine.inspect(spec.id)).toEqual({ power: 'off', run: null, exit: null })
        expect(await processesOf(spec.id)).toEqual([])
        await engine.deleteVolume(lost)
      })
    })

    test('a damaged image is found out and made again with the same content', {
      tags: ['full'],
    }, async () => {
      const own = join(dataDir(), 'images')
      const store = await testImages(dataDir(), own)
      const { disk } = await store.use(STARTER_IMAGE)
      await chmod(disk, 0o644)
      await writeFile(disk, 'x', { flag: 'r+' })
      const [one, other] = await Promise.all([store.use(STARTER_IMAGE), store.use(STARTER_IMAGE)])
      expect(one).toEqual(other)
      expect(one.disk).toBe(disk)
      expect(await store.look(STARTER_IMAGE)).toEqual({ state: 'ready' })
      expect((await readdir(own)).filter((name) => name.startsWith('work-'))).toEqual([])
    })

    test('the probe of accelerators is passed by translation', async () => {
      expect(await runsSector(['-accel', 'tcg'])).toBe(true)
    })
  })
} else {
  const mustRun = process.env.CI === 'true' || process.env.SLIPWAY_REQUIRE_QEMU === '1'
  describe('QEMU as an engine', () => {
    test.skipIf(!mustRun)('real guests can be tested here', () => {
      throw new Error(missing)
    })
  })
  console.log(`SKIPPED: ${missing}, so no real guest was tested`)
}
