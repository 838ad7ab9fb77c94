import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { newId } from '../../lib/id.ts'
import { describeEngine } from '../engine.suite.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { clusterLimits } from '../limits.ts'
import { makeSimulatedHarness, simulatedMachine } from './simulated.test-kit.ts'
import { makeSimulatedEngine } from './simulated.ts'

describeEngine('Simulated', makeSimulatedHarness)

describe('the simulated engine', () => {
  let harness: Awaited<ReturnType<typeof makeSimulatedHarness>>
  beforeEach(async () => {
    harness = await makeSimulatedHarness()
  })
  afterEach(() => harness.cleanUp())

  /** Lets just so much time pass that the call is answered. */
  async function made<T>(call: Promise<T>): Promise<T> {
    let answered = false
    const answer = call.finally(() => {
      answered = true
    })
    while (!answered) await harness.pass(5)
    return answer
  }

  test('shows a machine that cannot be read for a while', async () => {
    const engine = await harness.open()
    const spec = simulatedMachine('fault-unreadable-1')
    await made(engine.createMachine(spec))
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'unreadable' })
    await harness.pass(10_000)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
  })

  test('keeps what it answered when its process is killed', async () => {
    const spec = simulatedMachine('kept-1')
    const volumeId = newId()
    const killed = await harness.open()
    await made(killed.createMachine(spec))
    await made(killed.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024), work()))
    const engine = await harness.open()
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
    expect(await engine.inspectVolume(volumeId)).toMatchObject({ state: 'whole' })
  })

  test('makes a snapshot that stands alone when the one it builds upon went meanwhile', async () => {
    const volumeId = newId()
    const [base, child] = [newId(), newId()]
    const engine = await harness.open()
    await made(engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024), work()))
    await made(engine.createVolumeSnapshot(base, { volumeId, parentId: null }, work()))
    const making = engine.createVolumeSnapshot(child, { volumeId, parentId: base }, work())
    await engine.deleteVolumeSnapshot(base, work())
    expect((await made(making)).parentId).toBe(null)
  })

  test('answers `unsupported`, with the sentence, when it is asked for what it cannot do', async () => {
    const engine = makeSimulatedEngine({ clock: harness.clock, cannot: clusterLimits })
    const spec = simulatedMachine('unable-1')
    const volumeId = newId()
    await made(engine.createMachine(spec))
    await made(engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024), work()))
    await engine.attachVolume(spec.id, volumeId)
    expect(await engine.detachVolume(spec.id, volumeId, work())).toBe('released')
    await engine.attachVolume(spec.id, volumeId)
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [volumeId] })
    // It is there already: nothing has to be plugged.
    await engine.attachVolume(spec.id, volumeId)
    const machine = { machineId: spec.id, volumeIds: [] }
    const none = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
    const { memorySnapshots, hotPlug, incrementalSnapshots, backups } = clusterLimits
    for (const [call, message] of [
      [engine.createMachineSnapshot(newId(), { ...machine, memory: true }, work()), memorySnapshots],
      [engine.attachVolume(spec.id, newId()), hotPlug],
      [engine.detachVolume(spec.id, volumeId, work()), hotPlug],
      [engine.createVolumeSnapshot(newId(), { volumeId, parentId: newId() }, work()), incrementalSnapshots],
      [engine.saveTo(tmpdir(), none, work()), backups],
    ] as const)
      await expect(call).rejects.toMatchObject({ code: 'unsupported', message, retryable: false })
    await made(engine.createMachineSnapshot(newId(), { ...machine, memory: false }, work()))
    expect([await engine.hasScreen(spec.id), await engine.openScreen(spec.id)]).toEqual([false, null])
    await engine.close()
  })

  test.each([-3, 3])('boots and ends guests although the clock is set by %i h meanwhile', async (hours) => {
    const engine = await harness.open()
    const spec = simulatedMachine('set-1')
    await made(engine.createMachine(spec))
    await made(engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] }))
    harness.clock.set(harness.clock.now() + hours * 3_600_000)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'booting' })
    await harness.pass(4_000)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'ready' })
    await engine.powerDown(spec.id)
    harness.clock.set(harness.clock.now() + hours * 3_600_000)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'ready' })
    await harness.pass(2_000)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
  })

  test.each(['', '["machines",', 'null', '{"machines":1}\n', '["pets","a",1]\n'])(
    'does not start on %j, and leaves it as it is',
    async (text) => {
      const file = path.join(tmpdir(), `slipway-simulated-${newId()}.json`)
      writeFileSync(file, text)
      const engine = makeSimulatedEngine({ clock: makeHandClock(), file })
      await expect(engine.open()).rejects.toThrow(/is empty|is damaged/)
      expect(readFileSync(file, 'utf8')).toBe(text)
      rmSync(file)
    },
  )
})
