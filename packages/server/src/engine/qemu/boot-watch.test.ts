import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { HUNG_MS, LOOK_EVERY_MS, MOST_RESETS, MOUNTED_BYTES, watchBoot } from './boot-watch.ts'
import type { QmpEvent } from './qmp.ts'

describe('a guest whose kernel hangs while it boots', () => {
  /** What the guest does, as QEMU and the kernel of the host tell it. */
  let guest: { readBytes: number; workedMs: number | null; answers: boolean }
  let asked: string[]
  let tell: (event: QmpEvent) => void
  let end: () => void

  beforeEach(() => {
    vi.useFakeTimers()
    guest = { readBytes: 0, workedMs: 0, answers: true }
    asked = []
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const watch = ({ endsAtReboot = false } = {}) =>
    watchBoot({
      machineId: 'one',
      endsAtReboot,
      log: silentLog,
      workedMs: async () => guest.workedMs,
      qmp: {
        async execute(command, args) {
          if (!guest.answers) throw new Error('no answer in time')
          if (command !== 'query-blockstats') asked.push([command, args?.reboot].filter(Boolean).join(' '))
          return [{ stats: { rd_bytes: guest.readBytes, wr_bytes: 0 } }]
        },
        onEvent(_, listener) {
          tell = listener
          return () => {}
        },
        onClose(listener) {
          end = listener
        },
        close: () => {},
      },
    })
  /** Lets it work on all of its processors from one look to the next. */
  async function works(ms: number): Promise<void> {
    if (guest.workedMs !== null) guest.workedMs += ms
    await vi.advanceTimersByTimeAsync(LOOK_EVERY_MS)
  }

  test('boots once more when it has worked for long and has not mounted a disk', async () => {
    watch().begin()
    guest.readBytes = MOUNTED_BYTES - 1
    await works(HUNG_MS - 1)
    expect(asked).toEqual([])
    await works(1)
    expect(asked).toEqual(['system_reset'])
    // From then on it counts anew.
    await works(HUNG_MS - 1)
    expect(asked).toHaveLength(1)
  })

  test('is left alone once it has mounted a disk, however long it works', async () => {
    watch().begin()
    guest.readBytes = MOUNTED_BYTES
    await works(10 * HUNG_MS)
    await works(10 * HUNG_MS)
    expect(asked).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is left alone while others have the processors of the host', async () => {
    watch().begin()
    for (let look = 0; look < 100; look++) await works(HUNG_MS / 1000)
    expect(asked).toEqual([])
  })

  test('is given up when it hangs again and again', async () => {
    watch().begin()
    for (let look = 0; look < 2 * MOST_RESETS; look++) {
      await works(HUNG_MS)
      // The firmware resets the machine once more.
      tell({ event: 'RESET', data: { guest: true }, at: 0 })
    }
    expect(asked).toHaveLength(MOST_RESETS)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('goes on also when its machine ends at a reboot, and ends at the next one', async () => {
    watch({ endsAtReboot: true }).begin()
    await works(HUNG_MS)
    expect(asked).toEqual(['set-action reset', 'system_reset'])
    guest.readBytes = MOUNTED_BYTES
    await works(0)
    expect(asked).toEqual(['set-action reset', 'system_reset', 'set-action shutdown'])
  })

  test('is looked at again when it did not answer', async () => {
    watch().begin()
    guest.answers = false
    await works(HUNG_MS)
    guest.answers = true
    await works(0)
    expect(asked).toEqual(['system_reset'])
  })

  test('is watched at its own reboots too, from where it stands then', async () => {
    watch().begin()
    guest.readBytes = 5 * MOUNTED_BYTES
    await works(3 * HUNG_MS)
    tell({ event: 'RESET', data: { guest: true }, at: 0 })
    await works(0)
    await works(HUNG_MS)
    expect(asked).toEqual(['system_reset'])
    // Ours is not one of its own.
    tell({ event: 'RESET', data: { guest: false }, at: 0 })
    guest.readBytes += MOUNTED_BYTES
    await works(HUNG_MS)
    expect(asked).toHaveLength(1)
  })

  test.each(['ended', 'let go of'])('is not asked any more when it was %s', async (how) => {
    const boot = watch()
    boot.begin()
    if (how === 'ended') end()
    else boot.stop()
    await works(HUNG_MS)
    expect(asked).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
