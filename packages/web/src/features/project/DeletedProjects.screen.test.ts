import { diskApi, projectApi, projectBinApi, vmApi } from '@slipway/contract'
import { vmListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { address, call, press, test, toasts, visit } from '../../screen/screen.test-kit.ts'

const deleted = () => page.getByRole('region', { name: 'Deleted projects' })

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
  await expect
    .element(question)
    .toMatchTextContent(
      'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.',
    )
  await expect.element(question).toMatchTextContent('Its 2 VMs and 1 disk are deleted, too.')
  await expect
    .element(question)
    .toMatchTextContent('The project is kept in the bin for 7 days, and can be restored from there.')
  await expectAccessible()
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expect.element(toasts()).toMatchTextContent('Project "Engines" deleted')
  await expect
    .element(page.getByRole('article', { name: 'Engines' }))
    .toMatchTextContent('It contains 2 VMs and 1 disk. 2 VMs run again once it is restored.')
  await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  await expectAccessible()
  expect(await call(projectApi.list, {})).toEqual([])

  const undo = toasts().getByRole('button', { name: 'Undo: restore project Engines' })
  ;(undo.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(toasts()).toMatchTextContent('Restored project "Engines"')
  await expect.poll(() => deleted().elements()).toHaveLength(0)
  await expect.element(page.getByRole('article', { name: 'Engines' }).getByText('Has VMs')).toBeVisible()
  const params = { projectId: project.id, vmId: vm.id }
  await expect.poll(async () => (await call(vmApi.get, { params })).status).toBe('running')
  expect(await call(diskApi.list, { params })).toMatchObject([{ name: 'data', status: 'available' }])
})

test('deleted projects are listed with what they have, and come back under another name or are deleted for good', async ({
  project,
}) => {
  for (const name of ['Looms', 'Mills']) {
    const { id } = await call(projectApi.create, { body: { name } })
    await call(projectApi.delete, { params: { projectId: id } })
  }
  await call(projectApi.create, { body: { name: 'Looms' } })
  await visit('/projects')
  await expect.poll(() => deleted().getByRole('article').elements()).toHaveLength(2)
  await expect.element(deleted()).toMatchTextContent('Kept for 7 days with everything in them.')
  await expect.element(deleted().getByRole('article', { name: 'Mills' })).toMatchTextContent('It is empty.')
  await expectAccessible()

  await deleted().getByRole('button', { name: 'Restore project Looms' }).click()
  await expect.element(toasts()).toMatchTextContent('It is called "Looms-2" now: its name is taken.')
  await expect.element(page.getByRole('article', { name: 'Looms-2' })).toBeVisible()

  await deleted().getByRole('button', { name: 'Delete for Good: project Mills' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expect
    .element(question)
    .toMatchTextContent('Delete project "Mills" for good? This action cannot be undone.')
  await expectAccessible()
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect.element(toasts()).toMatchTextContent('Deleted project "Mills" for good')
  await expect.poll(() => deleted().elements()).toHaveLength(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
  expect((await call(projectApi.list, {})).map(({ id }) => id)).toContain(project.id)
})

test('the bin of projects is emptied of what was counted, and what comes later stays', async ({
  project,
  makeVm,
}) => {
  await makeVm('web', 'running')
  await call(projectApi.delete, { params: { projectId: project.id }, query: { with_vms: 'true' } })
  const remove = async (name: string) => {
    const { id } = await call(projectApi.create, { body: { name } })
    await call(projectApi.delete, { params: { projectId: id } })
  }
  await remove('Looms')
  await visit('/projects')
  await press(deleted().getByRole('button', { name: 'Empty Bin' }), '{Enter}')
  const question = page.getByRole('alertdialog', { name: 'Empty the bin' })
  await expect
    .element(question)
    .toMatchTextContent('Delete 2 projects with 1 VM in the bin for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=empty-bin/)
  await expectAccessible()
  await remove('Late')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect.element(toasts()).toMatchTextContent('Deleted 2 projects for good')
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).not.toBeInTheDocument()
  await expect.element(deleted().getByRole('article', { name: 'Late' })).toBeVisible()
  expect((await call(projectBinApi.list, {})).map(({ name }) => name)).toEqual(['Late'])

  const away = answer(projectBinApi.empty, 503, { message: 'Not now.' })
  await deleted().getByRole('button', { name: 'Empty Bin' }).click()
  await expect.element(question).toMatchTextContent('Delete 1 project in the bin for good?')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect.element(question).toMatchTextContent('Not now.')
  await away.end()
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect.poll(() => deleted().elements()).toHaveLength(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('a project is deleted for good at once when that is chosen, and nothing offers to undo it', async ({
  project: _,
}) => {
  await visit('/projects')
  await page.getByRole('button', { name: 'Delete Engines' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expect
    .element(question)
    .toMatchTextContent('The project is deleted for good at once and cannot be restored.')
  await question.getByRole('button', { name: 'Delete Project' }).click()
  await expect.element(toasts()).toMatchTextContent('Project "Engines" deleted')
  await expect.poll(() => toasts().getByRole('button', { name: /^Undo/ }).elements()).toHaveLength(0)
  expect(await call(projectBinApi.list, {})).toEqual([])
})

test('deleted projects that cannot be loaded are said so, and can be loaded again', async ({
  project: _,
}) => {
  const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
  await call(projectApi.delete, { params: { projectId: id } })
  const away = answer(projectBinApi.list, 500, {})
  await visit('/projects')
  await expect.element(deleted()).toMatchTextContent('The deleted projects could not be loaded.')
  await away.end()
  await deleted().getByRole('button', { name: 'Try Again' }).click()
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).toBeVisible()
})

test('a refusal to restore a project is said with its reason', async ({ project: _ }) => {
  const { id } = await call(projectApi.create, { body: { name: 'Looms' } })
  await call(projectApi.delete, { params: { projectId: id } })
  answer(projectBinApi.restore, 409, { message: 'No room is left.' })
  await visit('/projects')
  await deleted().getByRole('button', { name: 'Restore project Looms' }).click()
  await expect.element(toasts()).toMatchTextContent('Failed to restore project "Looms".')
  await expect.element(toasts()).toMatchTextContent('No room is left.')
  await expect.element(deleted().getByRole('article', { name: 'Looms' })).toBeVisible()
})
