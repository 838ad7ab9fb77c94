import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

const day = 86_400_000
let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-told-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** What a program sees that is told of another host. */
async function seenBy(told: object, program: string): Promise<unknown> {
  const file = join(dir, 'told')
  await writeFile(file, JSON.stringify(told))
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${import.meta.resolve('./told.ts')}`,
      CAMPAIGN_TOLD: file,
    },
  })
  return JSON.parse(stdout)
}

it('shows the server another time, in every way that it may look, and leaves other dates as they are', async () => {
  const before = Date.now()
  const seen = await seenBy(
    { clockMs: -400 * day, freeMb: null },
    `console.log(JSON.stringify({
      now: [Date.now(), new Date().getTime(), Date.parse(Date())],
      given: new Date(5).getTime(), isDate: new Date() instanceof Date && fs.statSync('/').mtime instanceof Date }))`,
  )
  expect(seen).toMatchObject({ given: 5, isDate: true })
  const { now } = seen as { now: number[] }
  for (const one of now) expect(Math.abs(one + 400 * day - before)).toBeLessThan(day)
})

it('shows the threads of the server the same time', async () => {
  const thread = join(dir, 'thread.mjs')
  await writeFile(thread, `(await import('node:worker_threads')).parentPort.postMessage(Date.now())`)
  const now = await seenBy(
    { clockMs: 400 * day, freeMb: null },
    `new (require('node:worker_threads').Worker)('${thread}').on('message', console.log)`,
  )
  expect(Number(now)).toBeGreaterThan(Date.now() + 399 * day)
})

it('shows the server no more free memory than it is told', async () => {
  const seen = await seenBy({ clockMs: 0, freeMb: 7 }, 'console.log(process.availableMemory())')
  expect(seen).toBe(7 * 1024 ** 2)
})
