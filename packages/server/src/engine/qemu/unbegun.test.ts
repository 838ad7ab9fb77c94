import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileNames, type MachineDirs, makeMachineDirs } from './machine-dir.ts'
import { makePlaces } from './places.ts'
import { isUnbegun } from './unbegun.ts'

describe('a run whose launch was cut short', () => {
  const id = randomUUID()
  const greeting = '{"QMP": {}}\n'
  let dataDir: string
  let dirs: MachineDirs
  const put = (name: string, text: string) => writeFile(dirs.fileOf(id, name), text)
  const unbegun = (withinMs = 0) => isUnbegun(dirs, id, withinMs)

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-unbegun-'))
    dirs = makeMachineDirs(dataDir)
    await makePlaces(dataDir).open()
    await dirs.create(id)
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

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
    await rm(dirs.fileOf(id, fileNames.journalEnd))
    await put(fileNames.journalOut, greeting)
    expect(await unbegun()).toBe(false)
  })

  test('is none whose QEMU comes a moment later', async () => {
    const [verdict] = await Promise.all([unbegun(10_000), sleep(50).then(() => put(fileNames.pid, '4711\n'))])
    expect(verdict).toBe(false)
  })
})
