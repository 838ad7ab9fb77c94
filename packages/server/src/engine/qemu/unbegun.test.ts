import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { machineDirForEach } from './machine-dir.test-kit.ts'
import { fileNames } from './machine-dir.ts'
import { isUnbegun } from './unbegun.ts'

describe('a run whose launch was cut short', () => {
  const { id, dirs, fileOf, put } = machineDirForEach()
  const greeting = '{"QMP": {}}\n'
  const unbegun = (withinMs = 0) => isUnbegun(dirs(), id, withinMs)

  test('is one without a process id and without a greeting, the journal made or not', async () => {
    expect(await unbegun()).toBe(true)
    await put(fileNames.journalEnd, '')
    expect(await unbegun()).toBe(true)
  })

  test('is none that wrote its process id, as one that was killed later did', async () => {
    await put(fileNames.journalEnd, '')
    await put(fileNames.pid, '4711\n')
    expect(await unbegun()).toBe(false)
  })

  test('is none that ended by itself and took its process id along, also of earlier versions', async () => {
    await put(fileNames.journalEnd, greeting)
    expect(await unbegun()).toBe(false)
    await rm(fileOf(fileNames.journalEnd))
    await put(fileNames.journalOut, greeting)
    expect(await unbegun()).toBe(false)
  })

  test('is none whose QEMU comes a moment later', async () => {
    const [verdict] = await Promise.all([unbegun(10_000), sleep(50).then(() => put(fileNames.pid, '4711\n'))])
    expect(verdict).toBe(false)
  })
})
