import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startControl } from './control.ts'

it('a control excuses what nobody could do meanwhile, and leaves nothing behind', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-control-'))
  const control = await startControl({ dataDir, processes: async () => [] })
  try {
    const from = performance.now()
    // This process stands still, and hears no answer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    const to = performance.now()
    const excused = await control.excused(from, to)
    expect(excused).toBeGreaterThan(300)
    expect(excused).toBeLessThanOrEqual(to - from)
    expect(existsSync(join(dataDir, 'campaign-control'))).toBe(true)
  } finally {
    await control.end()
  }
  expect(await readdir(dataDir)).toEqual([])
  await rm(dataDir, { recursive: true })
})
