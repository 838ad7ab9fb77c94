import { accountApi, hostApi, projectApi, vmApi } from '@slipway/contract'
import { expect, join, test } from './fixtures.ts'
import { answer, hold } from './network.ts'
import { createFirstProject } from './sentences.ts'

const hero = 'Instant dev environments on a custom hypervisor'

test('the home page is the landing page for visitors', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: hero })).toBeVisible()
  await expect(page.getByRole('main').getByRole('heading', { level: 3 })).toHaveText([
    'Node.js with React',
    'Python with Django',
    'Rust',
    'Go',
    'Next.js',
    'Laravel with PHP',
    'Docker with Kubernetes tools',
    'Ubuntu LTS',
  ])
  for (const claim of ['10 s', '99.9%', '50+', '24/7'])
    await expect(page.getByText(claim, { exact: true })).toBeVisible()
  for (const [link, path] of [
    ['Sign In', '/signin'],
    ['Sign Up', '/signup'],
  ] as const) {
    await page.goto('/')
    await page.getByRole('banner').getByRole('link', { name: link }).click()
    await expect(page).toHaveURL(path)
  }
})

test('the home page is the dashboard for users, and neither before that is known', async ({
  page,
  user: _,
}) => {
  const { letGo } = await hold(page, accountApi.me)
  await page.goto('/')
  await expect(page.getByRole('status')).toHaveText('Loading...')
  await expect(page.getByRole('heading')).toHaveCount(0)
  letGo()
  await expect(page.getByRole('heading', { level: 1, name: 'No Projects Found' })).toBeVisible()
})

test('a page of the console waits until the session is known', async ({ page, user: _ }) => {
  const { letGo } = await hold(page, accountApi.me)
  await page.goto('/templates')
  await expect(page.getByRole('status')).toHaveText('Checking authentication...')
  letGo()
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
})

test('public pages stand alone with a footer that leads to everybody in charge', async ({ page }) => {
  for (const path of ['/', '/signin', '/signup', '/verify-email', '/privacy', '/terms']) {
    await page.goto(path)
    const footer = page.getByRole('contentinfo')
    await expect(footer).toContainText('Instant development environments on a custom hypervisor.')
    for (const role of ['support', 'legal', 'privacy']) {
      await expect(footer.getByRole('link', { name: `${role}@` })).toHaveAttribute(
        'href',
        `mailto:${role}@localhost`,
      )
    }
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveCount(0)
    await expect(page).toHaveURL(path)
  }
})

test('the legal pages say what they must, to visitors and users', async ({ page, user: _, context }) => {
  for (const _state of ['in', 'out']) {
    await page.goto('/privacy')
    await expect(page.getByRole('heading', { level: 1, name: 'Privacy Policy' })).toBeVisible()
    const privacy = page.getByRole('main')
    for (const fact of [/30 days/, /7 days/, /26 months/, /12 months/, /consent/i]) {
      await expect(privacy).toContainText(fact)
    }
    await page.goto('/terms')
    await expect(page.getByRole('heading', { level: 1, name: 'Terms of Service' })).toBeVisible()
    const terms = page.getByRole('main')
    for (const fact of [/18/, /verify/i, /99\.9%/]) await expect(terms).toContainText(fact)
    await context.clearCookies()
  }
})

test('the sidebar leads to what there is, and to the VMs of the selected project', async ({
  page,
  user: _,
}) => {
  await page.goto('/')
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  await sidebar.getByRole('link', { name: 'Projects' }).click()
  await expect(page).toHaveURL('/projects')
  await expect(sidebar.getByRole('link', { name: 'Projects' })).toHaveAttribute('aria-current', 'page')
  await sidebar.getByRole('link', { name: 'Templates' }).click()
  await expect(page).toHaveURL('/templates')
  await expect(sidebar.getByRole('heading', { name: 'VM Management' })).toHaveCount(0)

  await createFirstProject(page, 'Engines')
  await expect(sidebar.getByRole('heading', { name: 'VM Management' })).toBeVisible()
  await sidebar.getByRole('link', { name: 'VMs' }).click()
  await expect(page).toHaveURL(/\/projects\/[^/]+\/vms$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Virtual Machines' })).toBeVisible()
  await sidebar.getByRole('link', { name: 'Slipway' }).click()
  await expect(page).toHaveURL('/')
})

test('a keyboard gets past the sidebar', async ({ page, project: _ }) => {
  await page.goto('/templates')
  await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('link').first()).toBeFocused()
})

test.describe('the project selector', () => {
  test('tells that projects are loading, missing or not loaded', async ({ page, user: _ }) => {
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
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

  test('switches the project everywhere, and keeps it over a reload', async ({ page, project, call }) => {
    const other = await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/')
    // The first one until another is chosen.
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'Looms' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    const vms = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VMs' })
    await expect(vms).toHaveAttribute('href', `/projects/${other.id}/vms`)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()

    await vms.click()
    await page.getByRole('button', { name: 'Project: Looms' }).click()
    await expect(page.getByRole('menuitem', { name: 'Looms' })).toHaveAttribute('aria-current', 'true')
    await page.getByRole('menuitem', { name: 'Engines' }).click()
    await expect(page).toHaveURL(`/projects/${project.id}/vms`)

    // A link of somebody else selects as well.
    await page.goto(`/projects/${other.id}/vms`)
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
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeHidden()
  const open = page.getByRole('button', { name: 'Open menu' })
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await open.click()
  await menu.getByRole('link', { name: 'Templates' }).click()
  await expect(page).toHaveURL('/templates')
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
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  await expect(sidebar.getByRole('link', { name: 'Sign Up' })).toBeVisible()
  await expect(sidebar.getByRole('link', { name: 'Sign In' })).toBeVisible()
  await join(call, server, person)
  await page.reload()
  await expect(sidebar.getByRole('link', { name: 'Templates' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Home' }).click()
  await expect(page).toHaveURL('/')
})

test('a page that cannot be drawn says so and can be loaded again', async ({ page, user: _ }) => {
  const { end } = await answer(page, projectApi.list, 200, [null])
  await page.goto('/projects')
  await expect(page.getByRole('heading', { level: 1, name: 'Something went wrong' })).toBeVisible()
  await end()
  await page.getByRole('button', { name: 'Refresh Page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
})

test('a page whose files are gone starts over once, and then says so', async ({ page, user: _ }) => {
  await page.goto('/projects')
  let loads = 0
  page.on('load', () => loads++)
  await page.route('**/assets/SshKeyListPage-*.js', (route) => route.abort())
  const open = async () => {
    await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Manage SSH Keys' }).click()
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  await open()
  await expect.poll(() => loads).toBe(1)
  await open()
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
    await notice.getByRole('button', { name: button }).click()
    await expect(notice).toBeHidden()
    expect(await kept()).toBe(value)
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: hero })).toBeVisible()
    await expect(notice).toBeHidden()
    await page.evaluate(() => localStorage.clear())
  }
})

test('toasts stack, speak by their kind, and go by themselves or on request', async ({
  page,
  sshKey,
  makeVm,
}) => {
  const vm = await makeVm('engine')
  await page.clock.install()
  await page.goto('/ssh-keys')
  const toasts = page.getByRole('region', { name: 'Notifications' })
  await page.getByRole('button', { name: `Copy ${sshKey.name}` }).click()
  await expect(toasts.getByRole('status')).toHaveText('Copied to clipboard!')

  await page.getByRole('link', { name: 'VMs' }).click()
  await answer(page, vmApi.delete, 409, { message: 'Not now' })
  await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  await page.getByRole('button', { name: 'Delete VM' }).click()
  await expect(toasts.getByRole('alert')).toHaveText('Failed to delete VM. Please try again.Not now')
  await expect(page.getByRole('alertdialog')).toBeHidden()

  await toasts.getByRole('button', { name: 'Dismiss' }).last().click()
  await expect(toasts.getByRole('status')).toHaveCount(0)

  // A toast that is being read stays; when the pointer leaves, the rest of its time runs.
  await toasts.getByRole('alert').hover()
  await page.clock.fastForward(20_000)
  await expect(toasts.getByRole('alert')).toBeVisible()
  await page.getByRole('heading', { level: 1 }).hover()
  await page.clock.fastForward(20_000)
  await expect(toasts.getByRole('alert')).toHaveCount(0)
})

test('nobody takes the simulated engine for a real one', async ({ page, user: _, context, call }) => {
  const banner = page.getByText('no guest runs and nothing answers over SSH')
  for (const path of ['/', '/projects', '/templates', '/create', '/ssh-keys']) {
    await page.goto(path)
    await expect(banner).toBeVisible()
  }
  const host = await call(hostApi.get, {})
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

test('a new page is announced', async ({ page, user: _ }) => {
  await page.goto('/projects')
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect(page).toHaveTitle('Templates')
  await expect(page.getByText('Templates', { exact: true }).last()).toHaveAttribute('aria-live', 'polite')
})
