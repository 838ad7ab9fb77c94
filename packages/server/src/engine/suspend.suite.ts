import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BOOT_ID,
  buildOnEachOther,
  COUNT_FOR_EVER,
  type Content,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  SIZE,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine } from './engine.ts'

/**
 * The promises of the engine port about suspending machines. Where the harness has a real guest, something counts in it.
 */
export function describeSuspend(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine that suspends`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, code } = moves
    const data = randomUUID()
    // A guest that goes on keeps its root disk all the same.
    const sleeper = machineSpec('sleeper-1', { persistent: false })
    const { id } = sleeper

    const needsSuspend = (skip: (note: string) => never) => moves.needs('suspend', skip)
    const start = () => done(engine.startMachine(id, { freshRoot: true, volumeIds: [data] }))
    const suspend = () => done(engine.suspendMachine(id, work()))
    async function suspended(): Promise<void> {
      await suspend()
      expect(await engine.inspect(id)).toMatchObject({ power: 'suspended' })
    }
    const inGuest = (command: string) => moves.inGuest(id, command)
    const write = (where: Content, text: string) => moves.write(id, where, text)
    const read = (where: Content) => moves.read(id, where)
    /** How many seconds the clock of the guest is behind, or ahead of, the time in which it was asked; zero within one second. */
    async function secondsOff(): Promise<number> {
      const asked = Date.now() / 1000
      const said = Number(await inGuest('date +%s'))
      return said < asked - 2 ? said - asked : Math.max(0, said - 1 - Date.now() / 1000)
    }
    const everywhere: Content[] = [{ memoryOf: id }, { machineId: id }, { volumeId: data }]

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, sleeper))
      if (engine.capabilities.cannot.suspend !== null) return
      await moves.imageIsReady()
      await done(engine.createVolume(volumeSpec(data, { from: 'nothing' }, 1024 * 1024), work()))
      await done(engine.createMachine(sleeper))
    })
    afterAll(async () => {
      if (engine.capabilities.cannot.suspend === null) {
        await done(engine.deleteMachine(id))
        await done(engine.deleteVolume(data))
      }
      await engine.close()
      await harness.cleanUp()
    })

    test('an engine that cannot suspend says so when it is asked to', async ({ skip }) => {
      const limit = engine.capabilities.cannot.suspend
      if (limit === null) skip(`${name} can suspend machines`)
      expect(await code(engine.suspendMachine(id, work()))).toBe('unsupported')
    })

    test('a machine without a guest cannot be suspended', async ({ skip }) => {
      needsSuspend(skip)
      expect(await code(engine.suspendMachine(id, work()))).toBe('snapshot-lost')
      expect(await engine.inspect(id)).toMatchObject({ power: 'off' })
    })

    test('a suspended machine has no guest, and the next start goes on with all it had', async ({ skip }) => {
      needsSuspend(skip)
      await start()
      await until(id, 'ready')
      for (const where of everywhere) await write(where, 'before')
      const boot = harness.ssh && (await inGuest(COUNT_FOR_EVER))
      const before = harness.ssh && Number(await inGuest('cat /tmp/count'))
      if (harness.ssh) await inGuest('date -s @1000000000')
      await suspended()
      const terminal = await engine.openConsole(id)
      expect(terminal?.notes().at(-1)).toMatchObject({ what: 'suspended' })
      terminal?.close()
      expect(await harness.traces?.(id).then(({ processes }) => processes)).toEqual(harness.traces && [])
      await start()
      await until(id, 'ready')
      for (const where of everywhere) expect(await read(where)).toBe('before')
      if (!harness.ssh) return
      expect(await inGuest(BOOT_ID)).toBe(boot)
      const counted = async () => Number(await inGuest('cat /tmp/count'))
      const now = await counted()
      expect(now).toBeGreaterThanOrEqual(before ?? 0)
      await expect.poll(counted).toBeGreaterThan(now)
      await expect.poll(secondsOff).toBe(0)
    })

    test('it stays suspended for a new engine, and to suspend it again changes nothing', async ({ skip }) => {
      needsSuspend(skip)
      await write({ memoryOf: id }, 'again')
      await suspended()
      await engine.close()
      engine = await harness.open()
      expect(await engine.inspect(id)).toMatchObject({ power: 'suspended' })
      await suspended()
      await start()
      await until(id, 'ready')
      expect(await read({ memoryOf: id })).toBe('again')
    })

    test('a living guest is given more, also after a suspend, and goes on with it', async ({ skip }) => {
      needsSuspend(skip)
      const grow = (cpu: number, memoryMb: number) => engine.growMachine(id, { cpu, memoryMb })
      await until(id, 'ready')
      const boot = harness.ssh && (await inGuest(BOOT_ID))
      const guestHas = async (cpu: number, memoryMb: number) => {
        if (!harness.ssh) return
        const [cpus, mb] = (await inGuest(SIZE)).split('\n').map(Number)
        expect(cpus).toBe(cpu)
        expect(mb).toBeGreaterThan(memoryMb - 64)
        expect(mb).toBeLessThanOrEqual(memoryMb)
        expect(await inGuest(BOOT_ID)).toBe(boot)
      }
      // Its agent may come a moment later.
      const grows = (cpu: number, memoryMb: number) =>
        expect.poll(() => grow(cpu, memoryMb).catch(String), { interval: 500 }).toEqual({ cpu, memoryMb })
      await grows(2, 512)
      await guestHas(2, 512)
      // What it has is never taken from it while it runs.
      expect(await grow(1, 256)).toEqual({ cpu: 2, memoryMb: 512 })
      await suspended()
      expect(await grow(4, 1024)).toEqual({ cpu: 2, memoryMb: 512 })
      await engine.close()
      engine = await harness.open()
      await start()
      await until(id, 'ready')
      await guestHas(2, 512)
      await grows(3, 640)
      await guestHas(3, 640)
      await suspended()
      await start()
      await until(id, 'ready')
      await guestHas(3, 640)
    })

    test('a suspend that is ended leaves the guest as it was', async ({ skip }) => {
      needsSuspend(skip)
      const { run } = await until(id, 'ready')
      const ending = new AbortController()
      ending.abort()
      const ended = code(engine.suspendMachine(id, { signal: ending.signal, onProgress: () => {} }))
      expect(await ended).toBe('aborted')
      expect(await engine.inspect(id)).toMatchObject({ power: 'ready', run })
    })

    test('powering off discards what was kept, and the next start boots', async ({ skip }) => {
      needsSuspend(skip)
      await suspended()
      await moves.powerOff(id)
      await start()
      await until(id, 'ready')
      expect(await read({ memoryOf: id })).toBe('')
      // Without a lasting root a boot begins anew.
      expect(await read({ machineId: id })).toBe('')
      expect(await read({ volumeId: data })).toBe('before')
    })

    test('deleting a suspended machine leaves nothing', async ({ skip }) => {
      needsSuspend(skip)
      await suspended()
      await moves.remove(id)
      const traces = await harness.traces?.(id)
      expect([...(traces?.processes ?? []), ...(traces?.files ?? [])]).toEqual([])
    })
  })
}
