import { vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmListPath } from './paths.ts'

test('VMs are shown as a table in a chosen order, which the URL has and the browser remembers', async ({
  page,
  project,
  makeVm,
  call,
}) => {
  await makeVm('web-2', 'running')
  await makeVm('Atlas', 'running')
  const large = await makeVm('web-10', 'running')
  const params = { projectId: project.id, vmId: large.id }
  await call(vmApi.update, { params, body: { tags: ['prod'] } })
  await page.goto(vmListPath(project.id))
  const view = page.getByRole('group', { name: 'View' })
  await view.getByRole('button', { name: 'Table' }).click()
  const rows = page.getByRole('list', { name: 'Virtual machines' }).getByRole('article')
  await expect(rows).toHaveCount(3)
  const names = () => rows.getByRole('heading').allTextContents()
  expect(await names()).toEqual(['web-2', 'Atlas', 'web-10'])
  await page.getByRole('button', { name: 'Order by Name' }).click()
  await expect.poll(names).toEqual(['Atlas', 'web-2', 'web-10'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Order by Name, ascending' }).press('Enter')
  await expect.poll(names).toEqual(['web-10', 'web-2', 'Atlas'])
  await expect(page).toHaveURL(/\?sort=-name$/)
  await page.reload()
  await expect.poll(names).toEqual(['web-10', 'web-2', 'Atlas'])
  await page.goBack()
  await expect.poll(names).toEqual(['Atlas', 'web-2', 'web-10'])

  await rows.first().getByRole('button', { name: 'More actions for Atlas' }).click()
  await page.getByRole('menuitem', { name: 'Stop', exact: true }).click()
  await expect(rows.first().getByText('Stopped', { exact: true })).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('combobox', { name: 'Order' }).click()
  await page.getByRole('option', { name: 'Newest first' }).click()
  await expect.poll(names).toEqual(['web-10', 'Atlas', 'web-2'])
  await expectAccessible(page)
  await view.getByRole('button', { name: 'Cards' }).click()
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible()
})
