import { projectApi, vmApi } from '@slipway/contract'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'

const question =
  'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.'

test.describe('the first project', () => {
  test('is created where a newcomer arrives, and opens', async ({ page, user: _ }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1, name: 'No Projects Found' })).toBeVisible()
    await page.getByLabel('Project Name').fill(' Engines ')
    await page.getByLabel('Description').fill('Brass and steam')
    await page.getByRole('button', { name: 'Create Project' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await expect(page.getByText('Brass and steam')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Project: Engines' })).toBeVisible()
  })

  test('can be created at /onboarding, which is over once there is one', async ({ page, user: _ }) => {
    await page.goto('/onboarding')
    await expect(page.getByRole('heading', { level: 1, name: 'Create your first project' })).toBeVisible()
    await page.getByLabel('Project Name').fill('Engines')
    await page.getByLabel('Project Name').press('Enter')
    await expect(page).toHaveURL('/')
    await page.goto('/onboarding')
    await expect(page).toHaveURL('/')
  })

  test('needs a name', async ({ page, user: _ }) => {
    const calls = callsOf(page, projectApi.create)
    await page.goto('/onboarding')
    const name = page.getByLabel('Project Name')
    const create = page.getByRole('button', { name: 'Create Project' })
    await expect(create).toBeDisabled()
    await expect(create).toHaveAccessibleDescription('Please enter a project name')
    await name.fill('   ')
    await expect(create).toBeDisabled()
    await name.press('Enter')
    await expect(name).toHaveAccessibleDescription('Please enter a project name')
    await name.fill('x'.repeat(101))
    await create.click()
    await expect(name).toHaveAccessibleDescription('Use at most 100 characters for the name')
    expect(calls).toEqual([])
  })

  test('fails in a banner, with the words of the server or our own', async ({ page, user: _ }) => {
    await page.goto('/onboarding')
    await page.getByLabel('Project Name').fill('Engines')
    for (const [status, body, text] of [
      [409, { message: 'There are too many projects' }, 'There are too many projects'],
      [500, {}, 'Failed to create project'],
      [null, {}, 'Failed to create project'],
    ] as const) {
      const { end } = await answer(page, projectApi.create, status, body)
      await page.getByRole('button', { name: 'Create Project' }).click()
      await expect(page.getByRole('main').getByRole('alert')).toHaveText(text)
      await end()
    }
  })
})

test.describe('the page of the projects', () => {
  test('is empty at first, and a dialog creates the first one', async ({ page, user: _ }) => {
    await page.goto('/projects')
    await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await page.getByRole('button', { name: 'Create Project' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect(dialog.getByLabel('Project Name')).toBeFocused()
    await dialog.getByLabel('Project Name').fill('Engines')
    await dialog.getByRole('button', { name: 'Create Project' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await expect(page).toHaveURL('/')
  })

  test('shows each project with its numbers and its newest VMs', async ({ page, project, makeVm, call }) => {
    const empty = await call(projectApi.create, { body: { name: 'Looms' } })
    for (const name of ['one', 'two', 'three']) await makeVm(name)
    await makeVm('fault-never-ready')
    const last = await makeVm('five', 'running')
    await page.goto('/projects')
    const card = page.getByRole('article', { name: project.name })
    await expect(card).toContainText(project.description)
    const created = new Intl.DateTimeFormat('en-US', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'UTC',
    })
    await expect(card).toContainText(`Created ${created.format(new Date(project.created_at))}`)
    await expect(card.getByText('Active')).toBeVisible()
    await expect(card.getByRole('definition')).toHaveText(['5', '4', '0', '1'])
    await expect(card.getByRole('list', { name: 'Recent VMs' }).getByRole('listitem')).toHaveText([
      `${last.name}, running`,
      'fault-never-ready, provisioning',
      'three, running',
      '+2 more',
    ])
    await expect(card.getByText('Has VMs')).toBeVisible()
    await expect(card.getByRole('button')).toHaveCount(0)

    const other = page.getByRole('article', { name: empty.name })
    await expect(other.getByText('No VMs')).toBeVisible()
    await expect(other.getByRole('button', { name: 'Delete Looms' })).toBeVisible()
    await expect(other.getByText('Active')).toHaveCount(0)
    await other.getByRole('link', { name: 'Looms' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
  })

  test('deletes a project after a question, and selects the first of the others', async ({
    page,
    project: _,
    call,
  }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    await expect(dialog).toContainText(question)
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('article', { name: 'Engines' })).toBeVisible()

    await page.getByRole('button', { name: 'Delete Engines' }).click()
    for (const [status, body, text] of [
      [409, { message: 'Cannot delete (VMs exist)' }, 'Cannot delete (VMs exist)'],
      [500, {}, 'Failed to delete project'],
    ] as const) {
      const { end } = await answer(page, projectApi.delete, status, body)
      await dialog.getByRole('button', { name: 'Delete Project' }).click()
      await expect(dialog.getByRole('alert')).toHaveText(text)
      await end()
    }
    const { letGo } = await hold(page, projectApi.delete)
    await dialog.getByRole('button', { name: 'Delete Project' }).click()
    await expect(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect(page.getByRole('article', { name: 'Engines' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Project: Looms' })).toBeVisible()
    await page.getByRole('button', { name: 'Delete Looms' }).click()
    await page.getByRole('button', { name: 'Delete Project' }).click()
    await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'No projects', exact: true })).toBeVisible()
  })

  test('fails with a way to try again', async ({ page, project }) => {
    const { end } = await answer(page, projectApi.list, 500)
    await page.goto('/projects')
    await expect(page.getByRole('alert')).toContainText('Error Loading Projects')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('article', { name: project.name })).toBeVisible()
  })
})

test.describe('the Manage Projects dialog', () => {
  test('creates a project, which is last and active then', async ({ page, project: _ }) => {
    await page.goto('/')
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'Manage Projects' }).click()
    const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
    await dialog.getByLabel('Project Name').fill('Looms')
    await dialog.getByRole('button', { name: 'Create Project' }).click()
    await expect(dialog.getByRole('listitem')).toHaveText([/^EnginesNo VMsMake active/, /^LoomsNo VMsActive/])
    await expect(dialog.getByLabel('Project Name')).toHaveValue('')

    await dialog.getByRole('button', { name: 'Make active: Engines' }).click()
    await expect(dialog.getByRole('listitem')).toHaveText([/Active/, /Make active/])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(page.getByRole('button', { name: 'Project: Engines' })).toBeVisible()
  })

  test('deletes only projects without VMs', async ({ page, project, makeVm, call }) => {
    await makeVm('engine', 'running')
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/')
    await page.getByRole('button', { name: 'Manage Projects' }).click()
    const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
    const kept = dialog.getByRole('listitem').filter({ hasText: project.name })
    await expect(kept).toContainText('1 VM, 1 running. Cannot delete (VMs exist)')
    await expect(kept.getByRole('button')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Delete Looms' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Project' }).click()
    await expect(dialog.getByRole('listitem')).toHaveCount(1)
    await expect(dialog).toBeVisible()
    // The server refuses as well.
    await expect(call(projectApi.delete, { params: { projectId: project.id } })).rejects.toThrow(
      'Cannot delete (VMs exist)',
    )
  })
})

test("a project is nobody else's", async ({ page, project, makeVm, browser, server }) => {
  const vm = await makeVm('engine')
  const elsewhere = await browser.newContext({ baseURL: server.url })
  await join(callWith(elsewhere.request), server, newPerson())
  const stranger = await elsewhere.newPage()
  for (const path of [`/projects/${project.id}/vms`, `/projects/${project.id}/vms/${vm.id}`]) {
    await stranger.goto(path)
    await expect(stranger.getByRole('heading', { level: 1, name: 'Project not found' })).toBeVisible()
    await page.goto(path)
    await expect(page.getByText(vm.name).first()).toBeVisible()
  }
  await elsewhere.close()
})

test.describe('the dashboard', () => {
  test('welcomes to a project without VMs with what there is to create', async ({ page, project: _ }) => {
    const projects = await hold(page, projectApi.list)
    const vms = await hold(page, vmApi.list)
    await page.goto('/')
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading projects...')
    projects.letGo()
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading VMs...')
    vms.letGo()
    await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Single VMs', 'VM Pools', 'VM Sets'])
    await page.getByRole('link', { name: 'Create VM' }).click()
    await expect(page).toHaveURL('/create')
  })

  test('counts the VMs, lists the six newest and names those in trouble', async ({
    page,
    project,
    makeVm,
  }) => {
    for (const name of ['one', 'two', 'fault-crash', 'four', 'five', 'six', 'seven']) await makeVm(name)
    const newest = await makeVm('eight', 'running')
    await page.goto('/')
    for (const name of ['Virtual Machines', 'VM Pools', 'VM Sets', 'Storage']) {
      await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
    }
    await expect(page.getByRole('listitem').filter({ hasText: 'Virtual Machines' })).toHaveText(
      /8\s*7 active/,
    )
    const recent = page
      .getByRole('region')
      .or(page.getByRole('main'))
      .getByRole('link', { name: /^View Details/ })
    await expect(recent).toHaveText(
      ['eight', 'seven', 'six', 'five', 'four', 'fault-crash'].map((name) => `View Details of ${name}`),
    )
    const trouble = page.getByRole('region', { name: 'Needs attention' })
    await expect(trouble.getByRole('listitem')).toHaveText([/^fault-crashVM failed\. The guest crashed/])
    await recent.first().click()
    await expect(page).toHaveURL(`/projects/${project.id}/vms/${newest.id}`)
    await page.goBack()
    await page.getByRole('link', { name: 'View all' }).click()
    await expect(page).toHaveURL(`/projects/${project.id}/vms`)
  })
})
