import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open, readFile, rm, stat } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { exitOf } from './exit.ts'
import { journalOf, keepJournal } from './journal.ts'
import { aRun, machineDirForEach } from './machine-dir.test-kit.ts'
import { fileNames } from './machine-dir.ts'

const event = (name: string, data: object = {}) =>
  `${JSON.stringify({ timestamp: { seconds: 1, microseconds: 0 }, event: name, data })}\n`

describe('the journal of a run', () => {
  const { id, dirs, fileOf: file, put } = machineDirForEach()
  const run = { ...aRun, startedAt: 0 }
  const exit = (of = run, bootId = 'boot') => exitOf(dirs(), id, { run: of, bootId })

  /** Opens the pipe both ways, as QEMU does. */
  async function openAsQemu() {
    const letGo = await keepJournal(dirs(), id)
    const handle = await open(file(fileNames.journalOut), 'r+')
    const stream = createWriteStream('', { fd: handle })
    await letGo()
    return {
      write: (text: string) => new Promise((resolve) => stream.write(text, resolve)),
      end: async () => {
        stream.end()
        await once(stream, 'close')
      },
    }
  }

  test('keeps how the run ended, whatever a guest made QEMU write before, and takes little room', async () => {
    const qemu = await openAsQemu()
    const flood = event('ACPI_DEVICE_OST', { info: { slot: '0' } }).repeat(10_000)
    for (let round = 0; round < 20; round += 1) await qemu.write(flood)
    expect((await stat(file(fileNames.journalEnd))).size).toBe(0)
    await qemu.write(event('SHUTDOWN', { reason: 'guest-shutdown' }))
    await qemu.end()
    const events = await journalOf(dirs(), id, { sameBoot: true })
    expect(events.at(-1)).toMatchObject({ event: 'SHUTDOWN', data: { reason: 'guest-shutdown' } })
    expect((await stat(file(fileNames.journalEnd))).size).toBeLessThanOrEqual(64 * 1024)
    expect(await exit()).toEqual({ how: 'clean' })
  })

  test('is complete also when this process had let go of it long before', async () => {
    const letGo = await keepJournal(dirs(), id)
    const script = 'exec 3<>journal.out; echo open; read line; printf "%s\\n" "$line" >&3'
    const qemu = spawn('sh', ['-c', script], { cwd: dirs().pathOf(id) })
    await once(qemu.stdout, 'data')
    await letGo()
    qemu.stdin.end(event('SHUTDOWN', { reason: 'guest-reset' }))
    await once(qemu, 'close')
    expect(await exit()).toEqual({ how: 'reboot' })
  })

  test('is empty when the host went down with it, and nobody waits for it then', async () => {
    await put(fileNames.journalEnd, '')
    expect(await exit(run, 'another')).toEqual({ how: 'host-restart' })
  })

  test('of an earlier version is read from its end only', async () => {
    const flood = event('ACPI_DEVICE_OST').repeat(10_000)
    await put(fileNames.journalOut, flood + event('SHUTDOWN', { reason: 'guest-shutdown' }))
    expect((await journalOf(dirs(), id, { sameBoot: true })).length).toBeLessThan(1000)
    expect(await exit()).toEqual({ how: 'clean' })
  })

  test('is judged once for a run; what was found then stays', async () => {
    await put(fileNames.journalEnd, event('SHUTDOWN', { reason: 'guest-shutdown' }))
    expect(await exit()).toEqual({ how: 'clean' })
    await rm(file(fileNames.journalEnd))
    expect(await exit(run, 'another')).toEqual({ how: 'clean' })
    expect(JSON.parse(await readFile(file(fileNames.exit), 'utf8'))).toEqual({
      run: 'one',
      exit: { how: 'clean' },
    })
    const next = { ...run, run: 'two' }
    expect(await exit(next, 'another')).toEqual({ how: 'host-restart' })
  })
})
