import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { makeSimulatedEngine } from './simulated.ts'

const disk = vi.hoisted(() => ({ isFull: false }))
// Files before this one may have loaded what is to write to that disk.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const full =
    <A extends unknown[], R>(write: (...args: A) => R) =>
    (...args: A): R => {
      if (disk.isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return write(...args)
    }
  return { ...fs, writeSync: full(fs.writeSync), writeFileSync: full(fs.writeFileSync) }
})

it('a deletion is not answered before it is kept: a server that is killed would find again what nobody knows', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'slipway-full-'))
  const clock = makeHandClock()
  const file = path.join(dir, 'simulated.jsonl')
  const engine = makeSimulatedEngine({ clock, file })
  await engine.open()
  await engine.createVolume(volumeSpec('a', { from: 'nothing' }, 1024), work())
  disk.isFull = true
  await expect(engine.deleteVolume('a')).rejects.toMatchObject({ code: 'no-space', retryable: true })
  await expect(engine.deleteVolume('a')).rejects.toMatchObject({ code: 'no-space' })
  disk.isFull = false
  await clock.advance(1000)
  await engine.deleteVolume('a')
  const next = makeSimulatedEngine({ clock, file })
  await next.open()
  expect(await next.listVolumes()).toEqual([])
  rmSync(dir, { recursive: true })
})
