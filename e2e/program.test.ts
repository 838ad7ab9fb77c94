import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

test('a program that is cut while it ends has ended', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-program-'))
  const cut = new AbortController()
  try {
    const settings = {
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_DATA_DIR: dir,
      SLIPWAY_SIMULATED_SOCKET: join(dir, 'socket'),
    }
    const program = await startProgram('simulated-host.ts', /is ready at (\S+)/, settings, cut.signal)
    const ended = program.end('SIGKILL')
    cut.abort()
    await ended
    expect(program.isUp()).toBe(false)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
