import { once } from 'node:events'
import { createServer } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { READY_CHANNEL } from './command-line.ts'
import { aRun, machineDirForEach } from './machine-dir.test-kit.ts'
import type { QmpEvent } from './qmp.ts'
import { makeReadiness, SILENCE_MS } from './readiness.ts'

describe('whether a guest is ready', () => {
  const { id, dirs } = machineDirForEach()
  let tell: (event: QmpEvent) => void
  /** Once it is on the disk. */
  let isTold: boolean
  /** How often somebody was greeted. */
  let greeted: number
  beforeEach(() => {
    isTold = false
    greeted = 0
  })

  /** A server of SSH, until it is closed or the test ends. */
  async function serveSsh() {
    const server = createServer((socket) => {
      greeted += 1
      socket.on('error', () => {}).end('SSH-2.0-test\r\n')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    return { server, port: typeof address === 'object' && address ? address.port : 0 }
  }

  const readinessAt = (port: number, of = aRun) =>
    makeReadiness({
      machineId: id,
      run: of,
      address: { ip: '127.0.0.1', port },
      qmp: {
        execute: async () => '',
        onEvent(_, listener) {
          tell = listener
          return () => {}
        },
        onClose: () => {},
        close: () => {},
      },
      dirs: dirs(),
      log: silentLog,
      onReady: () => {
        isTold = true
      },
    })
  const saysReady = () => tell({ event: 'VSERPORT_CHANGE', data: { id: READY_CHANNEL, open: true }, at: 0 })

  test('is asked for as soon as ever when the clock of the host was set back after the start', async () => {
    const { port } = await serveSsh()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const readiness = readinessAt(port, { ...aRun, startedAt: Date.now() + 3 * 3_600_000 })
    try {
      await readiness.begin()
      vi.advanceTimersByTime(SILENCE_MS)
    } finally {
      vi.useRealTimers()
    }
    await expect.poll(readiness.isReady).toBe(true)
    readiness.stop()
  })

  test('is a fact of its run: it stays over a restart of the server, whether port 22 answers then or not', async () => {
    const { server, port } = await serveSsh()
    const before = readinessAt(port)
    await before.begin()
    expect(before.isReady()).toBe(false)
    saysReady()
    await vi.waitFor(() => expect(isTold).toBe(true))
    expect(before.isReady()).toBe(true)
    before.stop()
    server.close()
    await once(server, 'close')

    const after = readinessAt(port)
    await after.begin()
    expect(after.isReady()).toBe(true)
    after.beginAnew()
    expect(after.isReady()).toBe(false)
    after.stop()

    const next = readinessAt(port, { ...aRun, run: 'two' })
    await next.begin()
    expect(next.isReady()).toBe(false)
    next.stop()
  })

  test('is not asked of a guest that still takes its identity, although that says so when it has', async () => {
    const readiness = readinessAt((await serveSsh()).port)
    saysReady()
    readiness.isUp()
    await vi.waitFor(() => expect(readiness.isReady()).toBe(true))
    expect(greeted).toBe(1)
    readiness.stop()
  })
})
