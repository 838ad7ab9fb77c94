import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBallast } from './ballast.ts'
import { silentLog } from './log.ts'

const mebibyte = 1024 ** 2
/** A file system that can be filled has to be mounted first. */
const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('SKIPPED: only root can mount a small file system, so the ballast was not tested')

describe.skipIf(!isRoot)('the ballast of a data directory', () => {
  let dataDir: string
  const filler = () => path.join(dataDir, 'filler')
  const mount = (dir: string, size: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'slipway-test', dir])
  const free = () => {
    const { bavail, bsize } = statfsSync(dataDir)
    return bavail * bsize
  }
  function fillUp(leave = 0): void {
    const file = openSync(filler(), 'w')
    for (let left = free() - leave; left > 0; left = free() - leave)
      writeSync(file, Buffer.alloc(Math.min(left, mebibyte)))
    closeSync(file)
  }
  const opened = () => openBallast(dataDir, ['machines', 'volumes'], silentLog)

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-ballast-'))
    mount(dataDir, '64m')
    await mkdir(path.join(dataDir, 'machines'))
    await mkdir(path.join(dataDir, 'volumes'))
    mount(path.join(dataDir, 'machines'), '32m')
  })
  afterAll(async () => {
    for (const dir of [path.join(dataDir, 'machines'), dataDir]) execFileSync('umount', ['--lazy', dir])
    await rm(dataDir, { recursive: true, force: true })
  })

  it('really takes its room, on each file system once, and a later server finds it', async () => {
    const before = free()
    const ballast = opened()
    await ballast.takeBack()
    expect(before - free()).toBeGreaterThanOrEqual(4 * mebibyte)
    expect(await readdir(path.join(dataDir, 'machines', '.ballast'))).toHaveLength(8)
    expect(await readdir(path.join(dataDir, 'volumes'))).toEqual([])
    expect((await stat(path.join(dataDir, 'ballast', '0'))).mode & 0o777).toBe(0o600)
    expect(ballast.state()).toEqual({ sizeBytes: 6 * mebibyte, missingBytes: 0, neededBytes: 0 })
    expect(opened().state()).toMatchObject({ missingBytes: 0 })
  })

  it('is given up piece by piece on a full disk, and is whole again when there is room for several times as much', async () => {
    const ballast = opened()
    fillUp()
    expect(ballast.isShort()).toBe(false)
    expect(ballast.makeRoom()).toBe(true)
    expect(free()).toBe(mebibyte / 2)
    expect(ballast.isShort()).toBe(true)
    for (let more = 0; more < 7; more++) expect(ballast.giveUp()).toBe(true)
    await ballast.takeBack()
    // That of the other file system had room all the time.
    expect(ballast.state()).toMatchObject({ missingBytes: 4 * mebibyte, neededBytes: 20 * mebibyte })
    rmSync(filler())
    fillUp(19 * mebibyte)
    await ballast.takeBack()
    expect(ballast.state()).toMatchObject({ missingBytes: 4 * mebibyte })
    expect(ballast.isShort()).toBe(false)
    rmSync(filler())
    await ballast.takeBack()
    expect(ballast.state()).toMatchObject({ missingBytes: 0 })
  })

  it('that is used up has nothing to give, and says so', () => {
    const ballast = opened()
    for (let more = 0; more < 8; more++) expect(ballast.giveUp()).toBe(true)
    expect(ballast.giveUp()).toBe(false)
    expect(ballast.makeRoom()).toBe(true)
    fillUp()
    expect(ballast.makeRoom()).toBe(false)
  })
})
