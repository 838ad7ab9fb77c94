import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildOnEachOther,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  PATIENCE_MS,
} from './engine.test-kit.ts'
import type { Engine, StartScriptResult } from './engine.ts'

/** The promises of the engine port about start scripts. */
export function describeStartScripts(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine that runs start scripts`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const { done, until, inGuest, remove, imageIsReady } = makeMoves(name, () => ({ harness, engine }))
    const startScript = '#!/bin/sh\necho once >> /root/ran\necho Hällo\nid -un\nexit 3\n'
    const spec = machineSpec('scripted-1', { startScript })
    const { id } = spec
    let first: StartScriptResult

    /** Looks until the script has ended. */
    async function ended(): Promise<StartScriptResult> {
      for (let passed = 0; passed < PATIENCE_MS; passed += 1_000) {
        const result = await engine.startScriptResult(id, 'program')
        if (result.state === 'ended') return result
        await harness.pass(1_000)
      }
      throw new Error(`It did not end: ${JSON.stringify(await engine.startScriptResult(id, 'program'))}`)
    }
    async function start(): Promise<void> {
      await done(engine.startMachine(id, { freshRoot: false, volumeIds: [] }))
      await until(id, 'ready')
    }
    /** Skips where the engine cannot read results, after it has said so. */
    async function needsResults(skip: (note: string) => never): Promise<void> {
      if (engine.kind !== 'kubevirt') return
      const result = await engine.startScriptResult(id, 'program')
      expect(result).toMatchObject({ state: 'unknown', reason: expect.stringMatching(/^[A-Z].{20,}\.$/) })
      skip('results are not read from guests')
    }

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, spec))
      await imageIsReady()
    }, 600_000)
    afterAll(async () => {
      await remove(id)
      await engine.close()
      await harness.cleanUp()
    })

    test('a script runs at the first boot; its exit code and output can be read', async ({ skip }) => {
      await done(engine.createMachine(spec))
      expect(await engine.startScriptResult(id, 'program')).toMatchObject({ state: 'unknown' })
      await start()
      await needsResults(skip)
      first = await ended()
      expect(first).toMatchObject({ state: 'ended', how: 'failed', exitCode: 3 })
      expect(first).toHaveProperty('output', expect.stringContaining('Hällo\n'))
      if (!harness.ssh) return
      expect(first).toHaveProperty('output', 'Hällo\nroot\n')
      expect(await inGuest(id, 'cat /root/ran')).toBe('once\n')
      expect(await inGuest(id, 'ls -ld /var/lib/slipway/start-script')).toMatch(/^drwx------/)
    })

    test('it does not run again when the VM restarts, and its result stays', async ({ skip }) => {
      await needsResults(skip)
      await done(engine.powerDown(id))
      await until(id, 'off')
      await start()
      expect(await ended()).toEqual(first)
      if (harness.ssh) expect(await inGuest(id, 'cat /root/ran')).toBe('once\n')
    })
  })
}
