import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  COUNT_FOR_EVER,
  type Content,
  type EngineHarness,
  makeMoves,
  PROJECT_ID,
  pathIn,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine, MachineSpec } from './engine.ts'

/**
 * The promises of the engine port about suspending machines. Where the harness has a real guest, something counts in it.
 * The tests build on each other, because a guest takes its time.
 */
export function describeSuspend(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine that suspends`, () => {
    let harness: EngineHarness
    let engine: Engine
    const { done, until, code, imageIsReady } = makeMoves(name, () => ({ harness, engine }))
    const data = randomUUID()
    const sleeper: MachineSpec = {
      id: randomUUID(),
      projectId: PROJECT_ID,
      hostname: 'sleeper-1',
      cpu: 1,
      memoryMb: 256,
      imageId: '',
      sshPublicKeys: [],
      volumeIds: [],
      // A guest that goes on keeps its root disk all the same.
      persistent: false,
    }
    const { id } = sleeper

    function needsSuspend(skip: (note: string) => never): void {
      const limit = engine.capabilities.cannot.suspend
      if (limit !== null) skip(limit)
    }
    const start = () => done(engine.startMachine(id, { freshRoot: true, volumeIds: [data] }))
    const suspend = () => done(engine.suspendMachine(id, work()))
    async function suspended(): Promise<void> {
      await suspend()
      expect(await engine.inspect(id)).toMatchObject({ power: 'suspended' })
    }
    async function inGuest(command: string): Promise<string> {
      const { address } = await until(id, 'ready')
      return (await harness.ssh?.(address, command)) ?? ''
    }
    async function write(where: Content, text: string): Promise<void> {
      if (harness.ssh)
        await inGuest(`path=${pathIn(where)}; echo '${text}' | dd of=$path conv=fsync 2>/dev/null`)
      else await harness.poke?.(where, text)
    }
    async function read(where: Content): Promise<string> {
      if (harness.ssh)
        return (await inGuest(`path=${pathIn(where)}; head -n1 $path 2>/dev/null || true`)).trim()
      return (await harness.peek?.(where)) ?? ''
    }
    const everywhere: Content[] = [{ memoryOf: id }, { machineId: id }, { volumeId: data }]

    beforeAll(async () => {
      harness = await makeHarness()
      sleeper.imageId = harness.imageId
      sleeper.sshPublicKeys = [harness.sshPublicKey]
      engine = await harness.open()
      if (engine.capabilities.cannot.suspend !== null) return
      await imageIsReady()
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
      await suspended()
      const terminal = await engine.openConsole(id)
      expect(terminal?.notes().at(-1)).toMatchObject({ what: 'suspended' })
      terminal?.close()
      expect(await harness.traces?.(id).then(({ processes }) => processes)).toEqual(harness.traces && [])
      await start()
      await until(id, 'ready')
      for (const where of everywhere) expect(await read(where)).toBe('before')
      if (!harness.ssh) return
      expect(await inGuest('cat /proc/sys/kernel/random/boot_id')).toBe(boot)
      const counted = async () => Number(await inGuest('cat /tmp/count'))
      const now = await counted()
      expect(now).toBeGreaterThanOrEqual(before ?? 0)
      await expect.poll(counted, { timeout: 30_000 }).toBeGreaterThan(now)
      // Within the two seconds that asking takes where guests run in software.
      await expect
        .poll(async () => Math.abs(Number(await inGuest('date +%s')) - Date.now() / 1000), {
          timeout: 30_000,
        })
        .toBeLessThan(2)
    })

    test('it stays suspended for a new engine, and suspending it once more changes nothing', async ({
      skip,
    }) => {
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

    test('a living guest is given more processors and memory, also after a suspend, and goes on with them', async ({
      skip,
    }) => {
      needsSuspend(skip)
      const grow = (cpu: number, memoryMb: number) => engine.growMachine(id, { cpu, memoryMb })
      await until(id, 'ready')
      const boot = harness.ssh && (await inGuest('cat /proc/sys/kernel/random/boot_id'))
      const guestHas = async (cpu: number, memoryMb: number) => {
        if (!harness.ssh) return
        const [cpus, mb] = (
          await inGuest("nproc; awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo; df /")
        ).split('\n')
        expect(Number(cpus)).toBe(cpu)
        expect(Number(mb)).toBeGreaterThan(memoryMb - 64)
        expect(Number(mb)).toBeLessThanOrEqual(memoryMb)
        expect(await inGuest('cat /proc/sys/kernel/random/boot_id')).toBe(boot)
      }
      // Its agent may come a moment later.
      await expect
        .poll(() => grow(2, 512).catch(String), { timeout: 60_000, interval: 500 })
        .toEqual({ cpu: 2, memoryMb: 512 })
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
      await expect
        .poll(() => grow(3, 640).catch(String), { timeout: 60_000, interval: 500 })
        .toEqual({ cpu: 3, memoryMb: 640 })
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
      await done(engine.powerOff(id))
      await until(id, 'off')
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
      await done(engine.deleteMachine(id))
      await until(id, 'absent')
      const traces = await harness.traces?.(id)
      expect([...(traces?.processes ?? []), ...(traces?.files ?? [])]).toEqual([])
    })
  })
}
