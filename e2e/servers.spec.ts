/** Several servers on one PostgreSQL and one simulated host, with a plain TCP balancer in front. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { accountApi, diskApi, operationApi, type Vm, vmApi } from '@slipway/contract'
import { test as base, expect, often } from './fixtures.ts'
import { newWorker, startLoad } from './load.ts'
import { consolePath, vmListPath, vmPath } from './paths.ts'
import { toasts } from './sentences.ts'
import type { Server } from './server.ts'
import { type Installation, startInstallation } from './servers.ts'

/** How long the database is away in seconds. */
const outageS = Number(process.env.SLIPWAY_OUTAGE_S ?? 3)

interface ServersFixtures {
  /** One that stands by while `server` drives. */
  beside: Server
  /** A page on `beside`, of a browser of its own with the session of `page`. */
  pageBeside: Page
}

/** `server` is the one that drives, and `page` goes to it through the balancer. */
const test = base.extend<ServersFixtures, { installation: Installation }>({
  installation: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => {
      const installation = await startInstallation(2, { SLIPWAY_SIMULATED_SPEED: '4' })
      await use(installation)
      await installation.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],

  server: async ({ installation }, use) => {
    if (installation.servers().length < 2) await installation.add()
    const driver = await installation.driver()
    installation.balancer.prefer(driver)
    await use(driver)
  },

  beside: async ({ installation, server }, use) => {
    const beside = installation.servers().find(({ url }) => url !== server.url)
    if (!beside) throw new Error('No other server is up')
    await use(beside)
  },

  baseURL: async ({ installation, server: _ }, use) => use(installation.balancer.url),

  pageBeside: async ({ browser, beside, user: _, context }, use) => {
    const other = await twinOf(context, browser, beside)
    await use(await other.newPage())
    await other.close()
  },
})

async function twinOf(context: BrowserContext, browser: Browser, server: Server): Promise<BrowserContext> {
  return browser.newContext({ baseURL: server.url, storageState: await context.storageState() })
}

const statusOf = (page: Page, { name }: Pick<Vm, 'name'>, word: string) =>
  page.getByRole('article', { name, exact: true }).getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))
const consoleOf = (page: Page) => page.getByRole('region', { name: 'Console', exact: true })
const screenOf = (page: Page) => consoleOf(page).locator('.xterm-rows')
const open = async (page: Page, vm: Vm) => {
  await page.goto(consolePath(vm))
  await expect(screenOf(page)).toContainText(`root@${vm.name}:~#`)
}

test('what is made, stopped, cancelled and ended on one server shows on the other by itself', {
  tag: '@full',
}, async ({ page, pageBeside, project, makeVm, call }) => {
  const params = { projectId: project.id }
  await page.goto(vmListPath(project.id))
  await pageBeside.goto(vmListPath(project.id))
  await expect(pageBeside.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
  const vm = await makeVm('loom')
  await expect(statusOf(pageBeside, vm, 'Running')).toBeVisible()
  const card = pageBeside.getByRole('article', { name: vm.name })
  await card.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(statusOf(page, vm, 'Stopped')).toBeVisible()
  await expect(statusOf(pageBeside, vm, 'Stopped')).toBeVisible()

  // The server that drives is at work on it; the simulated engine never gets to its end.
  await pageBeside.goto('/')
  const image_url = 'https://images.example.com/fault-stuck.img'
  const body = { name: 'tiles', size: '1Gi', source: 'HTTP' as const, image_url }
  const disk = await call(diskApi.create, { params, body })
  const row = pageBeside.getByRole('region', { name: 'Operations' }).getByRole('listitem')
  await expect(row).toHaveText(/^Create disk tilesRunning, 1 %/)
  await row.getByRole('button', { name: 'Cancel: Create disk tiles' }).click()
  await pageBeside.getByRole('alertdialog').getByRole('button', { name: 'Cancel operation' }).click()
  await expect(toasts(pageBeside)).toContainText('Create disk "tiles" was cancelled')
  await expect.poll(() => call(operationApi.list, { params }), often).toEqual([])
  const disks = await call(diskApi.list, { params })
  expect(disks).toMatchObject([{ id: disk.id, status: 'failed', status_message: 'Creation was cancelled.' }])

  await call(accountApi.signOut, {})
  await expect(pageBeside.getByRole('main').getByRole('link', { name: 'Sign Up' })).toBeVisible()
})

test('a console, a list and a VM on its way up go on at another server when the one that drives is killed', {
  tag: '@full',
}, async ({ page, pageBeside, context, server, installation, project, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  const list = await context.newPage()
  await list.goto(vmListPath(project.id))
  await expect(statusOf(list, vm, 'Running')).toBeVisible()
  await open(pageBeside, vm)
  await open(page, vm)
  await page.keyboard.type('echo before\n')
  await expect(screenOf(page)).toContainText('beforeroot@engine')
  await expect(screenOf(pageBeside)).toContainText('beforeroot@engine')
  const before = (await screenOf(page).textContent())?.trim() ?? ''
  const late = await makeVm('late')
  await server.kill()

  // What the guest prints while the page is cut off.
  await pageBeside.keyboard.type('echo meanwhile\n')
  await expect(screenOf(page)).toContainText('meanwhileroot@engine')
  await page.keyboard.type('echo after\n')
  await expect(screenOf(page)).toContainText('afterroot@engine')
  const after = (await screenOf(page).textContent()) ?? ''
  expect(after.startsWith(before)).toBe(true)
  expect(after.match(/Booting engine/g)).toHaveLength(1)
  for (const word of ['before', 'meanwhile', 'after']) expect(after.split(word)).toHaveLength(3)

  // Another server takes over when it has heard nothing for a while.
  await expect(statusOf(list, late, 'Running')).toBeVisible({ timeout: 30_000 })
  expect((await installation.driver()).pid).not.toBe(server.pid)
})

test('a database that ends under load is told of in sentences, and all goes on when it is back', {
  tag: '@full',
}, async ({ page, server, beside, installation, project, makeVm, call, playwright }) => {
  test.setTimeout(90_000 + 2 * outageS * 1000)
  const vm = await makeVm('engine', 'running')
  await page.goto(vmPath(vm))
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await expect(stop).toBeVisible()
  const loads = await Promise.all(
    [server, beside, server, beside].map(async (at) => {
      const request = await playwright.request.newContext({ baseURL: at.url })
      return startLoad(await newWorker(request, at))
    }),
  )
  const done = () => loads.map((load) => load.done())
  const goOn = async () => {
    const from = done()
    const isOn = () => done().every((count, i) => count >= (from[i] ?? 0) + 10)
    await expect.poll(isOn, { ...often, timeout: 30_000 }).toBe(true)
  }
  const pids = installation.servers().map(({ pid }) => pid)
  await goOn()

  await installation.postgres.stop()
  await stop.click()
  const sentence = page.getByText('The database of the server cannot be reached. Try again in a moment')
  await expect(sentence.first()).toBeVisible()
  await sleep(outageS * 1000)
  await installation.postgres.start()
  await goOn()

  // Stopped elsewhere: the page hears of it.
  await call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible()
  for (const load of loads) await load.stop()
  expect(loads.flatMap((load) => load.wrong())).toEqual([])
  for (const load of loads) expect(load.refused()).toBeGreaterThan(0)
  for (const load of loads) await load.expectKept()
  expect(installation.servers().map(({ pid }) => pid)).toEqual(pids)
})
