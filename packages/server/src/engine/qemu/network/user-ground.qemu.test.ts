import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../../../lib/command.ts'
import { clearAbandonedByUser, makeUserGround } from './user-ground.ts'

const why = await run('unshare', [
  '--user',
  '--map-root-user',
  '--net',
  '--',
  'ip',
  'link',
  'set',
  'lo',
  'up',
]).then(
  () => null,
  (error: Error) => error.message,
)
if (why) console.log(`SKIPPED: "the ground of an ordinary user", because ${why}`)

let dataDir: string
let ground: ReturnType<typeof makeUserGround>
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-ground-'))
  ground = makeUserGround(dataDir, { warn: () => {} })
})
afterEach(async () => {
  await ground.remove()
  await rm(dataDir, { recursive: true, force: true })
})

test.skipIf(why)('is a namespace with nothing of the host in it, which the next server finds', async () => {
  expect(await ground.isThere()).toBe(false)
  expect(() => ground.entry()).toThrow()
  await ground.make()
  await ground.make()
  await ground.inside('ip', ['link', 'add', 'p7', 'type', 'bridge'])

  const next = makeUserGround(dataDir, { warn: () => {} })
  expect(await next.isThere()).toBe(true)
  const links = JSON.parse(await next.inside('ip', ['-json', 'link', 'show'])) as { ifname: string }[]
  expect(links.map(({ ifname }) => ifname)).toEqual(['lo', 'p7'])

  await next.remove()
  expect(await ground.isThere()).toBe(false)
})

test.skipIf(why)('goes when its data directory is gone, and others stay', async () => {
  await ground.make()
  const other = await mkdtemp(join(tmpdir(), 'slipway-ground-'))
  const gone = makeUserGround(other, { warn: () => {} })
  await gone.make()
  await rm(other, { recursive: true })
  await clearAbandonedByUser()
  expect(await gone.isThere()).toBe(false)
  expect(await ground.isThere()).toBe(true)
})
