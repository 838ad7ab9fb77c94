import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { READY_CHANNEL } from './command-line.ts'
import { type MachineDirs, makeMachineDirs } from './machine-dir.ts'
import { makePlaces } from './places.ts'
import type { QmpEvent } from './qmp.ts'
import { makeReadiness, SILENCE_MS } from './readiness.ts'
import type { RunRecord } from './records.ts'

describe('whether a guest is ready', () => {
  const id = randomUUID()
  let dataDir: string
  let dirs: MachineDirs
  let tell: (event: QmpEvent) => void
  /** Once it is on the disk. */
  let isTold: boolean
  const run: RunRecord = {
    run: 'one',
    shape: 3,
    bootId: 'boot',
    startedAt: Date.now(),
    resumed: false,
    accelerator: 'TCG',
    cpuModel: 'qemu64',
  }

  beforeEach(async () => {
    isTold = false
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-ready-'))
    dirs = makeMachineDirs(dataDir)
    await makePlaces(dataDir).open()
    await dirs.create(id)
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const readinessAt = (port: number, of = run) =>
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
      dirs,
      log: silentLog,
      onReady: () => {
        isTold = true
      },
    })
  const saysReady = () => tell({ event: 'VSERPORT_CHANGE', data: { id: READY_CHANNEL, open: true }, at: 0 })

  test('is asked for as soon as ever when the clock of the host was set back after the start', async () => {
    const ssh = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-test\r\n'))
    ssh.listen(0, '127.0.0.1')
    await once(ssh, 'listening')
    const address = ssh.address()
    const port = typeof address === 'object' && address ? address.port : 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const readiness = readinessAt(port, { ...run, startedAt: Date.now() + 3 * 3_600_000 })
    try {
      await readiness.begin()
      vi.advanceTimersByTime(SILENCE_MS)
    } finally {
      vi.useRealTimers()
    }
    await vi.waitFor(() => expect(readiness.isReady()).toBe(true), { timeout: 5_000 })
    readiness.stop()
    ssh.close()
  })

  test('is a fact of its run: it stays over a restart of the server, whether port 22 answers then or not', async () => {
    const ssh = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-test\r\n'))
    ssh.listen(0, '127.0.0.1')
    await once(ssh, 'listening')
    const address = ssh.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const before = readinessAt(port)
    await before.begin()
    expect(before.isReady()).toBe(false)
    saysReady()
    await vi.waitFor(() => expect(isTold).toBe(true))
    expect(before.isReady()).toBe(true)
    before.stop()
    ssh.close()
    await once(ssh, 'close')

    const after = readinessAt(port)
    await after.begin()
    expect(after.isReady()).toBe(true)
    after.beginAnew()
    expect(after.isReady()).toBe(false)
    after.stop()

    const next = readinessAt(port, { ...run, run: 'two' })
    await next.begin()
    expect(next.isReady()).toBe(false)
    next.stop()
  })

  test('is not asked of a guest that still takes its identity, although that says so when it has', async () => {
    let greeted = 0
    const ssh = createServer((socket) => {
      greeted += 1
      socket.on('error', () => {}).end('SSH-2.0-test\r\n')
    })
    ssh.listen(0, '127.0.0.1')
    await once(ssh, 'listening')
    const address = ssh.address()
    const readiness = readinessAt(typeof address === 'object' && address ? address.port : 0)
    saysReady()
    readiness.isUp()
    await vi.waitFor(() => expect(readiness.isReady()).toBe(true))
    expect(greeted).toBe(1)
    readiness.stop()
    ssh.close()
  })
})
