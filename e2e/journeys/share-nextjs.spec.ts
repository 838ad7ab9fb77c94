/**
 * The app of the Next.js template, shared from the console and opened in a browser that is signed out, with the WebSocket
 * of its development server. Its image takes minutes to build, so a CI leaves it out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { templateApi, type Vm, vmApi } from '@slipway/contract'
import { vmPath } from '../paths.ts'
import type { Server } from '../server.ts'
import { newOwner, type Owner } from './owner.ts'
import { clear, newDataDir, startRealServer } from './real.ts'

test.skip(process.env.CI !== undefined, 'the image of the Next.js template is not built in a CI')
test.setTimeout(3_600_000)

let dataDir: string
let server: Server
let owner: Owner
let home: BrowserContext
let page: Page
let elsewhere: BrowserContext
let vm: Vm

test.beforeAll(async ({ browser }) => {
  test.setTimeout(3_600_000)
  dataDir = await newDataDir()
  server = await startRealServer(dataDir)
  home = await browser.newContext()
  page = await home.newPage()
  elsewhere = await browser.newContext()
  owner = await newOwner(page.request, () => server)
  const params = { templateId: 'nextjs' }
  while ((await owner.must(templateApi.prepare, { params })).image.state !== 'ready') await sleep(1000)
  const body = { name: 'web', template_id: 'nextjs', ssh_key_id: owner.keyId }
  const { id } = await owner.must(vmApi.create, { params: owner.params, body })
  await expect
    .poll(async () => (await owner.call(vmApi.get, owner.of(id)))?.status, { timeout: 1_200_000 })
    .toBe('running')
  vm = await owner.must(vmApi.get, owner.of(id))
})
test.afterAll(async () => {
  await home?.close()
  await elsewhere?.close()
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

const run = (script: string) =>
  owner.inGuest(
    vm.id,
    `cd /root/next-app && (setsid ${script} < /dev/null > /root/app.log 2>&1 & echo $! > /root/app.pid)`,
  )

for (const [what, script] of [
  ['the app that is built', 'npm start'],
  ['its development server', 'npm run dev'],
] as const) {
  test(`${what} is opened by link in a browser that is signed out, until sharing ends`, async () => {
    const section = page.getByRole('region', { name: 'Network' })
    const shares = section.getByRole('list', { name: 'Shared ports' })
    const link = shares.getByRole('link')
    await run(script)
    await page.goto(server.url + vmPath(vm))
    await section.getByRole('button', { name: 'Share a port' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share a port' })
    await dialog.getByRole('button', { name: '3000', exact: true }).click({ timeout: 600_000 })
    await dialog.getByRole('button', { name: 'Share Port' }).click()
    await expect(link).toHaveAttribute('href', /:\d+\/$/)
    const other = await elsewhere.newPage()
    expect((await other.goto((await link.getAttribute('href')) ?? ''))?.status()).toBe(401)
    await expect(other.getByText('Sign in to open this page').first()).toBeVisible()

    await shares.getByRole('button', { name: 'Change who may open port 3000' }).click()
    const change = page.getByRole('dialog', { name: 'Change port 3000' })
    await change.getByRole('radio', { name: 'Whoever has the link' }).check()
    await change.getByRole('button', { name: 'Save' }).click()
    await expect(link).toHaveAttribute('href', /slipway=/)
    const isDeveloped = script === 'npm run dev'
    const hot = isDeveloped ? other.waitForEvent('websocket', { timeout: 600_000 }) : null
    await other.goto((await link.getAttribute('href')) ?? '', { timeout: 600_000 })
    await expect(other.getByRole('heading').first()).toBeVisible()
    const socket = await hot
    if (socket) {
      expect(await socket.waitForEvent('framereceived', { timeout: 600_000 })).toBeTruthy()
      expect(socket.isClosed()).toBe(false)
    }
    await other.screenshot({ path: `/tmp/next/${isDeveloped ? 'dev' : 'built'}.png` })

    await shares.getByRole('button', { name: 'Stop sharing port 3000' }).click()
    const closed = socket?.waitForEvent('close')
    const clicked = performance.now()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop Sharing' }).click()
    await closed
    if (socket)
      console.log(`NOTE: the WebSocket was cut ${Math.round(performance.now() - clicked)} ms after the click`)
    await expect(other.reload()).rejects.toThrow(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/)
    await owner.inGuest(vm.id, 'kill -- -$(cat /root/app.pid)')
  })
}
