import type { BrowserContext, Locator, Page } from '@playwright/test'
import { accountApi, projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { callWith, enrol, expect, join, makeVm, newPerson, templateId, test } from './fixtures.ts'
import { newPublicKey } from './person.ts'

/** Names that do not fit, run the other way or are no letters at all. */
const long = `payments-${'ledger-'.repeat(12)}eu-north`.slice(0, 100)
const arabic = 'قاعدة بيانات الإنتاج'
const emoji = '🚀👩‍🚀 ракета 🛰️'

/** Pages that need nobody signed in. */
const publicPages = [
  '/',
  '/signin',
  '/signup',
  '/verify-email',
  '/forgot-password',
  '/reset-password',
  '/reset-password?token=some',
  '/privacy',
  '/terms',
  '/no/such/page',
]

/** A user who has one of everything, all of it badly named; made once for this file. */
let cookies: Awaited<ReturnType<BrowserContext['cookies']>>
/** Pages of that user, by what they show. */
let pages: Record<string, string>

test.beforeAll(async ({ server, playwright }) => {
  const request = await playwright.request.newContext({ baseURL: server.url })
  const call = callWith(request)
  await join(call, server, newPerson())
  const project = await call(projectApi.create, {
    body: { name: long, description: `${long} ${arabic} ${emoji}` },
  })
  for (const name of [arabic, emoji]) await call(projectApi.create, { body: { name } })
  for (const key_name of [long, arabic]) {
    await call(sshKeyApi.create, { body: { key_name, ssh_public_key: newPublicKey() } })
  }
  const [key] = await call(sshKeyApi.list, {})
  const body = { template_id: templateId, ssh_key_id: key?.id ?? '' }
  const failed = await makeVm(call, project.id, { ...body, name: 'fault-crash' }, 'failed')
  const coming = await makeVm(call, project.id, { ...body, name: 'fault-never-ready' }, 'provisioning')
  const stopped = await makeVm(call, project.id, { ...body, name: arabic }, 'running')
  await call(vmApi.stop, { params: { projectId: project.id, vmId: stopped.id }, body: {} })
  await makeVm(call, project.id, { ...body, name: emoji })
  const running = await makeVm(call, project.id, { ...body, name: long }, 'running')
  const vms = `/projects/${project.id}/vms`
  pages = {
    'the dashboard': '/',
    'the projects': '/projects',
    'the templates': '/templates',
    'the keys': '/ssh-keys',
    'the create form': `/create?template=${templateId}`,
    'the create form of a project': `${vms}/create`,
    'the VMs': vms,
    'a running VM': `${vms}/${running.id}`,
    'a stopped VM': `${vms}/${stopped.id}`,
    'a VM on its way': `${vms}/${coming.id}`,
    'a failed VM': `${vms}/${failed.id}`,
    'a VM that is gone': `${vms}/00000000-0000-7000-8000-000000000000`,
    'a project that is gone': '/projects/00000000-0000-7000-8000-000000000000/vms',
    'no page': '/no/such/page',
  }
  cookies = (await request.storageState()).cookies
  await request.dispose()
})

/** Opens a page and waits until it shows what it is about. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/^(Loading|Counting|Checking|Verifying).*\.\.\.$/)).toHaveCount(0)
}

test.describe('axe finds nothing wrong', () => {
  // Each of them looks at many pages.
  test.describe.configure({ timeout: 180_000 })

  test('with the pages for visitors', async ({ page }) => {
    for (const path of publicPages) {
      await open(page, path)
      await expectAccessible(page)
    }
  })

  test('with forms that complain', async ({ page }) => {
    await open(page, '/signup')
    await page.getByLabel('Password', { exact: true }).fill('Aaaa')
    await page.getByRole('checkbox', { name: 'I agree to' }).check()
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByText('Please enter your first name')).toBeVisible()
    await expectAccessible(page)
    await open(page, '/signin')
    await page.getByLabel('E-mail').fill('nobody@example.com')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    await expectAccessible(page)
  })

  test('with the pages of a newcomer', async ({ page, user: _, call }) => {
    for (const path of ['/', '/onboarding', '/projects', '/ssh-keys', '/create']) {
      await open(page, path)
      await expectAccessible(page)
    }
    const { id } = await call(projectApi.create, { body: { name: 'Engines' } })
    for (const path of ['/', `/projects/${id}/vms`]) {
      await open(page, path)
      await expectAccessible(page)
    }
  })

  test('with the pages of a user', async ({ page, context }) => {
    await context.addCookies(cookies)
    for (const [name, path] of Object.entries(pages)) {
      await test.step(name, async () => {
        await open(page, path)
        await expectAccessible(page)
      })
    }
  })

  test('with open menus and selects', async ({ page, context }) => {
    await context.addCookies(cookies)
    const openMenu = async (path: string, button: Locator, menu: Locator) => {
      await open(page, path)
      await button.click()
      await expect(menu).toBeVisible()
      // A menu hangs at the end of the page, outside of all landmarks, and is all there is while it is open.
      await expectAccessible(page, { except: ['region'] })
    }
    const menu = page.getByRole('menu')
    await openMenu('/templates', page.getByRole('button', { name: 'AL Ada Lovelace' }), menu)
    await openMenu('/templates', page.getByRole('button', { name: /^Project: / }), menu)
    await openMenu(pages['the VMs'] ?? '', page.getByRole('button', { name: /^More actions/ }).first(), menu)
    await openMenu(pages['a failed VM'] ?? '', page.getByRole('button', { name: /^More actions/ }), menu)
    for (const name of ['Project', 'Template', 'SSH Key']) {
      await openMenu('/create', page.getByRole('combobox', { name, exact: true }), page.getByRole('listbox'))
    }
  })

  test('with the dialogs', async ({ page, context }) => {
    await context.addCookies(cookies)
    const shown = async (role: 'dialog' | 'alertdialog') => {
      await expect(page.getByRole(role).last()).toBeVisible()
      await expectAccessible(page)
    }
    await open(page, '/')
    await page.getByRole('button', { name: 'Manage Projects' }).click()
    await expect(page.getByRole('dialog').getByText('Counting VMs...')).toHaveCount(0)
    await shown('dialog')
    await page.getByRole('button', { name: `Delete ${arabic}` }).click()
    await shown('alertdialog')

    await open(page, '/projects')
    await page.getByRole('button', { name: 'Create Project' }).click()
    await page.getByLabel('Project Name').press('Enter')
    await shown('dialog')

    await open(page, '/ssh-keys')
    await page.getByRole('button', { name: 'Add SSH Key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Public key').fill('hello')
    await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await shown('dialog')
    await open(page, '/ssh-keys')
    await page.getByRole('button', { name: 'Delete' }).first().click()
    await shown('alertdialog')

    await open(page, pages['a running VM'] ?? '')
    await page.getByRole('button', { name: 'Copy ID' }).click()
    await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
    await shown('dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^More actions/ }).click()
    await page.getByRole('menuitem', { name: 'Delete VM' }).click()
    await shown('alertdialog')

    await open(page, '/create')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await expect(page.getByRole('alert').first()).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove disk 1' }).click()
    await shown('alertdialog')
  })

  test('on a phone, with the drawer as well', async ({ page, context }) => {
    await page.setViewportSize({ width: 375, height: 740 })
    await context.addCookies(cookies)
    for (const name of ['the dashboard', 'the VMs', 'a running VM', 'the create form']) {
      await open(page, pages[name] ?? '')
      await expectAccessible(page)
    }
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
    await expectAccessible(page)
  })
})

test('no page scrolls sideways on a narrow phone, whatever the names', async ({ page, context }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const wide: string[] = []
  const look = async (path: string) => {
    await open(page, path)
    const [content, screen] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    if ((content ?? 0) > (screen ?? 0)) wide.push(`${path}: ${content} px`)
  }
  for (const path of publicPages) await look(path)
  await context.addCookies(cookies)
  for (const path of Object.values(pages)) await look(path)
  expect(wide).toEqual([])
})

test('the whole main job is done by keyboard alone', async ({ page, person, call, server }) => {
  await enrol(call, person)
  const { searchParams } = new URL(await server.mailedLink(person.email, 'verify-email'), server.url)
  await call(accountApi.verifyEmail, { body: { token: searchParams.get('token') ?? '' } })

  const { keyboard } = page
  const reach = async (target: Locator) => {
    await expect(target).toBeVisible()
    for (let tabs = 0; tabs < 80; tabs++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not reach ${target}`)
  }
  const press = async (target: Locator, key = 'Enter') => {
    await reach(target)
    await keyboard.press(key)
  }
  const write = async (target: Locator, text: string) => {
    await reach(target)
    await keyboard.type(text)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  await page.goto('/signin')
  await write(page.getByLabel('E-mail'), person.email)
  await write(page.getByLabel('Password', { exact: true }), person.password)
  await press(button('Sign In'))

  await write(page.getByLabel('Project Name'), 'Engines')
  await press(button('Create Project'))
  await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()

  await press(link('Templates'))
  await press(link('Use This Template: Starter Linux'))
  await write(page.getByLabel('Name', { exact: true }), 'engine')
  await press(link('Manage SSH Keys'))
  await press(button('Add SSH Key').last())
  const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
  await write(dialog.getByLabel('Name'), 'Laptop')
  await write(dialog.getByLabel('Public key'), newPublicKey())
  await press(dialog.getByRole('checkbox', { name: 'Use as default key' }), 'Space')
  await press(dialog.getByRole('button', { name: 'Add SSH Key' }))
  await expect(dialog).toBeHidden()
  await press(button('Back'))

  const template = page.getByRole('combobox', { name: 'Template' })
  await press(template)
  await expect(page.getByRole('option', { name: 'Starter Linux' })).toBeFocused()
  await keyboard.press('Enter')
  await expect(template).toBeFocused()
  await press(page.getByRole('button', { name: 'Create VM' }))
  await expect(page).toHaveURL('/')

  await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'VMs' }))
  const card = page.getByRole('article', { name: 'engine' })
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  const more = button('More actions for engine')
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  const ssh = page.getByRole('dialog', { name: 'SSH Connect' })
  await expect(ssh).toContainText('ssh root@')
  await press(ssh.getByRole('button', { name: 'Copy SSH connection string' }))
  await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
  await keyboard.press('Escape')
  await expect(ssh).toBeHidden()
  await expect(more).toBeFocused()

  await press(card.getByRole('button', { name: 'Stop', exact: true }))
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
  await press(more)
  await expect(page.getByRole('menuitem', { name: 'View Details' })).toBeFocused()
  await keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Delete VM' })).toBeFocused()
  await keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press(question.getByRole('button', { name: 'Delete VM' }))
  await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
})
