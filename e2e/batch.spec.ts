import type { Page } from '@playwright/test'
import { batchApi, binApi, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, often, templateId, test } from './fixtures.ts'
import { answer, makeVmSet } from './network.ts'
import { diskListPath, vmListPath, vmPoolListPath, vmSetListPath } from './paths.ts'

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

test('pools are deleted by keyboard with what they have, and the results survive a reload', async ({
  page,
  project,
  sshKey,
  call,
}) => {
  const params = { projectId: project.id }
  const like = { template_id: templateId, ssh_key_id: sshKey.id, auto_scaling: false }
  for (const name of ['web', 'ci', 'kept'])
    await call(vmPoolApi.create, { params, body: { ...like, name, disks: [{ name: 'data', size: '1Gi' }] } })
  await expect
    .poll(async () => (await call(vmPoolApi.list, { params })).map(({ status }) => status), often)
    .toEqual(['active', 'active', 'active'])
  await page.goto(vmPoolListPath(project.id))
  await page.getByRole('button', { name: 'Select', exact: true }).press('Enter')
  await expect(bar(page)).toBeFocused()
  const remove = bar(page).getByRole('button', { name: 'Delete' })
  await expect(remove).toHaveAccessibleDescription('Select pools first')
  await box(page, 'web').press('Space')
  await box(page, 'ci').press('Space')
  await expect(bar(page).getByRole('status')).toHaveText('2 selected')
  // Escape closes the form of a card first.
  await page.getByRole('button', { name: 'Edit kept' }).press('Enter')
  await page.getByRole('form', { name: 'Edit kept' }).getByRole('button', { name: 'Cancel' }).press('Escape')
  await expect(page.getByRole('form', { name: 'Edit kept' })).toBeHidden()
  await expect(bar(page).getByRole('status')).toHaveText('2 selected')
  await expectAccessible(page)

  await remove.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete 2 pools' })
  await expect(question).toHaveAccessibleDescription(
    /^Are you sure you want to delete .*\. Now they have 2 VMs and 2 disks that will be deleted with them\.$/,
  )
  await expect(question).toContainText('They are kept in the bin for 7 days')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete 2 pools' }).press('Enter')
  const results = page.getByRole('dialog', { name: 'Delete 2 pools' })
  await expect(results).toContainText('2 of 2 requested')
  await expect(results.getByRole('region', { name: 'Requested (2)' }).getByRole('listitem')).toHaveText([
    'web',
    'ci',
  ])
  await page.reload()
  await expect(results).toContainText('2 of 2 requested')
  await results.getByRole('button', { name: 'Close' }).press('Enter')
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(page.getByRole('article', { name: 'kept' })).toBeVisible()
  const kept = await call(binApi.list, { params })
  expect(kept.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual(['vm_pool ci', 'vm_pool web'])
})

test('sets are not deleted before their VMs and disks were counted', async ({ page, project }) => {
  await answer(page, vmSetApi.list, 200, [makeVmSet('web'), makeVmSet('ci')])
  const failing = await answer(page, vmApi.list, 500, {})
  await page.goto(vmSetListPath(project.id))
  await select(page)
  await bar(page).getByRole('button', { name: 'Select all 2 shown' }).click()
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 2 sets' })
  const confirm = question.getByRole('button', { name: 'Delete 2 sets' })
  await expect(question).toContainText('Their VMs and disks could not be counted.')
  await expect(confirm).toHaveAccessibleDescription(/could not be counted/)
  await failing.end()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  await expect(question).toContainText('Now they have no VMs and no disks that will be deleted with them.')
  await expect(confirm).toBeEnabled()
})
