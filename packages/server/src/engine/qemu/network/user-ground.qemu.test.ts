// @module-tag full
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { directoryForEach, directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { clearAbandonedByUser, makeUserGround } from './user-ground.ts'

const asRoot = ['--user', '--map-root-user', '--net', '--', 'ip', 'link', 'set', 'lo', 'up']
const why = await run('unshare', asRoot).then(
  () => null,
  (error: Error) => error.message,
)
if (why) console.log(`SKIPPED: "the ground of an ordinary user", because ${why}`)

const dataDir = directoryForEach()
const groundIn = (dir: string) => makeUserGround(dir, { warn: () => {} })
let ground: ReturnType<typeof groundIn>
beforeEach(() => {
  ground = groundIn(dataDir())
})
afterEach(() => ground.remove())

test.skipIf(why)('is a namespace with nothing of the host in it, which the next server finds', async () => {
  expect(await ground.isThere()).toBe(false)
  expect(() => ground.entry()).toThrow()
  await ground.make()
  await ground.make()
  await ground.inside('ip', ['link', 'add', 'p7', 'type', 'bridge'])

  const next = groundIn(dataDir())
  expect(await next.isThere()).toBe(true)
  const links = JSON.parse(await next.inside('ip', ['-json', 'link', 'show'])) as { ifname: string }[]
  expect(links.map(({ ifname }) => ifname)).toEqual(['lo', 'p7'])

  await next.remove()
  expect(await ground.isThere()).toBe(false)
})

test.skipIf(why)('goes when its data directory is gone, and others stay', async () => {
  await ground.make()
  const other = directoryOfTest()
  const gone = groundIn(other)
  await gone.make()
  await rm(other, { recursive: true })
  await clearAbandonedByUser()
  expect(await gone.isThere()).toBe(false)
  expect(await ground.isThere()).toBe(true)
})
