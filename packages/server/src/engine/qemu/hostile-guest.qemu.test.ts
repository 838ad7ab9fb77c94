// @module-tag full
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { missing, processesOf, signalGuest, starterMachine, testEngine } from './qemu-engine.test-kit.ts'

describe.skipIf(missing !== undefined)('a guest that hangs or means harm', () => {
  const dataDir = directoryForAll()
  let engine: Engine
  const start = async (id: string, volumeIds: string[] = []) =>
    engine.startMachine(id, { freshRoot: false, volumeIds })

  async function open(): Promise<void> {
    engine = await testEngine(dataDir())
    await engine.open()
  }
  /** A machine with a guest. */
  async function running(volumeIds: string[] = []): Promise<string> {
    const spec = starterMachine('hostile')
    await engine.createMachine(spec)
    await start(spec.id, volumeIds)
    return spec.id
  }

  beforeAll(open)
  afterAll(async () => {
    for (const id of (await engine.list()).keys()) await engine.deleteMachine(id)
    await engine.close()
  })

  test('whose process is stopped is ended by force, and deleted', async () => {
    const hung = await running()
    await signalGuest(hung, 'SIGSTOP')
    expect((await engine.inspect(hung)).power).toBe('booting')

    // Somebody waits for it in its turn; force does not.
    const waiting = engine.powerDown(hung).catch(() => {})
    await engine.powerOff(hung)
    expect(await processesOf(hung)).toEqual([])
    await waiting
    expect(await engine.inspect(hung)).toMatchObject({ power: 'off', exit: { how: 'asked' } })

    await start(hung)
    await signalGuest(hung, 'SIGSTOP')
    await engine.deleteMachine(hung)
    expect(await engine.inspect(hung)).toEqual({ power: 'absent' })
    expect(await processesOf(hung)).toEqual([])
  })

  test('and is stopped when a server finds it keeps that server from nothing, and its disks until it is ended', async () => {
    const volumeId = randomUUID()
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 16 * 1024 * 1024), work())
    const hung = await running([volumeId])
    await engine.close()
    await signalGuest(hung, 'SIGSTOP')
    await open()
    expect((await engine.inspect(hung)).power).toBe('booting')
    await expect(start(hung)).rejects.toThrow('does not respond')
    await expect(engine.deleteVolume(volumeId)).rejects.toMatchObject({ code: 'volume-busy' })
    await engine.powerOff(hung)
    expect(await processesOf(hung)).toEqual([])
    await engine.deleteVolume(volumeId)
    await engine.deleteMachine(hung)
  })
})
