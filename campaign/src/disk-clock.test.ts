import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeDiskClock, writeAgainAndAgain } from './disk-clock.ts'

it('counts what was waited for since it was asked, also what has not ended yet', async () => {
  let time = 0
  const clock = makeDiskClock(() => time)
  const first = clock.watch()
  await clock.during(async () => {
    time += 300
  })
  time += 5_000
  expect(first()).toBe(300)
  const second = clock.watch()
  let end = () => {}
  const work = clock.during(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  time += 40
  const third = clock.watch()
  time += 2
  expect([first(), second(), third()]).toEqual([342, 42, 2])
  end()
  await work
  time += 100
  expect([first(), second(), third()]).toEqual([342, 42, 2])
})

it('takes a write that fails for one that is over', async () => {
  let time = 0
  const clock = makeDiskClock(() => time)
  const waited = clock.watch()
  await clock.during(() => {
    time += 7
    return Promise.reject(new Error('No space left on device'))
  })
  time += 100
  expect(waited()).toBe(7)
})

it('writes until it is told to end, and leaves nothing', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-disk-clock-'))
  const clock = makeDiskClock()
  const waited = clock.watch()
  const end = writeAgainAndAgain(clock, dir)
  while (waited() === 0) await sleep(5)
  await end()
  expect(await readdir(dir)).toEqual([])
  await rm(dir, { recursive: true })
})
