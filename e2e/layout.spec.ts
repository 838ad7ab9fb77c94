import type { Locator, Page } from '@playwright/test'
import { accountApi, hostApi, projectApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, join, makeVm, templateId, test } from './fixtures.ts'
import { answer, hold } from './network.ts'
import { activityPath, vmListPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const hero = 'Instant dev environments on a custom hypervisor'

/** Agrees to every alert: that there is no such pool or set. */
const agreeToAlerts = (page: Page) =>
  page.addLocatorHandler(page.getByRole('alertdialog'), (alert) =>
    alert.getByRole('button', { name: 'OK' }).click(),
  )

const title = (page: Page) => page.getByRole('heading', { level: 1 })
const sidebarOf = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' })

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error('The element is not on the screen')
  return box
}

/** The pages behind the sign-in, with their headings; onboarding is for those who have no project yet. */
const consolePages = (projectId: string): [path: string, heading: string][] => {
  const of = (resource: string) => `/projects/${projectId}/${resource}`
  return [
    ['/templates', 'Templates'],
    ['/create', 'Create VM'],
    ['/projects', 'Projects'],
    [of('network'), 'Network'],
    [of('vms'), 'Virtual Machines'],
    [of('vms/some/console'), 'VM not found'],
    [of('vmpools'), 'VM Pools'],
    [of('vmpools/create'), 'Create VM Pool'],
    [of('vmpools/some/vms'), 'VM Pool not found'],
    [of('vmsets'), 'VM Sets'],
    [of('vmsets/create'), 'Create VM Set'],
    [of('vmsets/some/vms'), 'VM Set not found'],
    [of('snapshots'), 'Snapshots'],
    [of('snapshots/create'), 'Create Snapshot'],
    [of('disks'), 'Disks'],
    [of('disks/create'), 'Create Disk'],
    [of('disk-snapshots'), 'Disk Snapshots'],
    [of('disk-snapshots/create'), 'Create Disk Snapshot'],
    ['/admin/templates', 'Create Template'],
    ['/ssh-keys', 'SSH Keys'],
  ]
}

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

test('the home page never sends a visitor to sign-in', async ({ page }) => {
  await page.goto('/')
  await expect(title(page)).toHaveText(hero)
  await expect(page).toHaveURL('/')
})

test('a page of the console waits until the session is known', async ({ page, user: _ }) => {
  const { letGo } = await hold(page, accountApi.me)
  await page.goto('/templates')
  await expect(page.getByRole('status')).toHaveText('Checking authentication...')
  letGo()
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
})

test('every page of the console opens at its address, beside the sidebar', async ({
  page,
  user: _,
  call,
}) => {
  await agreeToAlerts(page)
  await page.goto('/onboarding')
  await expect(title(page)).toHaveText('Create your first project')
  const { id } = await call(projectApi.create, { body: { name: 'Engines' } })
  for (const [path, heading] of consolePages(id)) {
    await page.goto(path)
    await expect(title(page)).toHaveText(heading)
    await expect(sidebarOf(page)).toBeVisible()
    await expect(page).toHaveURL(path)
  }
})

test('every page of the console sends a visitor to sign-in', async ({ page }) => {
  for (const [path] of [['/onboarding'], ...consolePages('some'), ['/projects/some/vms/other']]) {
    await page.goto(path ?? '')
    await expect(page).toHaveURL('/signin')
  }
})

test('no page shows the name of a role', async ({ page, project }) => {
  const roles = /\b(roles?|owners?|members?|viewers?|editors?|maintainers?|administrators?|superusers?)\b/i
  await agreeToAlerts(page)
  for (const [path, heading] of [['/', project.name], ...consolePages(project.id)] as const) {
    await page.goto(path)
    await expect(title(page)).toHaveText(heading)
    await expect(page.getByText(/^Loading/)).toHaveCount(0)
    await expect(page.getByText(roles)).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
  await expect(page.getByRole('menu', { name: 'Account' })).toBeVisible()
  await expect(page.getByText(roles)).toHaveCount(0)
})

test.describe('the sidebar', () => {
  const ofProject = [
    ['VMs', 'vms'],
    ['VM Pools', 'vmpools'],
    ['VM Sets', 'vmsets'],
    ['Network', 'network'],
    ['Disks', 'disks'],
    ['Snapshots', 'snapshots'],
    ['Disk Snapshots', 'disk-snapshots'],
    ['Activity', 'activity'],
  ] as const

  test('leads to projects, templates and the making of templates, whoever one is', async ({
    page,
    user: _,
  }) => {
    await page.goto('/')
    const sidebar = sidebarOf(page)
    await expect(sidebar.getByRole('heading')).toHaveText(['Admin'])
    for (const [name, path] of [
      ['Projects', '/projects'],
      ['Templates', '/templates'],
      ['Admin', '/admin/templates'],
    ] as const) {
      const link = sidebar.getByRole('link', { name, exact: true })
      await link.click()
      await expect(page).toHaveURL(path)
      await expect(link).toHaveAttribute('aria-current', 'page')
    }
    await sidebar.getByRole('link', { name: 'Slipway' }).click()
    await expect(page).toHaveURL('/')
  })

  test('leads to all of the selected project, and of the next one', async ({ page, project, call }) => {
    const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/templates')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await expect(navigation.getByRole('heading')).toHaveText(['VM Management', 'Storage', 'Admin'])
    for (const [name, path] of ofProject) {
      await navigation.getByRole('link', { name, exact: name !== 'VMs' }).click()
      await expect(page).toHaveURL(`/projects/${project.id}/${path}`)
    }
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'Looms' }).click()
    for (const [name, path] of ofProject) {
      const link = navigation.getByRole('link', { name, exact: name !== 'VMs' })
      await expect(link).toHaveAttribute('href', `/projects/${id}/${path}`)
    }
  })

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

test('a keyboard gets past the sidebar', async ({ page, project: _ }) => {
  await page.goto('/templates')
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
  // Tab goes on from where the focus is: a link that comes later is not the next one any more.
  await expect(page.getByRole('main').getByRole('link').first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('link').first()).toBeFocused()
})

test.describe('the project selector', () => {
  test('tells that projects are loading, missing or not loaded', async ({ page, user: _ }) => {
    const sidebar = sidebarOf(page)
    const { letGo } = await hold(page, projectApi.list)
    await page.goto('/templates')
    await expect(sidebar.getByRole('button', { name: 'Loading projects...' })).toBeVisible()
    letGo()
    await expect(sidebar.getByRole('button', { name: 'No projects' })).toBeVisible()

    const { end } = await answer(page, projectApi.list, 500)
    await page.reload()
    await sidebar.getByRole('button', { name: 'Projects not loaded' }).click()
    await end()
    await page.getByRole('menuitem', { name: 'Try Again' }).click()
    await expect(sidebar.getByRole('button', { name: 'No projects' })).toBeVisible()
  })

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

  test('opens the form of the first project as a dialog, and the new project', async ({
    page,
    project: _,
  }) => {
    await page.goto('/templates')
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect(dialog.getByLabel('Project Name')).toBeFocused()
    await expect(dialog.getByLabel('Description')).toBeVisible()
    await dialog.getByLabel('Project Name').fill('Looms')
    await dialog.getByRole('button', { name: 'Create Project' }).click()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL('/')
    await expect(title(page)).toHaveText('Looms')
    await expect(page.getByRole('button', { name: 'Project: Looms' })).toBeVisible()
  })
})

test('an address of no project says so and leads to the projects', async ({ page, project: _ }) => {
  await page.goto('/projects/00000000-0000-7000-8000-000000000000/vms')
  await expect(page.getByRole('heading', { level: 1, name: 'Project not found' })).toBeVisible()
  await page.getByRole('link', { name: 'View Projects' }).click()
  await expect(page).toHaveURL('/projects')
})

test('a phone has a top bar and a menu in place of the sidebar', async ({ page, project: _ }) => {
  await page.setViewportSize({ width: 375, height: 740 })
  await page.goto('/')
  await expect(sidebarOf(page)).toBeHidden()
  const open = page.getByRole('button', { name: 'Open menu' })
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await open.click()
  await menu.getByRole('link', { name: 'Templates' }).click()
  await expect(page).toHaveURL('/templates')
  await expect(menu).toBeHidden()
  await open.click()
  await menu.getByRole('link', { name: 'Templates' }).click()
  await expect(menu).toBeHidden()
  await open.click()
  await menu.getByRole('button', { name: 'Close menu' }).click()
  await expect(menu).toBeHidden()
  await open.click()
  await expect(menu).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(open).toBeFocused()
  await page.getByRole('button', { name: 'AL, account menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign Out' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 375, height: 480 })
  await open.click()
  await expect(menu.getByRole('button', { name: 'Ada Lovelace' })).toBeInViewport({ ratio: 1 })
})

test('the account menu names the user by initials and leads to the keys', async ({ page, user, call }) => {
  const me = await call(accountApi.me, {})
  for (const [name, shown] of [
    ['Ada Lovelace', 'AL Ada Lovelace'],
    ['Ada B C', 'AC Ada B C'],
    ['ada', 'A ada'],
    ['', 'U'],
  ] as const) {
    const { end } = await answer(page, accountApi.me, 200, { ...me, name })
    await page.goto('/templates')
    await expect(page.getByRole('button', { name: shown, exact: true })).toBeVisible()
    await end()
  }
  await page.getByRole('button', { name: 'U', exact: true }).click()
  await expect(page.getByRole('menu', { name: 'Account' })).toContainText(user.email)
  await page.getByRole('menuitem', { name: 'Manage SSH Keys' }).click()
  await expect(page).toHaveURL('/ssh-keys')
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

test('an unknown address says so, to visitors and users', async ({ page, person, call, server }) => {
  await page.goto('/no/such/page')
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect(page.getByText('/no/such/page')).toBeVisible()
  await join(call, server, person)
  await page.reload()
  await expect(sidebarOf(page).getByRole('link', { name: 'Templates' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Home' }).click()
  await expect(page).toHaveURL('/')
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

test('the privacy notice lies over no form, and comes after it', async ({ page }) => {
  const notice = page.getByRole('region', { name: 'Privacy notice' })
  for (const width of [390, 900]) {
    await page.setViewportSize({ width, height: 844 })
    for (const path of ['/signin', '/signup']) {
      await page.goto(path)
      const form = page.getByRole('main').getByRole('form')
      for (const end of [0, Number.MAX_SAFE_INTEGER]) {
        await expect(notice).toBeVisible()
        await page.evaluate((top) => window.scrollTo(0, top), end)
        const [above, below] = [await boxOf(form), await boxOf(notice)]
        expect(below.y, `${path} at ${width}`).toBeGreaterThanOrEqual(above.y + above.height)
      }
    }
  }
  await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).focus()
  await page.keyboard.press('Tab')
  await expect(notice.getByRole('link', { name: 'Learn more' })).toBeFocused()
  // Elsewhere it floats, so that it is seen at once.
  await page.goto('/')
  expect((await boxOf(notice)).y).toBeLessThan(844)
})

test.describe('toasts', () => {
  test('stack at the top right, speak by their kind, and go on request', async ({ page, sshKey, makeVm }) => {
    await makeVm('engine', 'running')
    await page.clock.install()
    await page.goto('/ssh-keys')
    await page.getByRole('button', { name: `Copy ${sshKey.name}` }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('Copied to clipboard!')

    await page.getByRole('link', { name: 'VMs' }).click()
    await answer(page, vmApi.stop, 409, { message: 'Not now' })
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const failure = toasts(page).getByRole('alert')
    await expect(failure).toHaveText('Failed to stop VM. Please try again.Not now')

    const newer = await boxOf(failure)
    const older = await boxOf(toasts(page).getByRole('status'))
    for (const { x, width } of [newer, older]) expect(x + width).toBe(1280 - 16)
    // Above what the page offers to do if there is room, else below.
    const action = await boxOf(page.getByRole('main').getByRole('link', { name: 'Create VM' }))
    for (const { y, height } of [newer, older])
      expect(y + height <= action.y || y >= action.y + action.height, 'covers no action').toBe(true)
    expect(older.y).toBeGreaterThan(newer.y + newer.height)

    await toasts(page).getByRole('button', { name: 'Dismiss' }).last().click()
    await expect(toasts(page).getByRole('status')).toHaveCount(0)
    await expect(failure).toBeVisible()
  })

  test('go after 5 s in which nobody reads them', async ({ page, sshKey }) => {
    await page.clock.install()
    await page.goto('/ssh-keys')
    const copy = page.getByRole('button', { name: `Copy ${sshKey.name}` })
    await expect(copy).toBeVisible()
    await page.clock.pauseAt(Date.now() + 60_000)
    const toast = toasts(page).getByRole('status')
    await copy.click()
    await expect(toast).toBeVisible()
    await page.clock.runFor(4_999)
    await expect(toast).toBeVisible()
    await page.clock.runFor(1)
    await expect(toast).toHaveCount(0)

    // The pointer and the focus stop its time; the rest runs afterwards.
    await copy.click()
    await expect(toast).toBeVisible()
    await page.clock.runFor(2_000)
    await toast.hover()
    await page.clock.runFor(60_000)
    await toast.getByRole('button', { name: 'Dismiss' }).focus()
    await title(page).hover()
    await page.clock.runFor(60_000)
    await expect(toast).toBeVisible()
    await copy.focus()
    await page.clock.runFor(2_999)
    await expect(toast).toBeVisible()
    await page.clock.runFor(1)
    await expect(toast).toHaveCount(0)
  })

  test('go in time when they come up under a pointer that rests', async ({ page, sshKey }) => {
    await page.clock.install()
    await page.goto('/ssh-keys')
    const copy = page.getByRole('button', { name: `Copy ${sshKey.name}` })
    await expect(copy).toBeVisible()
    await page.mouse.move(1280 - 100, 30)
    await page.clock.pauseAt(Date.now() + 60_000)
    const toast = toasts(page).getByRole('status')
    await copy.press('Enter')
    await expect(toast).toBeVisible()
    // Browsers tell by themselves what came up under a pointer, but not at once: so they do now.
    await page.mouse.move(1280 - 100, 30)
    expect(await toast.evaluate((element) => element.matches(':hover'))).toBe(true)
    await page.clock.runFor(5_000)
    await expect(toast).toHaveCount(0)
  })
})

test('nobody takes the simulated engine for a real one', async ({ page, user: _, context, call }) => {
  const banner = page.getByText('no guest runs and nothing answers over SSH')
  for (const path of ['/', '/projects', '/templates', '/create', '/ssh-keys']) {
    await page.goto(path)
    await expect(banner).toBeVisible()
  }
  const host = await call(hostApi.get, {})
  // A page that the server wrote nothing into asks for it.
  await page.route('/templates', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      body: (await answer.text()).replace(/<meta name="slipway-host".*/, ''),
      response: answer,
    })
  })
  const { end } = await answer(page, hostApi.get, 200, {
    ...host,
    engine: 'qemu',
    accelerator: 'TCG',
    accelerator_reason: 'There is no /dev/kvm.',
  })
  await page.goto('/templates')
  await expect(page.getByText('QEMU with TCG')).toBeVisible()
  await expect(banner).toHaveCount(0)
  await end()
  await context.clearCookies()
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: hero })).toBeVisible()
  await expect(banner).toHaveCount(0)
})

test('a new page gets the focus at its heading; a change of the search alone does not', async ({
  page,
  project,
}) => {
  await page.goto('/projects')
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect(page).toHaveTitle('Templates')
  await expect(title(page)).toBeFocused()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: 'Find anything' })).toBeFocused()
  await page.keyboard.type('activity')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(activityPath(project.id))
  await expect(title(page)).toHaveText('Activity')
  await expect(title(page)).toBeFocused()
  await choose(page, 'Kind', 'Failure')
  await expect(page).toHaveURL(/kind=failure/)
  await expect(page.getByRole('combobox', { name: 'Kind' })).toBeFocused()
})

test('a message is read once: no live region lies in another', async ({ page, sshKey }) => {
  await page.goto('/ssh-keys')
  await page.getByRole('button', { name: `Copy ${sshKey.name}` }).click()
  await expect(toasts(page).getByRole('status')).toBeVisible()
  await expectAccessible(page)
})
