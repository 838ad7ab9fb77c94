import type { Page } from '@playwright/test'
import { diskApi, projectApi, projectBinApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, often, test } from './fixtures.ts'
import { answer } from './network.ts'
import { vmListPath } from './paths.ts'

const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' })
const deleted = (page: Page) => page.getByRole('region', { name: 'Deleted projects' })

test('a project with VMs is deleted with all of them and is back with one click', async ({
  page,
  project,
  makeVm,
  addDisk,
  call,
}) => {
  const vm = await makeVm('web', 'running')
  await makeVm('spare', 'running')
  await addDisk('data')
  await page.goto(vmListPath(project.id))
  await page.getByRole('button', { name: 'Project: Engines' }).click()
  await page.getByRole('menuitem', { name: 'Delete Project' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
  await expect(question).toContainText(
    'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.',
  )
  await expect(question).toContainText('Its 2 VMs and 1 disk are deleted, too.')
  await expect(question).toContainText(
    'The project is kept in the bin for 7 days, and can be restored from there.',
  )
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expect(toasts(page)).toContainText('Project "Engines" deleted')
  await expect(page.getByRole('article', { name: 'Engines' })).toContainText(
    'It contains 2 VMs and 1 disk. 2 VMs run again once it is restored.',
  )
  await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  await expectAccessible(page)
  expect(await call(projectApi.list, {})).toEqual([])

  const undo = toasts(page).getByRole('button', { name: 'Undo: restore project Engines' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await expect(toasts(page)).toContainText('Restored project "Engines"')
  await expect(deleted(page)).toHaveCount(0)
  await expect(page.getByRole('article', { name: 'Engines' }).getByText('Has VMs')).toBeVisible()
  const params = { projectId: project.id, vmId: vm.id }
  await expect.poll(async () => (await call(vmApi.get, { params })).status, often).toBe('running')
  expect(await call(diskApi.list, { params })).toMatchObject([{ name: 'data', status: 'available' }])
})

test('deleted projects are listed with what they have, and come back under another name or are deleted for good', async ({
  page,
  project,
  call,
}) => {
  for (const name of ['Looms', 'Mills']) {
    const { id } = await call(projectApi.create, { body: { name } })
    await call(projectApi.delete, { params: { projectId: id } })
  }
  await call(projectApi.create, { body: { name: 'Looms' } })
  await page.goto('/projects')
  await expect(deleted(page).getByRole('article')).toHaveCount(2)
  await expect(deleted(page)).toContainText('Kept for 7 days with everything in them.')
  await expect(deleted(page).getByRole('article', { name: 'Mills' })).toContainText('It is empty.')
  await expectAccessible(page)

  await deleted(page).getByRole('button', { name: 'Restore project Looms' }).click()
  await expect(toasts(page)).toContainText('It is called "Looms-2" now: its name is taken.')
  await expect(page.getByRole('article', { name: 'Looms-2' })).toBeVisible()

  await deleted(page).getByRole('button', { name: 'Delete for Good: project Mills' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expect(question).toContainText('Delete project "Mills" for good? This action cannot be undone.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toasts(page)).toContainText('Deleted project "Mills" for good')
  await expect(deleted(page)).toHaveCount(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
  expect((await call(projectApi.list, {})).map(({ id }) => id)).toContain(project.id)
})

test('the bin of projects is emptied of what was counted, and what comes later stays', async ({
  page,
  project,
  makeVm,
  call,
}) => {
  await makeVm('web', 'running')
  await call(projectApi.delete, { params: { projectId: project.id }, query: { with_vms: 'true' } })
  const remove = async (name: string) => {
    const { id } = await call(projectApi.create, { body: { name } })
    await call(projectApi.delete, { params: { projectId: id } })
  }
  await remove('Looms')
  await page.goto('/projects')
  await deleted(page).getByRole('button', { name: 'Empty Bin' }).press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Empty the bin' })
  await expect(question).toContainText(
    'Delete 2 projects with 1 VM in the bin for good? This action cannot be undone.',
  )
  await expect(page).toHaveURL(/dialog=empty-bin/)
  await expectAccessible(page)
  await remove('Late')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect(toasts(page)).toContainText('Deleted 2 projects for good')
  await expect(deleted(page).getByRole('article', { name: 'Looms' })).toBeHidden()
  await expect(deleted(page).getByRole('article', { name: 'Late' })).toBeVisible()
  expect((await call(projectBinApi.list, {})).map(({ name }) => name)).toEqual(['Late'])

  const away = await answer(page, projectBinApi.empty, 503, { message: 'Not now.' })
  await deleted(page).getByRole('button', { name: 'Empty Bin' }).click()
  await expect(question).toContainText('Delete 1 project in the bin for good?')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect(question).toContainText('Not now.')
  await away.end()
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect(deleted(page)).toHaveCount(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('a project is deleted for good at once when that is chosen, and nothing offers to undo it', async ({
  page,
  project: _,
  call,
}) => {
  await page.goto('/projects')
  await page.getByRole('button', { name: 'Delete Engines' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expect(question).toContainText('The project is deleted for good at once and cannot be restored.')
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expect(toasts(page)).toContainText('Project "Engines" deleted')
  await expect(toasts(page).getByRole('button', { name: /^Undo/ })).toHaveCount(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('deleted projects that cannot be loaded are said so, and can be loaded again', async ({
  page,
  project: _,
  call,
}) => {
  const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
  await call(projectApi.delete, { params: { projectId: id } })
  const away = await answer(page, projectBinApi.list, 500, {})
  await page.goto('/projects')
  await expect(deleted(page)).toContainText('The deleted projects could not be loaded.')
  await away.end()
  await deleted(page).getByRole('button', { name: 'Try Again' }).click()
  await expect(deleted(page).getByRole('article', { name: 'Looms' })).toBeVisible()
})

test('a refusal to restore a project is said with its reason', async ({ page, project: _, call }) => {
  const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
  await call(projectApi.delete, { params: { projectId: id } })
  await answer(page, projectBinApi.restore, 409, { message: 'No room is left.' })
  await page.goto('/projects')
  await deleted(page).getByRole('button', { name: 'Restore project Looms' }).click()
  await expect(toasts(page)).toContainText('Failed to restore project "Looms".')
  await expect(toasts(page)).toContainText('No room is left.')
  await expect(deleted(page).getByRole('article', { name: 'Looms' })).toBeVisible()
})
