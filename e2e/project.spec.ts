import type { Locator, Page } from '@playwright/test'
import {
  diskApi,
  diskSnapshotApi,
  projectApi,
  summarizeVms,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { shownMoment } from './dates.ts'
import { callWith, expect, join, makeVm, newPerson, often, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold, makeVmPool, makeVmSet } from './network.ts'
import { signIn, signOut } from './sentences.ts'

/** The names of cards lead to their projects; deleted ones are rows below them, which lead nowhere. */
const cardsOf = (page: Page) =>
  page
    .getByRole('article')
    .getByRole('heading')
    .filter({ has: page.getByRole('link') })
const cardOf = (page: Page, name: string) =>
  page.getByRole('article').getByRole('link', { name, exact: true })

const question =
  'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.'

/** The project that one works in, by the sidebar. */
const selected = (page: Page, name: string) =>
  page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: `Project: ${name}` })

async function manageProjects(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^(Project: |No projects)/ }).click()
  await page.getByRole('menuitem', { name: 'Manage Projects' }).click()
  return page.getByRole('dialog', { name: 'Manage Projects' })
}

/** A deletion is refused, fails and gets no answer; each is told in a banner, and nowhere else. */
async function failToDelete(page: Page): Promise<void> {
  for (const [status, body, text] of [
    [409, { message: 'Cannot delete (VMs exist)' }, 'Cannot delete (VMs exist)'],
    [500, {}, 'Failed to delete project'],
    [null, {}, 'Failed to delete project'],
  ] as const) {
    const { end } = await answer(page, projectApi.delete, status, body)
    await page.getByRole('button', { name: 'Delete Project', exact: true }).click()
    await end()
    await expect(page.getByRole('alertdialog').getByRole('alert')).toHaveText(text)
    await expect(page.getByRole('alert')).toHaveCount(1)
  }
}

test.describe('the first project', () => {
  test('is created where a newcomer arrives, and opens', async ({ page, user: _ }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1, name: 'No Projects Found' })).toBeVisible()
    await page.getByLabel('Project Name').fill(' Engines ')
    await page.getByLabel('Description').fill('Brass and steam')
    await page.getByRole('button', { name: 'Create Project' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await expect(page.getByText('Brass and steam')).toBeVisible()
    await expect(selected(page, 'Engines')).toBeVisible()
  })

  test('can be created at /onboarding, which is over once there is one', async ({ page, user: _ }) => {
    await page.goto('/onboarding')
    await expect(page.getByRole('heading', { level: 1, name: 'Create your first project' })).toBeVisible()
    await page.getByLabel('Project Name').fill('Engines')
    await page.getByLabel('Project Name').press('Enter')
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await page.goto('/onboarding')
    await expect(page).toHaveURL('/')
  })

  test('has the same form at home, at /onboarding and in both dialogs', async ({ page, user: _ }) => {
    const form = () => page.getByLabel('Project Name').locator('xpath=ancestor::form')
    await page.goto('/onboarding')
    const fields = await form().ariaSnapshot()
    expect(fields).toContain('Project Name')
    await page.goto('/')
    await expect(form()).toMatchAriaSnapshot(fields)
    await page.getByRole('button', { name: 'No projects' }).click()
    await page.getByRole('menuitem', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect(dialog.locator('form')).toMatchAriaSnapshot(fields)
    await page.keyboard.press('Escape')
    await expect((await manageProjects(page)).locator('form')).toMatchAriaSnapshot(fields)
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
      await end()
      await expect(page.getByRole('main').getByRole('alert')).toHaveText(text)
      await expect(page.getByRole('alert')).toHaveCount(1)
    }
    await expect(page.getByLabel('Project Name')).toHaveValue('Engines')
    const { letGo } = await hold(page, projectApi.create)
    await page.getByRole('button', { name: 'Create Project' }).click()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
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

  test('shows each project as the API has it', async ({ page, project, call }) => {
    await call(projectApi.create, { body: { name: 'مشروع' } })
    await call(projectApi.create, { body: { name: '🚀 Looms' } })
    const projects = await call(projectApi.list, {})
    expect(projects[0]).toEqual(project)
    expect(Object.keys(project).sort()).toEqual([
      'created_at',
      'delete_at',
      'description',
      'id',
      'name',
      'owner_name',
      'role',
    ])
    await page.goto('/projects')
    const cards = page.getByRole('article')
    await expect(cards).toHaveCount(3)
    for (const [index, { name, description, created_at }] of projects.entries()) {
      const card = cards.nth(index)
      await expect(card.getByRole('heading', { name })).toBeVisible()
      await expect(card).toContainText(`${description}Created ${shownMoment(created_at)}`)
      await expect(card.getByText('Active', { exact: true })).toHaveCount(index === 0 ? 1 : 0)
    }
  })

  test('counts the VMs of each and names the newest three', async ({
    page,
    project,
    sshKey,
    makeVm: makeVmHere,
    call,
  }) => {
    const params = { projectId: project.id }
    const stopped = await makeVmHere('one', 'running')
    await call(vmApi.stop, { params: { ...params, vmId: stopped.id }, body: { force: true } })
    for (const name of ['two', 'three', 'fault-never-ready']) await makeVmHere(name)
    const newest = await makeVmHere('five', 'running')
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    const body = { template_id: templateId, ssh_key_id: sshKey.id }
    for (const name of ['a', 'b', 'c']) await makeVm(call, looms.id, { ...body, name }, 'running')

    const { total, running, stopped: off, starting } = summarizeVms(await call(vmApi.list, { params }))
    expect([total, running, off, starting]).toEqual([5, 3, 1, 1])
    await page.goto('/projects')
    const card = page.getByRole('article', { name: project.name })
    await expect(card.getByRole('term')).toHaveText(['Total', 'Running', 'Stopped', 'Starting'])
    await expect(card.getByRole('definition')).toHaveText([total, running, off, starting].map(String))
    await expect(card.getByRole('list', { name: 'Recent VMs' }).getByRole('listitem')).toHaveText([
      `${newest.name}, running`,
      'fault-never-ready, provisioning',
      'three, running',
      '+2 more',
    ])
    const three = page.getByRole('article', { name: 'Looms' })
    await expect(three.getByRole('definition')).toHaveText(['3', '3', '0', '0'])
    await expect(three.getByRole('list', { name: 'Recent VMs' }).getByRole('listitem')).toHaveText([
      'c, running',
      'b, running',
      'a, running',
    ])
  })

  test('follows VMs that are starting in a project that is not selected', async ({
    page,
    project: _,
    sshKey,
    call,
  }) => {
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    const body = { name: 'one', template_id: templateId, ssh_key_id: sshKey.id }
    const vm = await makeVm(call, looms.id, body, 'running')
    const { end } = await answer(page, vmApi.list, 200, [{ ...vm, status: 'starting' }])
    await page.clock.install()
    await page.goto('/projects')
    const counts = page.getByRole('article', { name: 'Looms' }).getByRole('definition')
    await expect(counts).toHaveText(['1', '0', '0', '1'])
    await end()
    await page.clock.runFor(4_000)
    await expect(counts).toHaveText(['1', '0', '0', '1'])
    await page.clock.runFor(2_000)
    await expect(counts).toHaveText(['1', '1', '0', '0'])
  })

  test('says that the VMs of a project could not be counted, and counts them on request', async ({
    page,
    project,
    makeVm,
  }) => {
    await makeVm('engine', 'running')
    const text = 'The VMs of this project could not be counted.'
    const { end } = await answer(page, vmApi.list, 500)
    await page.goto('/projects')
    const card = page.getByRole('article', { name: project.name })
    await expect(card.getByRole('definition')).toHaveText(['Unknown', 'Unknown', 'Unknown', 'Unknown'])
    await expect(card.getByRole('paragraph').filter({ hasText: text })).toBeVisible()
    const remove = card.getByRole('button', { name: `Delete ${project.name}` })
    await expect(remove).toBeDisabled()
    await expect(remove).toHaveAccessibleDescription(text)
    await expect(page.getByRole('link', { name: 'VMs Unknown' })).toBeVisible()
    const dialog = await manageProjects(page)
    await expect(dialog.getByRole('listitem')).toContainText(text)
    await expect(dialog.getByRole('button', { name: `Delete ${project.name}` })).toBeDisabled()
    await end()
    await dialog.getByRole('button', { name: `Try Again: ${project.name}` }).click()
    await expect(dialog.getByRole('listitem')).toContainText('1 VM, 1 running')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(card.getByRole('definition')).toHaveText(['1', '1', '0', '0'])
  })

  test('offers to delete only what has no VMs', async ({ page, project, makeVm, call }) => {
    await makeVm('engine')
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/projects')
    const kept = page.getByRole('article', { name: project.name })
    await expect(kept.getByText('Has VMs', { exact: true })).toBeVisible()
    await expect(kept.getByRole('button')).toHaveCount(0)
    const empty = page.getByRole('article', { name: 'Looms' })
    await expect(empty.getByText('No VMs')).toBeVisible()
    await expect(empty.getByRole('button', { name: 'Delete Looms' })).toBeVisible()
    await expect(empty.getByText('Has VMs')).toHaveCount(0)
  })

  test('selects the project whose card is clicked, wherever it is clicked', async ({
    page,
    project: _,
    call,
  }) => {
    await call(projectApi.create, { body: { name: 'Looms', description: 'Jacquard and others' } })
    await page.goto('/projects')
    const card = page.getByRole('article', { name: 'Looms' })
    // The text is beneath the link that covers the card, so it is the place that is clicked.
    await card.getByText('Jacquard and others').click({ force: true })
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    await expect(selected(page, 'Looms')).toBeVisible()
  })

  test('says before the deletion what else goes with a project', async ({ page, project, makeVm, call }) => {
    const params = { projectId: project.id }
    const disk = await call(diskApi.create, { params, body: { name: 'd', size: '1', source: 'EMPTY' } })
    const vm = await makeVm('one', 'running')
    const snapshot = { name: 's', retention_days: 1 } as const
    await call(vmSnapshotApi.create, {
      params: { ...params, vmId: vm.id },
      body: { ...snapshot, snapshot_type: 'disk' },
    })
    await expect
      .poll(async () => (await call(diskApi.list, { params })).map(({ status }) => status), often)
      .toEqual(['available'])
    await call(diskSnapshotApi.create, {
      params,
      body: { ...snapshot, snapshot_type: 'full', disk_id: disk.id },
    })
    await expect
      .poll(async () => (await call(vmSnapshotApi.list, { params })).map(({ status }) => status), often)
      .toEqual(['ready'])
    await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
    // With a VM of theirs the project could not be deleted.
    await answer(page, vmPoolApi.list, 200, [makeVmPool('a'), makeVmPool('b')])
    await answer(page, vmSetApi.list, 200, [makeVmSet('c')])
    await page.goto('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    await expect(
      dialog.getByText(
        'Its 2 VM pools, 1 VM set, 1 disk, 1 VM snapshot, 1 disk snapshot, and 1 object in the bin are deleted, too.',
      ),
    ).toBeVisible()
    await dialog.getByRole('button', { name: 'Delete Project' }).click()
    await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  })

  test('deletes no project before all that goes with it was counted', async ({ page, project: _ }) => {
    const disks = await hold(page, diskApi.list)
    const sets = await answer(page, vmSetApi.list, 500)
    await page.goto('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    const confirm = dialog.getByRole('button', { name: 'Delete Project' })
    const counted = dialog.getByRole('status').first()
    await expect(counted).toHaveText('Counting what will be deleted with the project...')
    await expect(confirm).toBeDisabled()
    disks.letGo()
    await expect(counted).toHaveText('The contents of this project could not be counted.')
    await expect(confirm).toBeDisabled()
    await sets.end()
    await dialog.getByRole('button', { name: 'Try Again' }).click()
    await expect(confirm).toBeEnabled()
  })

  test('keeps the focus on the button that waited until all was counted', async ({
    page,
    project: _,
    call,
  }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    const counting = await hold(page, diskApi.list)
    await page.goto('/projects')
    await page.getByRole('button', { name: 'Delete Looms' }).click()
    const button = page.getByRole('alertdialog').getByRole('button', { name: 'Delete Project' })
    await button.focus()
    await expect(button).toBeDisabled()
    counting.letGo()
    await expect(button).toBeEnabled()
    await expect(button).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(cardOf(page, 'Looms')).toHaveCount(0)
  })

  test('deletes a project after a question, and selects the first of the others', async ({
    page,
    project: _,
    call,
  }) => {
    for (const name of ['Looms', 'Mills']) await call(projectApi.create, { body: { name } })
    await page.goto('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    await expect(dialog.getByText(question, { exact: true })).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('article')).toHaveCount(3)
    expect(await call(projectApi.list, {})).toHaveLength(3)

    await page.getByRole('button', { name: 'Delete Engines' }).click()
    await failToDelete(page)
    const { letGo } = await hold(page, projectApi.delete)
    await dialog.getByRole('button', { name: 'Delete Project' }).click()
    await expect(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect(cardsOf(page)).toHaveText(['Looms', 'Mills'])
    await expect(selected(page, 'Looms')).toBeVisible()

    // One that is not selected takes nothing with it; after the last one nothing is selected.
    for (const name of ['Mills', 'Looms']) {
      await expect(selected(page, 'Looms')).toBeVisible()
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await page.getByRole('button', { name: 'Delete Project' }).click()
      await expect(cardOf(page, name)).toHaveCount(0)
    }
    await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'No projects', exact: true })).toBeVisible()
    expect(await call(projectApi.list, {})).toEqual([])
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
  test('creates a project, which is last and active then', async ({ page, project, call }) => {
    await page.goto('/')
    const dialog = await manageProjects(page)
    const names: string[] = [project.name]
    for (const [name, description] of [
      ['Looms', ''],
      ['Mills', 'Wind and water'],
    ] as const) {
      names.push(name)
      await dialog.getByLabel('Project Name').fill(name)
      await dialog.getByLabel('Description').fill(description)
      await dialog.getByRole('button', { name: 'Create Project' }).click()
      await expect(dialog.getByRole('listitem')).toHaveText(names.map((one) => new RegExp(`^${one}No VMs`)))
      await expect(dialog.getByRole('listitem').last()).toContainText('Active')
      await expect(dialog.getByText('Active', { exact: true })).toHaveCount(1)
      await expect(dialog.getByLabel('Project Name')).toHaveValue('')
    }
    const projects = await call(projectApi.list, {})
    expect(projects.map(({ name, description }) => [name, description])).toEqual([
      [project.name, project.description],
      ['Looms', ''],
      ['Mills', 'Wind and water'],
    ])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(selected(page, 'Mills')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: 'Mills' })).toBeVisible()
  })

  test('makes another project the active one', async ({ page, project: _, call }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/')
    const dialog = await manageProjects(page)
    await expect(dialog.getByRole('listitem')).toHaveText([/^EnginesNo VMsActive/, /^LoomsNo VMsMake active/])
    await dialog.getByRole('button', { name: 'Make active: Looms' }).click()
    await expect(dialog.getByRole('listitem')).toHaveText([/^EnginesNo VMsMake active/, /^LoomsNo VMsActive/])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(selected(page, 'Looms')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
  })

  test('stands in the URL: a reload keeps it, Back closes it, and it follows to the dashboard', async ({
    page,
    project,
    call,
  }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/templates')
    const dialog = await manageProjects(page)
    await expect(page).toHaveURL('/templates?dialog=manage-projects')
    await page.reload()
    await expect(dialog).toBeVisible()
    await page.goBack()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL('/templates')

    await page.goto(`/projects/${project.id}/vms`)
    await manageProjects(page)
    await dialog.getByRole('button', { name: 'Make active: Looms' }).click()
    await expect(page).toHaveURL('/?dialog=manage-projects')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL('/')
    // Back does not lead to the dialog again.
    await page.goBack()
    await expect(page).toHaveURL(`/projects/${project.id}/vms`)
    await expect(dialog).toBeHidden()
  })

  test('has the whole screen of a phone: the menu it is opened from makes way', async ({
    page,
    project: _,
  }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto('/templates')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Project: Engines' }).click()
    await page.getByRole('menuitem', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect(dialog.getByLabel('Project Name')).toBeFocused()
    await expect(page.getByRole('dialog', { name: 'Menu' })).toBeHidden()
    await page.goBack()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL('/templates')
  })

  test('deletes only projects without VMs', async ({ page, project, makeVm, call }) => {
    await makeVm('fault-never-ready')
    await makeVm('engine', 'running')
    await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto('/')
    await page.getByRole('button', { name: 'Manage Projects' }).click()
    const dialog = page.getByRole('dialog', { name: 'Manage Projects' })
    const kept = dialog.getByRole('listitem').filter({ hasText: project.name })
    await expect(kept.getByText('2 VMs, 1 running', { exact: true })).toBeVisible()
    await expect(kept.getByText('Cannot delete (VMs exist)', { exact: true })).toBeVisible()
    await expect(kept.getByRole('button')).toHaveCount(0)

    await dialog.getByRole('button', { name: 'Delete Looms' }).click()
    const ask = page.getByRole('alertdialog', { name: 'Delete Project Looms' })
    await expect(ask.getByText(question, { exact: true })).toBeVisible()
    await ask.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog.getByRole('listitem')).toHaveCount(2)
    await dialog.getByRole('button', { name: 'Delete Looms' }).click()
    await failToDelete(page)
    await ask.getByRole('button', { name: 'Delete Project' }).click()
    await expect(dialog.getByRole('listitem')).toHaveCount(1)
    await expect(dialog).toBeVisible()
    // The server refuses as well.
    await expect(call(projectApi.delete, { params: { projectId: project.id } })).rejects.toThrow(
      'Cannot delete (VMs exist)',
    )
  })

  test('scrolls many projects between its title and its button', async ({ page, project: _, call }) => {
    for (let n = 0; n < 15; n++) await call(projectApi.create, { body: { name: `Loom ${n}` } })
    await page.goto('/')
    const dialog = await manageProjects(page)
    await expect(dialog.getByRole('listitem').last()).toContainText('No VMs')
    await dialog.getByRole('button', { name: 'Delete Loom 14' }).scrollIntoViewIfNeeded()
    await expect(dialog.getByRole('heading', { name: 'Manage Projects' })).toBeInViewport({ ratio: 1 })
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeInViewport({ ratio: 1 })
  })
})

test.describe('the selected project', () => {
  test('is the first one after a sign-in', async ({ page, user, call }) => {
    for (const name of ['Engines', 'Looms']) await call(projectApi.create, { body: { name } })
    await page.context().clearCookies()
    await signIn(page, user)
    await expect(selected(page, 'Engines')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
  })

  test('is kept for each user of a browser', async ({ page, user, project: _, call, server }) => {
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    // The address of a project selects it.
    await page.goto(`/projects/${looms.id}/vms`)
    await expect(selected(page, 'Looms')).toBeVisible()
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    await page.reload()
    await expect(selected(page, 'Looms')).toBeVisible()
    await signOut(page)

    const other = newPerson()
    await join(call, server, other)
    await call(projectApi.create, { body: { name: 'Mills' } })
    await page.goto('/')
    await expect(selected(page, 'Mills')).toBeVisible()
    await signOut(page)
    await signIn(page, user)
    await expect(selected(page, 'Looms')).toBeVisible()
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
