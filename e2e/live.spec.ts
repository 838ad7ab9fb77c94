/** What is shown stays true: over many tabs, two accounts, late answers and a server that goes away. */
import type { Page } from '@playwright/test'
import { accountApi, eventApi, projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { callsOf } from './network.ts'
import { vmListPath } from './paths.ts'
import { newPublicKey } from './person.ts'
import { trySignIn } from './sentences.ts'
import { startServer } from './server.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name })
const statusOf = (page: Page, name: string, word: string) =>
  cardOf(page, name).getByText(word, { exact: true }).first()

test.describe('two accounts in two tabs of one browser', () => {
  test('a key that is added on the page of the first lands in neither, and the page turns to the second', {
    tag: '@full',
  }, async ({ page, user, context, server, playwright }) => {
    const bob = { ...newPerson(), firstName: 'Bob' }
    const elsewhere = await playwright.request.newContext({ baseURL: server.url })
    const callAsBob = callWith(elsewhere)
    await join(callAsBob, server, bob)
    await page.goto('/ssh-keys')
    await expect(page.getByRole('heading', { name: 'SSH Keys', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Public key').fill(newPublicKey())
    // Bob signs in where no tab can tell the others.
    await callWith(context.request)(accountApi.signIn, { body: bob })
    await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
    await expect(page.getByRole('button', { name: 'BL Bob Lovelace' })).toBeVisible()
    expect(await callAsBob(sshKeyApi.list, {})).toEqual([])
    await callWith(context.request)(accountApi.signIn, { body: user })
    expect(await callWith(context.request)(sshKeyApi.list, {})).toEqual([])
    await elsewhere.dispose()
  })

  test('who signs in or out in one tab is signed in or out in the other', async ({ page, user, context }) => {
    await page.goto('/projects')
    const other = await context.newPage()
    await other.goto('/templates')
    await expect(other.getByRole('heading', { name: 'Templates', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    await expect(other).toHaveURL('/signin')
    await page.goto('/signin')
    await trySignIn(page, user)
    await expect(other.getByRole('heading', { name: 'Templates', level: 1 })).toBeVisible()
  })
})

test('eight tabs share one event stream, all load, and all follow what happens', async ({
  project,
  makeVm,
  call,
  context,
  browser,
}) => {
  const vm = await makeVm('loom', 'running')
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()))
  const streams = tabs.map((tab) => callsOf(tab, eventApi.streamAll))
  for (const tab of tabs) {
    await tab.goto(vmListPath(project.id))
    await expect(statusOf(tab, vm.name, 'Running')).toBeVisible()
  }
  await call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
  for (const tab of tabs) await expect(statusOf(tab, vm.name, 'Stopped')).toBeVisible()
  // None of them has a stream itself: it is in the worker that they share.
  expect(streams.flat()).toEqual([])
  const session = await browser.newBrowserCDPSession()
  const { targetInfos } = await session.send('Target.getTargets')
  const here = targetInfos.filter(
    ({ type, url }) => type === 'shared_worker' && url.startsWith(new URL(tabs[0]?.url() ?? '').origin),
  )
  expect(here).toHaveLength(1)
})

test('a list answer that is late does not bring a stopped VM back to Running', async ({
  page,
  context,
  project,
  makeVm,
  call,
}) => {
  const vm = await makeVm('loom', 'running')
  const { promise: late, resolve: release } = Promise.withResolvers<void>()
  const { promise: written, resolve: write } = Promise.withResolvers<void>()
  await page.route(
    `**/api/projects/${project.id}/vms`,
    async (route) => {
      // Written while the VM runs, and read long after it stopped.
      const response = await route.fetch()
      write()
      await late
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.goto(vmListPath(project.id))
  await written
  await call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
  await expect
    .poll(async () => (await call(vmApi.get, { params: { projectId: project.id, vmId: vm.id } })).status)
    .toBe('stopped')
  // Another page hears of it by the same stream; then this one has as well.
  const other = await context.newPage()
  await other.goto(vmListPath(project.id))
  await expect(statusOf(other, vm.name, 'Stopped')).toBeVisible()
  release()
  await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible()
  await expect(statusOf(page, vm.name, 'Running')).toHaveCount(0)
})

test('a server that is away is told of in a line, which goes when it is back', { tag: '@full' }, async ({
  browser,
}) => {
  test.slow()
  const server = await startServer()
  const port = new URL(server.url).port
  const page = await browser.newPage({ baseURL: server.url })
  const call = callWith(page.request)
  const person = newPerson()
  await join(call, server, person)
  const project = await call(projectApi.create, { body: { name: 'Engines' } })
  await page.goto(vmListPath(project.id))
  await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
  const line = page.getByRole('status').filter({ hasText: 'Connection to the server lost at' })
  await expect(line).toHaveCount(0)
  await server.kill()
  await expect(line).toContainText(/lost at \d\d:\d\d\. This page may be out of date\. Trying again\.\.\.$/, {
    timeout: 15_000,
  })
  // In sight also far down a page on a phone.
  await page.setViewportSize({ width: 390, height: 500 })
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await expect(page.getByRole('heading', { level: 1 })).not.toBeInViewport()
  await expect(line).toBeInViewport({ ratio: 1 })
  const again = await startServer({ SLIPWAY_PORT: port }, server.dataDir)
  await expect(line).toHaveCount(0, { timeout: 30_000 })
  await expect(page.getByText('Connected to the server again')).toBeAttached()
  await page.close()
  await again.stop()
})
