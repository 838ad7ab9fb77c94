import { batchApi, binApi, vmApi, vmSetApi } from '@slipway/contract'
import { makeVmSet } from '@slipway/e2e/objects'
import { diskListPath, vmListPath, vmPoolListPath, vmSetListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { address, call, press, reload, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts } from '../../screen/shown.test-kit.ts'
import { makePool } from '../vm-pool/vm-pool.test-kit.ts'

const bar = () => page.getByRole('region', { name: 'Selection' })
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const select = () => page.getByRole('button', { name: 'Select', exact: true }).click()

test('VMs are selected by keyboard and stopped at once, and the results survive a reload', async ({
  project,
  makeVm,
}) => {
  for (const name of ['web-1', 'web-2', 'web-3']) await makeVm(name, 'running')
  const off = await makeVm('off', 'running')
  const params = { projectId: project.id }
  await call(vmApi.stop, { params: { ...params, vmId: off.id }, body: {} })
  await visit(vmListPath(project.id))
  await expectCount(page.getByText('Stopped', { exact: true }), 2)
  await select()
  await expectText(bar(), '0 selected')
  await expect
    .element(bar().getByRole('button', { name: 'Stop' }))
    .toHaveAccessibleDescription('Select VMs first')
  await press(box('web-1'), ' ')
  await box('web-3').click({ modifiers: ['Shift'] })
  await expectText(bar(), '3 selected')
  await userEvent.keyboard('{Escape}')
  await expectText(bar(), '0 selected')
  await bar().getByRole('button', { name: 'Select all 4 shown' }).click()

  await bar().getByRole('button', { name: 'Stop 3 of 4' }).click()
  const results = page.getByRole('dialog', { name: 'Stop 3 VMs' })
  await expectText(results.getByRole('region', { name: 'Requested (3)' }), 'web-2')
  await expectText(results, '3 of 3 requested')
  await expectAccessible()
  await expect.poll(address).toMatch(/dialog=batch&of=/)
  await reload()
  await expectText(results, '3 of 3 requested')
  await results.getByRole('button', { name: 'Close' }).click()
  await expect.element(results).not.toBeInTheDocument()
  await expect
    .poll(async () => (await call(vmApi.list, { params })).map(({ status }) => status))
    .toEqual(Array.from({ length: 4 }, () => 'stopped'))
})

test('a VM that is protected fails with its reason, and the others are deleted', async ({
  project,
  makeVm,
  addDisk,
}) => {
  const disk = await addDisk('ledger')
  await makeVm('with-disk', 'running', { disks: [{ disk_id: disk.id }] })
  const kept = await makeVm('kept', 'running')
  const params = { projectId: project.id }
  await visit(vmListPath(project.id))
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Table' }).click()
  await select()
  await bar().getByRole('button', { name: 'Select all 2 shown' }).click()
  await bar().getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 2 VMs' })
  await expectText(question, 'with-disk, kept', '1 attached disk is kept')
  await expectAccessible()
  // Somebody protects one of them while the question is open.
  await call(vmApi.update, { params: { ...params, vmId: kept.id }, body: { delete_protection: true } })
  await question.getByRole('button', { name: 'Delete 2 VMs' }).click()
  const results = page.getByRole('dialog', { name: 'Delete 2 VMs' })
  await expectText(results, '1 of 2 requested, 1 failed')
  await expectText(results.getByRole('region', { name: 'Failed (1)' }), 'protected against deletion')
  await results.getByRole('button', { name: 'Close' }).click()
  await expectCount(page.getByRole('article'), 1)
  await expectText(bar(), '0 selected')
  await bar().getByRole('button', { name: 'Delete 2 VMs' }).click()
  await expectText(results, '1 failed')
})

test('tags and snapshots of many VMs, on a phone', async ({ project, makeVm }) => {
  for (const name of ['a', 'b']) await makeVm(name, 'running')
  const params = { projectId: project.id }
  await page.viewport(390, 800)
  await visit(vmListPath(project.id))
  await select()
  await box('a').click()
  await box('b').click()
  await expectAccessible()
  await bar().getByRole('button', { name: 'Tags' }).click()
  const tags = page.getByRole('dialog', { name: 'Change the tags of 2 VMs' })
  await tags.getByRole('textbox', { name: 'Add Tags' }).fill('prod')
  await tags.getByRole('button', { name: 'Change tags' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect
    .poll(async () => (await call(vmApi.list, { params })).map((vm) => vm.tags))
    .toEqual([['prod'], ['prod']])

  await box('a').click()
  await bar().getByRole('button', { name: 'Snapshot' }).click()
  const form = page.getByRole('dialog', { name: 'Take snapshots of 1 VM' })
  await form.getByRole('textbox', { name: 'Snapshot Name' }).fill('Before {name}')
  await expectText(form, 'Before a')
  await form.getByRole('button', { name: 'Take snapshots' }).click()
  await expect.element(page.getByRole('dialog').filter({ hasText: '1 of 1 requested' })).toBeVisible()
  await expect
    .poll(async () => (await call(batchApi.list, { params })).map(({ action }) => action))
    .toEqual(['vmSnapshot.create', 'vm.update'])
})

test('disks are deleted at once, and for good when that is chosen', async ({ project, addDisk }) => {
  for (const name of ['one', 'two', 'secret']) await addDisk(name)
  await visit(diskListPath(project.id))
  await select()
  await box('one').click()
  await box('two').click()
  await bar().getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog')
  await expectText(question, 'They are kept in the bin for 7 days, and can be restored from there.')
  await question.getByRole('button', { name: 'Delete 2 disks' }).click()
  const results = page.getByRole('dialog', { name: 'Delete 2 disks' })
  await expectText(results, '2 of 2 requested')
  await results.getByRole('button', { name: 'Close' }).click()

  await box('secret').click()
  await bar().getByRole('button', { name: 'Delete', exact: true }).click()
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expectText(question, 'They are deleted for good at once and cannot be restored.')
  await question.getByRole('button', { name: 'Delete 1 disk' }).click()
  await expectText(page.getByRole('dialog', { name: 'Delete 1 disk for good' }), '1 of 1 requested')
  expect(
    (await call(binApi.list, { params: { projectId: project.id } })).map(({ name }) => name).sort(),
  ).toEqual(['one', 'two'])
})

test('pools are deleted by keyboard with what they have, and the results survive a reload', async ({
  project,
  sshKey,
}) => {
  const params = { projectId: project.id }
  const like = { template_id: templateId, ssh_key_id: sshKey.id, auto_scaling: false }
  for (const name of ['web', 'ci', 'kept'])
    await makePool(project.id, { ...like, name, disks: [{ name: 'data', size: '1Gi' }] })
  await visit(vmPoolListPath(project.id))
  await press(page.getByRole('button', { name: 'Select', exact: true }), '{Enter}')
  await expect.element(bar()).toHaveFocus()
  const remove = bar().getByRole('button', { name: 'Delete' })
  await expect.element(remove).toHaveAccessibleDescription('Select pools first')
  await press(box('web'), ' ')
  await press(box('ci'), ' ')
  await expect.element(bar().getByRole('status')).toHaveTextContent('2 selected')
  // Escape closes the form of a card first.
  await press(page.getByRole('button', { name: 'Edit kept' }), '{Enter}')
  await press(
    page.getByRole('form', { name: 'Edit kept' }).getByRole('button', { name: 'Cancel' }),
    '{Escape}',
  )
  await expect.element(page.getByRole('form', { name: 'Edit kept' })).not.toBeInTheDocument()
  await expect.element(bar().getByRole('status')).toHaveTextContent('2 selected')

  await press(remove, '{Enter}')
  const question = page.getByRole('alertdialog', { name: 'Delete 2 pools' })
  await expect
    .element(question)
    .toHaveAccessibleDescription(
      /^Are you sure you want to delete .*\. Now they have 2 VMs and 2 disks that will be deleted with them\.$/,
    )
  await expectText(question, 'They are kept in the bin for 7 days')
  await press(question.getByRole('button', { name: 'Delete 2 pools' }), '{Enter}')
  const results = page.getByRole('dialog', { name: 'Delete 2 pools' })
  await expectText(results, '2 of 2 requested')
  await expectTexts(results.getByRole('region', { name: 'Requested (2)' }).getByRole('listitem'), [
    'web',
    'ci',
  ])
  await reload()
  await expectText(results, '2 of 2 requested')
  await press(results.getByRole('button', { name: 'Close' }), '{Enter}')
  await expectCount(page.getByRole('article'), 1)
  await expect.element(page.getByRole('article', { name: 'kept' })).toBeVisible()
  const kept = await call(binApi.list, { params })
  expect(kept.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual(['vm_pool ci', 'vm_pool web'])
})

test('sets are not deleted before their VMs and disks were counted', async ({ project }) => {
  answer(vmSetApi.list, 200, [makeVmSet('web'), makeVmSet('ci')])
  const failing = answer(vmApi.list, 500, {})
  await visit(vmSetListPath(project.id))
  await select()
  await bar().getByRole('button', { name: 'Select all 2 shown' }).click()
  await bar().getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 2 sets' })
  const confirm = question.getByRole('button', { name: 'Delete 2 sets' })
  await expectText(question, 'Their VMs and disks could not be counted.')
  await expect.element(confirm).toHaveAccessibleDescription(/could not be counted/)
  await failing.end()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await bar().getByRole('button', { name: 'Delete' }).click()
  await expectText(question, 'Now they have no VMs and no disks that will be deleted with them.')
  await expect.element(confirm).not.toHaveAttribute('aria-disabled', 'true')
})
