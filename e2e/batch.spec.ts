import type { Page } from '@playwright/test'
import { batchApi, binApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, often, test } from './fixtures.ts'
import { diskListPath, vmListPath } from './paths.ts'

const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const select = (page: Page) => page.getByRole('button', { name: 'Select', exact: true }).click()

test('VMs are selected by keyboard and stopped at once, and the results survive a reload', async ({
  page,
  project,
  makeVm,
  call,
}) => {
  for (const name of ['web-1', 'web-2', 'web-3']) await makeVm(name, 'running')
  const off = await makeVm('off', 'running')
  const params = { projectId: project.id }
  await call(vmApi.stop, { params: { ...params, vmId: off.id }, body: {} })
  await page.goto(vmListPath(project.id))
  await expect(page.getByText('Stopped', { exact: true })).toHaveCount(2)
  await select(page)
  await expect(bar(page)).toContainText('0 selected')
  await expect(bar(page).getByRole('button', { name: 'Stop' })).toHaveAccessibleDescription(
    'Select VMs first',
  )
  await box(page, 'web-1').press('Space')
  await box(page, 'web-3').click({ modifiers: ['Shift'] })
  await expect(bar(page)).toContainText('3 selected')
  await page.keyboard.press('Escape')
  await expect(bar(page)).toContainText('0 selected')
  await bar(page).getByRole('button', { name: 'Select all 4 shown' }).click()
  await expectAccessible(page)

  await bar(page).getByRole('button', { name: 'Stop 3 of 4' }).click()
  const results = page.getByRole('dialog', { name: 'Stop 3 VMs' })
  await expect(results.getByRole('region', { name: 'Requested (3)' })).toContainText('web-2')
  await expect(results).toContainText('3 of 3 requested')
  await expectAccessible(page)
  await expect(page).toHaveURL(/dialog=batch&of=/)
  await page.reload()
  await expect(results).toContainText('3 of 3 requested')
  await results.getByRole('button', { name: 'Close' }).click()
  await expect(results).toBeHidden()
  await expect
    .poll(async () => (await call(vmApi.list, { params })).map(({ status }) => status), often)
    .toEqual(Array.from({ length: 4 }, () => 'stopped'))
})

test('a VM that is protected fails with its reason, and the others are deleted', async ({
  page,
  project,
  makeVm,
  addDisk,
  call,
}) => {
  const disk = await addDisk('ledger')
  await makeVm('with-disk', 'running', { disks: [{ disk_id: disk.id }] })
  const kept = await makeVm('kept', 'running')
  const params = { projectId: project.id }
  await page.goto(vmListPath(project.id))
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Table' }).click()
  await select(page)
  await bar(page).getByRole('button', { name: 'Select all 2 shown' }).click()
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 2 VMs' })
  await expect(question).toContainText('with-disk, kept')
  await expect(question).toContainText('1 attached disk is kept')
  await expectAccessible(page)
  // Somebody protects one of them while the question is open.
  await call(vmApi.update, { params: { ...params, vmId: kept.id }, body: { delete_protection: true } })
  await question.getByRole('button', { name: 'Delete 2 VMs' }).click()
  const results = page.getByRole('dialog', { name: 'Delete 2 VMs' })
  await expect(results).toContainText('1 of 2 requested, 1 failed')
  await expect(results.getByRole('region', { name: 'Failed (1)' })).toContainText(
    'protected against deletion',
  )
  await results.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(bar(page)).toContainText('0 selected')
  await bar(page).getByRole('button', { name: 'Delete 2 VMs' }).click()
  await expect(results).toContainText('1 failed')
})

test('tags and snapshots of many VMs, on a phone', async ({ page, project, makeVm, call }) => {
  for (const name of ['a', 'b']) await makeVm(name, 'running')
  const params = { projectId: project.id }
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(vmListPath(project.id))
  await select(page)
  await box(page, 'a').check()
  await box(page, 'b').check()
  await expectAccessible(page)
  await bar(page).getByRole('button', { name: 'Tags' }).click()
  const tags = page.getByRole('dialog', { name: 'Change the tags of 2 VMs' })
  await tags.getByRole('textbox', { name: 'Add Tags' }).fill('prod')
  await tags.getByRole('button', { name: 'Change tags' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect
    .poll(async () => (await call(vmApi.list, { params })).map((vm) => vm.tags), often)
    .toEqual([['prod'], ['prod']])

  await box(page, 'a').check()
  await bar(page).getByRole('button', { name: 'Snapshot' }).click()
  const form = page.getByRole('dialog', { name: 'Take snapshots of 1 VM' })
  await form.getByRole('textbox', { name: 'Snapshot Name' }).fill('Before {name}')
  await expect(form).toContainText('Before a')
  await form.getByRole('button', { name: 'Take snapshots' }).click()
  await expect(page.getByRole('dialog').filter({ hasText: '1 of 1 requested' })).toBeVisible()
  await expect
    .poll(async () => (await call(batchApi.list, { params })).map(({ action }) => action), often)
    .toEqual(['vmSnapshot.create', 'vm.update'])
})

test('disks are deleted at once, and for good when that is chosen', async ({
  page,
  project,
  addDisk,
  call,
}) => {
  for (const name of ['one', 'two', 'secret']) await addDisk(name)
  await page.goto(diskListPath(project.id))
  await select(page)
  await box(page, 'one').check()
  await box(page, 'two').check()
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('They are kept in the bin for 7 days, and can be restored from there.')
  await question.getByRole('button', { name: 'Delete 2 disks' }).click()
  const results = page.getByRole('dialog', { name: 'Delete 2 disks' })
  await expect(results).toContainText('2 of 2 requested')
  await results.getByRole('button', { name: 'Close' }).click()

  await box(page, 'secret').check()
  await bar(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await question.getByRole('checkbox', { name: 'Delete for good' }).check()
  await expect(question).toContainText('They are deleted for good at once and cannot be restored.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete 1 disk' }).click()
  await expect(page.getByRole('dialog', { name: 'Delete 1 disk for good' })).toContainText('1 of 1 requested')
  expect(
    (await call(binApi.list, { params: { projectId: project.id } })).map(({ name }) => name).sort(),
  ).toEqual(['one', 'two'])
})
