import { accountApi, hostApi, projectApi } from '@slipway/contract'
import {
  activityPath,
  diskCreatePath,
  diskListPath,
  diskSnapshotCreatePath,
  vmListPath,
  vmPoolCreatePath,
} from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../screen/a11y.test-kit.ts'
import { answer, hold } from '../screen/network.test-kit.ts'
import { address, call, choose, follow, reload, test, visit } from '../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts, said, texts, toasts } from '../screen/shown.test-kit.ts'

const hero = 'Instant dev environments on a custom hypervisor'

/** Agrees to every alert, that there is no such pool or set, until a page has its heading beside the sidebar. */
const expectPage = (path: string, heading: string) =>
  expect
    .poll(() => {
      const ok = page.getByRole('alertdialog').getByRole('button', { name: 'OK' }).query()
      ;(ok as HTMLElement | null)?.click()
      return [texts(title()), sidebarOf().query()?.checkVisibility(), address()]
    })
    .toEqual([[heading], true, path])

const title = () => page.getByRole('heading', { level: 1 })
/** What every page says while no engine runs guests. */
const simulated = page.getByText(/no guest runs and nothing answers over SSH/)
const sidebarOf = () => page.getByRole('complementary', { name: 'Sidebar' })

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

test('every page of the console opens at its address, beside the sidebar', async ({ user: _ }) => {
  const roles = /\b(roles?|owners?|members?|viewers?|editors?|maintainers?|administrators?|superusers?)\b/i
  await visit('/onboarding')
  await expect.element(title()).toHaveTextContent('Create your first project')
  const { id } = await call(projectApi.create, { body: { name: 'Engines' } })
  for (const [path, heading] of [['/', 'Engines'], ...consolePages(id)] as const) {
    await visit(path)
    await expectPage(path, heading)
    await expectCount(page.getByText(/^Loading/), 0)
    // Nobody is called by what they may do.
    await expectCount(page.getByText(roles), 0)
    await expect.element(simulated).toBeVisible()
  }
  await page.getByRole('button', { name: 'AL Ada Lovelace' }).click()
  await expect.element(page.getByRole('menu', { name: 'Account' })).toBeVisible()
  await expectCount(page.getByText(roles), 0)
})
test('every page of the console sends a visitor to sign-in', async () => {
  for (const [path] of [['/onboarding'], ...consolePages('some'), ['/projects/some/vms/other']]) {
    await visit(path ?? '')
    await expect.poll(address).toBe('/signin')
  }
})
describe('the sidebar', () => {
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

  test('leads to projects, templates and the making of templates, whoever one is', async ({ user: _ }) => {
    await visit('/')
    const sidebar = sidebarOf()
    await expectTexts(sidebar.getByRole('heading'), ['Admin'])
    for (const [name, path] of [
      ['Projects', '/projects'],
      ['Templates', '/templates'],
      ['Admin', '/admin/templates'],
    ] as const) {
      const link = sidebar.getByRole('link', { name, exact: true })
      await link.click()
      await expect.poll(address).toBe(path)
      await expect.element(link).toHaveAttribute('aria-current', 'page')
    }
    await follow(sidebar.getByRole('link', { name: 'Slipway' }), '/')
  })

  test('leads to all of the selected project, and of the next one', async ({ project }) => {
    const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
    await visit('/templates')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await expectTexts(navigation.getByRole('heading'), ['VM Management', 'Storage', 'Admin'])
    for (const [name, path] of ofProject) {
      await navigation.getByRole('link', { name, exact: name !== 'VMs' }).click()
      await expect.poll(address).toBe(`/projects/${project.id}/${path}`)
    }
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'Looms' }).click()
    for (const [name, path] of ofProject) {
      const link = navigation.getByRole('link', { name, exact: name !== 'VMs' })
      await expect.element(link).toHaveAttribute('href', `/projects/${id}/${path}`)
    }
  })
})
test('a keyboard gets past the sidebar', async ({ project: _ }) => {
  await visit('/templates')
  await expect.element(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
  // Tab goes on from where the focus is: a link that comes later is not the next one any more.
  await expect.element(page.getByRole('main').getByRole('link').first()).toBeVisible()
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('link', { name: 'Skip to content' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('main').getByRole('link').first()).toHaveFocus()
})
describe('the project selector', () => {
  test('tells that projects are loading, missing or not loaded', async ({ user: _ }) => {
    const sidebar = sidebarOf()
    const { letGo } = hold(projectApi.list)
    await visit('/templates')
    await expect.element(sidebar.getByRole('button', { name: 'Loading projects...' })).toBeVisible()
    letGo()
    await expect.element(sidebar.getByRole('button', { name: 'No projects' })).toBeVisible()

    const { end } = answer(projectApi.list, 500)
    await reload()
    await sidebar.getByRole('button', { name: 'Projects not loaded' }).click()
    await end()
    await page.getByRole('menuitem', { name: 'Try Again' }).click()
    await expect.element(sidebar.getByRole('button', { name: 'No projects' })).toBeVisible()
  })
})
test('an address of no project says so and leads to the projects', async ({ project: _ }) => {
  for (const pathOf of [vmListPath, diskListPath, diskCreatePath, diskSnapshotCreatePath, vmPoolCreatePath]) {
    await visit(pathOf('00000000-0000-7000-8000-000000000000'))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Project not found' })).toBeVisible()
    // Neither creates nor deletes anything.
    await expectCount(page.getByRole('main').getByRole('button'), 0)
  }
  await follow(page.getByRole('link', { name: 'View Projects' }), '/projects')
})
test('a phone has a top bar and a menu in place of the sidebar', async ({ project: _ }) => {
  await page.viewport(375, 740)
  await visit('/')
  const open = page.getByRole('button', { name: 'Open menu' })
  await expect.element(open).toBeVisible()
  await expect.element(sidebarOf()).not.toBeInTheDocument()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await open.click()
  await follow(menu.getByRole('link', { name: 'Templates' }), '/templates')
  await expect.element(menu).not.toBeInTheDocument()
  await open.click()
  await menu.getByRole('link', { name: 'Templates' }).click()
  await expect.element(menu).not.toBeInTheDocument()
  await open.click()
  await menu.getByRole('button', { name: 'Close menu' }).click()
  await expect.element(menu).not.toBeInTheDocument()
  await open.click()
  await expect.element(menu).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(menu).not.toBeInTheDocument()
  await expect.element(open).toHaveFocus()
  await page.getByRole('button', { name: 'AL, account menu' }).click()
  await expect.element(page.getByRole('menuitem', { name: 'Sign Out' })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await page.viewport(375, 480)
  await open.click()
  await expect.element(menu.getByRole('button', { name: /Ada Lovelace/ })).toBeInViewport({ ratio: 1 })
})
test('the account menu names the user by initials and leads to the keys', async ({ user }) => {
  const me = await call(accountApi.me, {})
  for (const [name, shown] of [
    ['Ada B C', 'AC Ada B C'],
    ['', 'U'],
  ] as const) {
    const { end } = answer(accountApi.me, 200, { ...me, name })
    await visit('/templates')
    await expect.element(page.getByRole('button', { name: shown, exact: true })).toBeVisible()
    await end()
  }
  await page.getByRole('button', { name: 'U', exact: true }).click()
  await expectText(page.getByRole('menu', { name: 'Account' }), user.email)
  await follow(page.getByRole('menuitem', { name: 'Manage SSH Keys' }), '/ssh-keys')
})
test('an unknown address says so, to visitors and users', async ({ signInAs }) => {
  await visit('/no/such/page')
  await expect.element(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect.element(said('/no/such/page')).toBeVisible()
  await signInAs('Ada Lovelace')
  await reload()
  await expect.element(sidebarOf().getByRole('link', { name: 'Templates' })).toBeVisible()
  await follow(page.getByRole('link', { name: 'Back to Home' }), '/')
})
test('nobody takes the simulated engine for a real one', async ({ user: _ }) => {
  const host = await call(hostApi.get, {})
  const { end } = answer(hostApi.get, 200, {
    ...host,
    engine: 'qemu',
    accelerator: 'TCG',
    accelerator_reason: 'There is no /dev/kvm.',
  })
  await visit('/templates')
  await expect.element(page.getByText(/QEMU with TCG/)).toBeVisible()
  await expectCount(simulated, 0)
  await end()
  await call(accountApi.signOut, {})
  await visit('/')
  await expect.element(page.getByRole('heading', { level: 1, name: hero })).toBeVisible()
  await expectCount(simulated, 0)
})
test('a new page gets the focus at its heading; a change of the search alone does not', async ({
  project,
}) => {
  await visit('/projects')
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect.poll(() => document.title).toBe('Templates')
  await expect.element(title()).toHaveFocus()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(page.getByRole('combobox', { name: 'Find anything' })).toHaveFocus()
  await userEvent.keyboard('activity')
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe(activityPath(project.id))
  await expect.element(title()).toHaveTextContent('Activity')
  await expect.element(title()).toHaveFocus()
  await choose('Kind', 'Failure')
  await expect.poll(address).toMatch(/kind=failure/)
  await expect.element(page.getByRole('combobox', { name: 'Kind' })).toHaveFocus()
})
test('a message is read once: no live region lies in another', async ({ sshKey }) => {
  await visit('/ssh-keys')
  await page.getByRole('button', { name: `Copy ${sshKey.name}` }).click()
  await expect.element(toasts().getByRole('status')).toBeVisible()
  await expectAccessible()
})
