import { diskApi, projectApi, projectBinApi, vmApi } from '@slipway/contract'
import { vmListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { address, call, press, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, toasts } from '../../screen/shown.test-kit.ts'

const deleted = () => page.getByRole('region', { name: 'Deleted projects' })

/** Makes a project, and deletes it. */
async function remove(name: string): Promise<void> {
  const { id } = await call(projectApi.create, { body: { name } })
  await call(projectApi.delete, { params: { projectId: id } })
}

test('a project with VMs is deleted with all of them and is back with one click', async ({
  project,
  makeVm,
  addDisk,
}) => {
  const vm = await makeVm('web', 'running')
  await makeVm('spare', 'running')
  await addDisk('data')
  await visit(vmListPath(project.id))
  await page.getByRole('button', { name: 'Project: Engines' }).click()
  await page.getByRole('menuitem', { name: 'Delete Project' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
  await expectText(
    question,
    'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.',
  )
  await expectText(question, 'Its 2 VMs and 1 disk are deleted, too.')
  await expectText(question, 'The project is kept in the bin for 7 days, and can be restored from there.')
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expectText(toasts(), 'Project "Engines" deleted')
  await expectText(
    page.getByRole('article', { name: 'Engines' }),
    'It contains 2 VMs and 1 disk. 2 VMs run again once it is restored.',
  )
  await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  expect(await call(projectApi.list, {})).toEqual([])

  await press(toasts().getByRole('button', { name: 'Undo: restore project Engines' }), '{Enter}')
  await expectText(toasts(), 'Restored project "Engines"')
  await expectCount(deleted(), 0)
  await expect.element(page.getByRole('article', { name: 'Engines' }).getByText('Has VMs')).toBeVisible()
  const params = { projectId: project.id, vmId: vm.id }
  await expect.poll(async () => (await call(vmApi.get, { params })).status).toBe('running')
  expect(await call(diskApi.list, { params })).toMatchObject([{ name: 'data', status: 'available' }])
})

test('deleted projects are listed with what they have, and come back under another name or are deleted for good', async ({
  project,
}) => {
  for (const name of ['Looms', 'Mills']) await remove(name)
  await call(projectApi.create, { body: { name: 'Looms' } })
  await visit('/projects')
  await expectCount(deleted().getByRole('article'), 2)
  await expectText(deleted(), 'Kept for 7 days with everything in them.')
  await expectText(deleted().getByRole('article', { name: 'Mills' }), 'It is empty.')

  await deleted().getByRole('button', { name: 'Restore project Looms' }).click()
  await expectText(toasts(), 'It is called "Looms-2" now: its name is taken.')
  await expect.element(page.getByRole('article', { name: 'Looms-2' })).toBeVisible()

  await deleted().getByRole('button', { name: 'Delete for Good: project Mills' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expectText(question, 'Delete project "Mills" for good? This action cannot be undone.')
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expectText(toasts(), 'Deleted project "Mills" for good')
  await expectCount(deleted(), 0)
  expect(await call(projectBinApi.list, {})).toEqual([])
  expect((await call(projectApi.list, {})).map(({ id }) => id)).toContain(project.id)
})

test('the bin of projects is emptied of what was counted, and what comes later stays', async ({
  project,
  makeVm,
}) => {
  await makeVm('web', 'running')
  await call(projectApi.delete, { params: { projectId: project.id }, query: { with_vms: 'true' } })
  await remove('Looms')
  await visit('/projects')
  await press(deleted().getByRole('button', { name: 'Empty Bin' }), '{Enter}')
  const question = page.getByRole('alertdialog', { name: 'Empty the bin' })
  await expectText(question, 'Delete 2 projects with 1 VM in the bin for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=empty-bin/)
  await remove('Late')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expectText(toasts(), 'Deleted 2 projects for good')
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).not.toBeInTheDocument()
  await expect.element(deleted().getByRole('article', { name: 'Late' })).toBeVisible()
  expect((await call(projectBinApi.list, {})).map(({ name }) => name)).toEqual(['Late'])

  const away = answer(projectBinApi.empty, 503, { message: 'Not now.' })
  await deleted().getByRole('button', { name: 'Empty Bin' }).click()
  await expectText(question, 'Delete 1 project in the bin for good?')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expectText(question, 'Not now.')
  await away.end()
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expectCount(deleted(), 0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('a project is deleted for good at once when that is chosen, and nothing offers to undo it', async ({
  project: _,
}) => {
  await visit('/projects')
  await page.getByRole('button', { name: 'Delete Engines' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expectText(question, 'The project is deleted for good at once and cannot be restored.')
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expectText(toasts(), 'Project "Engines" deleted')
  await expectCount(toasts().getByRole('button', { name: /^Undo/ }), 0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('deleted projects that cannot be loaded are said so, and can be loaded again', async ({
  project: _,
}) => {
  await remove('Looms')
  const away = answer(projectBinApi.list, 500, {})
  await visit('/projects')
  await expectText(deleted(), 'The deleted projects could not be loaded.')
  await away.end()
  await deleted().getByRole('button', { name: 'Try Again' }).click()
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).toBeVisible()
})

test('a refusal to restore a project is said with its reason', async ({ project: _ }) => {
  await remove('Looms')
  answer(projectBinApi.restore, 409, { message: 'No room is left.' })
  await visit('/projects')
  await deleted().getByRole('button', { name: 'Restore project Looms' }).click()
  await expectText(toasts(), 'Failed to restore project "Looms".', 'No room is left.')
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).toBeVisible()
})
