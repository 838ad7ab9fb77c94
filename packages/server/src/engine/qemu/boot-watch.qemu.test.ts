// @module-tag full
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { HUNG_MS, LOOK_EVERY_MS, watchBoot } from './boot-watch.ts'
import { statusOf } from './memory.ts'
import { missing } from './qemu-engine.test-kit.ts'
import { connectQmp } from './qmp.ts'

describe.skipIf(missing !== undefined)('a guest that is reset because it hung', () => {
  test('boots again where a reboot of its user would end it: its firmware reboots by itself then', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'slipway-hung-'))
    const socket = join(dir, 'qmp.sock')
    const qemu = spawn(
      'qemu-system-x86_64',
      [
        ...['-machine', 'q35', '-accel', 'tcg', '-m', '64', '-nodefaults', '-display', 'none'],
        ...['-action', 'reboot=shutdown', '-qmp', `unix:${socket},server=on,wait=off`],
      ],
      { stdio: 'ignore' },
    )
    try {
      const qmp = await vi.waitFor(() => connectQmp(socket, 10_000), { timeout: 60_000 })
      const resets: string[] = []
      qmp.onEvent(['RESET'], ({ data }) => {
        resets.push(data.guest === true ? 'by itself' : 'from outside')
      })
      let workedMs = 0
      const boot = watchBoot({
        machineId: 'hung',
        qmp,
        log: silentLog,
        endsAtReboot: true,
        workedMs: async () => {
          workedMs += HUNG_MS
          return workedMs
        },
      })
      // Only a firmware that is through with its own start reboots.
      while (!resets.includes('by itself')) {
        await sleep(1000)
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        boot.begin()
        vi.advanceTimersByTime(LOOK_EVERY_MS)
        vi.useRealTimers()
        await vi.waitFor(() => expect(resets).toContain('from outside'))
        await sleep(1000)
      }
      expect(await statusOf(qmp)).toBe('running')
      boot.stop()
      qmp.close()
    } finally {
      vi.useRealTimers()
      qemu.kill('SIGKILL')
      if (qemu.exitCode === null) await once(qemu, 'exit')
      await rm(dir, { recursive: true, force: true })
    }
  })
})
