import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from './config.ts'
import { simulatedMachine } from './engine/simulated/simulated.test-kit.ts'
import { directoryOfFile } from './lib/directory.test-kit.ts'
import { launched } from './lib/launched.test-kit.ts'
import { silentLog } from './lib/log.ts'
import { openEngine } from './open-engine.ts'

const dir = directoryOfFile()
const hosts: ChildProcess[] = []
afterEach(() => {
  for (const host of hosts.splice(0)) host.kill('SIGKILL')
})

/** Starts the program; resolves with what it says first, on either line. */
async function startHost(settings: Record<string, string>) {
  const host = spawn(process.execPath, [path.join(import.meta.dirname, 'simulated-host.ts')], {
    env: { ...launched, SLIPWAY_ENGINE: 'simulated', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  hosts.push(host)
  const says = (stream: NodeJS.ReadableStream) => once(createInterface(stream), 'line')
  const [line] = await Promise.race([says(host.stdout), says(host.stderr)])
  return { host, line: String(line) }
}

test('the world outlives a server that is killed, and a host that is killed or ended', async () => {
  const socket = path.join(dir, 'world.sock')
  const settings = {
    SLIPWAY_DATA_DIR: path.join(dir, 'world'),
    SLIPWAY_SIMULATED_SOCKET: socket,
    SLIPWAY_SIMULATED_SPEED: '100',
  }
  const first = await startHost(settings)
  expect(first.line).toBe(`The simulated host is ready at ${socket}`)
  const config = readConfig({ SLIPWAY_ENGINE: 'simulated', SLIPWAY_SIMULATED_SOCKET: socket })
  const engine = await openEngine(config, [], silentLog)
  const spec = simulatedMachine('outlives-all')
  await engine.createMachine(spec)
  await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
  const isReady = async () => expect(await engine.inspect(spec.id)).toMatchObject({ power: 'ready' })
  await vi.waitFor(isReady, { timeout: 30_000 })
  const before = await engine.inspect(spec.id)

  const [second, third] = await Promise.all([
    startHost({ ...settings, SLIPWAY_DATA_DIR: path.join(dir, 'another') }),
    startHost({ ...settings, SLIPWAY_SIMULATED_SOCKET: path.join(dir, 'another.sock') }),
  ])
  expect(second.line).toContain(`Another simulated host is serving ${socket}. Stop it first`)
  expect(third.line).toContain(`is using ${settings.SLIPWAY_DATA_DIR}. Stop it first`)

  first.host.kill('SIGKILL')
  await once(first.host, 'exit')
  const { host } = await startHost(settings)
  // The engine may have yet to hear that the first one ended.
  await vi.waitFor(async () => expect(await engine.inspect(spec.id)).toEqual(before), { timeout: 60_000 })

  host.kill('SIGTERM')
  expect(await once(host, 'exit')).toEqual([0, null])
  expect(existsSync(socket)).toBe(false)
  await engine.close()
})
