import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { machineSpec } from '../engine.test-kit.ts'
import { consoleLogsIn } from './console-log.ts'
import { makeConsoles } from './consoles.ts'
import type { Guests } from './guests.ts'
import { machineDirForEach } from './machine-dir.test-kit.ts'
import { fileNames } from './machine-dir.ts'
import { makeTerminalSizes, type TerminalSize } from './terminal-size.ts'

describe('the output of a machine', () => {
  const { id, dataDir, dirs, put } = machineDirForEach()

  async function openHandles(): Promise<number> {
    const links = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    )
    return (await Promise.all(links)).filter((path) => path.includes(id)).length
  }

  test('is read through one handle, also by those who begin together, and through none once it is closed', async () => {
    await dirs().writeRecord(id, {
      spec: machineSpec('printed-1', { id }),
      address: { ip: '127.100.0.1', port: 22 },
      image: { disk: join(dataDir(), 'images', 'starter.qcow2') },
      volumes: [],
      restored: null,
    })
    await put(fileNames.serialLog, 'printed')
    const logs = consoleLogsIn(dirs(), silentLog)
    const guests = { held: () => new Map() } as unknown as Guests
    const consoles = makeConsoles({ dirs: dirs(), guests, logs, log: silentLog })
    const console = await consoles.open(id)
    const reads = await Promise.all([1, 2, 3, 4].map(() => console?.read(0, 100)))
    expect(reads.map(String)).toEqual(Array(4).fill('printed'))
    expect(await openHandles()).toBe(1)
    console?.close()
    await vi.waitFor(async () => expect(await openHandles()).toBe(0))
    expect(await console?.read(0, 100)).toEqual(Buffer.alloc(0))

    const other = await consoles.open(id)
    const reading = other?.read(0, 100)
    other?.close()
    await reading?.catch(() => {})
    await vi.waitFor(async () => expect(await openHandles()).toBe(0))
  })
})

describe('the size of a terminal', () => {
  const told: TerminalSize[] = []
  let answers = true
  let run = 'one'
  const sizes = makeTerminalSizes({
    log: silentLog,
    guest: () => ({
      run: { run },
      agent: {
        setTerminal: async (_, size) => {
          told.push(size)
          return answers
        },
      },
    }),
  })
  beforeEach(() => {
    told.length = 0
    answers = true
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => vi.useRealTimers())

  test('is told to the guest once in two seconds, whoever asks; the last one counts, an equal one is dropped', async () => {
    const [one, other] = [sizes.open('vm'), sizes.open('vm')]
    for (let cols = 1; cols <= 5000; cols += 1) {
      for (const viewer of [one, other]) viewer.resize({ cols, rows: 24 })
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(told.length).toBeLessThanOrEqual(3)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told.at(-1)).toEqual({ cols: 5000, rows: 24 })
    const count = told.length
    one.resize({ cols: 5000, rows: 24 })
    other.insist()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told.length).toBe(count)

    run = 'two'
    one.insist()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told.length).toBe(count + 1)
    one.close()
    other.close()
  })

  test('is tried again when somebody types, not more often than every ten seconds', async () => {
    answers = false
    const viewer = sizes.open('vm')
    viewer.resize({ cols: 80, rows: 24 })
    for (let key = 0; key < 300; key += 1) {
      await vi.advanceTimersByTimeAsync(100)
      viewer.insist()
    }
    expect(told.length).toBeGreaterThan(1)
    expect(told.length).toBeLessThanOrEqual(4)
    viewer.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(told.length).toBeLessThanOrEqual(4)
  })
})
