import type { Page } from '@playwright/test'
import { accountApi, projectApi } from '@slipway/contract'
import { expect, makeVm, templateId, test } from './fixtures.ts'
import { answer, hold } from './network.ts'
import { vmListPath } from './paths.ts'

const hero = 'Instant dev environments on a custom hypervisor'

const title = (page: Page) => page.getByRole('heading', { level: 1 })
const sidebarOf = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' })

test('the home page is the dashboard for users, and neither before that is known', async ({
  page,
  user: _,
}) => {
  const { letGo } = await hold(page, accountApi.me)
  await page.goto('/')
  await expect(page.getByRole('status')).toHaveText('Loading...')
  await expect(page.getByRole('heading')).toHaveCount(0)
  letGo()
  await expect(title(page)).toHaveText('No Projects Found')
})

test('a page of the console waits until the session is known', async ({ page, user: _ }) => {
  const { letGo } = await hold(page, accountApi.me)
  await page.goto('/templates')
  await expect(page.getByRole('status')).toHaveText('Checking authentication...')
  letGo()
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
})

test.describe('the sidebar', () => {
  test('says that it is loading while the session is asked for, and then offers the ways in', async ({
    page,
  }) => {
    const { letGo } = await hold(page, accountApi.me)
    await page.goto('/no/such/page')
    const sidebar = sidebarOf(page)
    await expect(sidebar.getByText('Loading...', { exact: true })).toBeVisible()
    await expect(sidebar.getByRole('link', { name: 'Sign In' })).toHaveCount(0)
    letGo()
    await expect(sidebar.getByText('Loading...')).toHaveCount(0)
    for (const [name, path] of [
      ['Sign In', '/signin'],
      ['Sign Up', '/signup'],
    ] as const) {
      await page.goto('/no/such/page')
      await sidebar.getByRole('link', { name }).click()
      await expect(page).toHaveURL(path)
    }
  })
})

test.describe('the project selector', () => {
  test('switches the project everywhere, and keeps it over a reload', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const other = await call(projectApi.create, { body: { name: 'Looms' } })
    const body = { template_id: templateId, ssh_key_id: sshKey.id }
    await makeVm(call, project.id, { ...body, name: 'engine' })
    await makeVm(call, other.id, { ...body, name: 'loom' })
    await page.goto('/')
    // The first one until another is chosen.
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'Looms' }).click()
    await expect(title(page)).toHaveText('Looms')
    const vms = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VMs' })
    await page.reload()
    await expect(title(page)).toHaveText('Looms')

    const listed = page.getByRole('main').getByRole('heading', { level: 2 })
    await vms.click()
    await expect(listed).toHaveText(['loom'])
    await page.getByRole('button', { name: 'Project: Looms' }).click()
    await expect(page.getByRole('menuitem', { name: 'Looms' })).toHaveAttribute('aria-current', 'true')
    await expect(page.getByRole('menuitem', { name: 'Engines' })).not.toHaveAttribute('aria-current')
    await page.getByRole('menuitem', { name: 'Engines' }).click()
    await expect(page).toHaveURL(vmListPath(project.id))
    await expect(listed).toHaveText(['engine'])

    // A link of somebody else selects as well.
    await page.goto(vmListPath(other.id))
    await expect(page.getByRole('button', { name: 'Project: Looms' })).toBeVisible()
  })
})

test('the theme follows the system until one is chosen, and the choice stays', async ({ page, user: _ }) => {
  const theme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  const set = async (name: string) => {
    await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
    // It is there unseen until it has its place: what is pressed before may be elsewhere when it is released.
    await expect(page.getByRole('menu', { name: 'Account' }).locator('..')).toHaveCSS('opacity', '1')
    await page.getByRole('menuitemradio', { name }).click()
    await expect(page.getByRole('menuitemradio', { name })).toBeChecked()
    await page.keyboard.press('Escape')
  }
  for (const path of ['/privacy', '/templates']) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(path)
    await expect.poll(theme).toBe('dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(theme).toBe('light')
  }
  await set('Dark')
  expect(await theme()).toBe('dark')
  await page.reload()
  expect(await theme()).toBe('dark')
  await set('System')
  expect(await theme()).toBe('light')
})

test('a page that cannot be drawn says so and can be loaded again', async ({ page, user: _ }) => {
  const { end } = await answer(page, projectApi.list, 200, [null])
  await page.goto('/projects')
  await expect(page.getByRole('heading', { level: 1, name: 'Something went wrong' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/')
  await end()
  await page.getByRole('button', { name: 'Refresh Page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
})

test('a page whose files are gone starts over once, and then says so', async ({ page, user: _ }) => {
  await page.goto('/projects')
  let loads = 0
  page.on('load', () => loads++)
  await page.route('**/assets/SshKeyListPage-*.js', (route) => route.abort())
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Manage SSH Keys' }).click()
  await expect.poll(() => loads).toBe(1)
  // Where one wanted to go.
  await expect(page).toHaveURL('/ssh-keys')
  await expect(page.getByRole('heading', { level: 1, name: 'Something went wrong' })).toBeVisible()
  expect(loads).toBe(1)
})

test('the privacy notice asks once and keeps the answer', async ({ page }) => {
  const notice = page.getByRole('region', { name: 'Privacy notice' })
  const kept = () => page.evaluate(() => localStorage.getItem('slipway.analytics-consent'))
  for (const [button, value] of [
    ['Accept', 'true'],
    ['Decline', 'false'],
  ] as const) {
    await page.goto('/')
    const opened = page.waitForEvent('popup')
    await notice.getByRole('link', { name: 'Learn more' }).click()
    const tab = await opened
    await expect(tab.getByRole('heading', { level: 1, name: 'Privacy Policy' })).toBeVisible()
    await tab.close()
    await expect(notice.getByRole('button')).toHaveText(['Decline', 'Accept'])
    await notice.getByRole('button', { name: button }).click()
    await expect(notice).toBeHidden()
    expect(await kept()).toBe(value)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: hero })).toBeVisible()
    await expect(notice).toBeHidden()
    await page.evaluate(() => localStorage.clear())
  }
})
