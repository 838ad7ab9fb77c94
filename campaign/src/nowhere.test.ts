import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { nowhere, openNowhere } from './nowhere.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('SKIPPED: only root can lead addresses of the Internet to nobody')

it.skipIf(!isRoot)('leads its addresses to nobody while it is open, and leaves no trace', async () => {
  const routes = async () => (await run('ip', ['route'])).stdout
  const links = async () => (await run('ip', ['-brief', 'link'])).stdout
  const name = `nowhere-${process.pid}`
  const { close } = await openNowhere()
  expect(await routes()).toContain(`${nowhere}.0/24 dev ${name}`)
  expect(await links()).toMatch(new RegExp(`^${name}@.* UP `, 'm'))
  await close()
  expect(await routes()).not.toContain(name)
  expect(await links()).not.toContain(name)
})
