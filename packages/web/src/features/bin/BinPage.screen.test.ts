import { binApi, diskApi, vmApi, vmPoolApi } from '@slipway/contract'
import { binPath, diskListPath, vmListPath, vmPath, vmPoolListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { address, call, follow, press, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText, toasts } from '../../screen/shown.test-kit.ts'
import { more } from '../vm/vm.test-kit.ts'
import { makePool } from '../vm-pool/vm-pool.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name })

test('a VM that was deleted by mistake is back with one click, and goes on where it was', async ({
  project,
  makeVm,
}) => {
  const vm = await makeVm('web', 'running')
  const params = { projectId: project.id, vmId: vm.id }
  await visit(vmPath(vm))
  await more({ name: 'web' }, 'Delete VM')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expectText(question, 'Attached disks are kept. This action cannot be undone.')
  await expectText(question, 'Snapshots of it are kept.')
  await expectText(question, 'The VM is kept in the bin for 7 days, and can be restored from there.')
  await question.getByRole('button', { name: 'Delete VM' }).click()
  await expectText(toasts(), 'VM "web" deleted successfully')
  await expect.poll(address).toBe(vmListPath(project.id))
  await expectAccessible()
  await press(toasts().getByRole('button', { name: 'Undo: restore web' }), '{Enter}')
  await expectText(toasts(), 'Restored VM "web"')
  await expect.element(page.getByRole('article', { name: 'web' })).toBeVisible()
  await expect.poll(async () => (await call(vmApi.get, { params })).status).toBe('running')
})

test('the bin is promised once its limits are known, and never when they could not be checked', async ({
  makeVm,
}) => {
  const vm = await makeVm('web')
  const { letGo } = hold(binApi.preview)
  await visit(vmPath(vm))
  await more({ name: 'web' }, 'Delete VM')
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expectText(question, 'Checking the limits of the bin...')
  expect(question.element().textContent).not.toContain('kept in the bin')
  letGo()
  await expectText(question, 'The VM is kept in the bin for 7 days, and can be restored from there.')
  await press(question, '{Escape}')
  answer(binApi.preview, 400)
  await more({ name: 'web' }, 'Delete VM')
  await expectText(
    question,
    'The limits of the bin could not be checked. What does not fit is deleted for good.',
  )
  expect(question.element().textContent).not.toContain('kept in the bin')
})

test('the bin says what it has, by whom and until when; things come back or are deleted for good', async ({
  project,
  makeVm,
  addDisk,
}) => {
  const params = { projectId: project.id }
  await visit(binPath(project.id))
  await expect.element(page.getByRole('heading', { name: 'The bin is empty' })).toBeVisible()

  const attached = await addDisk('ledger')
  const vm = await makeVm('web', 'running', { disks: [{ disk_id: attached.id }] })
  await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
  const disk = await addDisk('data')
  await call(diskApi.delete, { params: { ...params, diskId: disk.id } })
  // What others delete appears by itself.
  await expectText(rowOf('web'), '1 attached disk was kept, and is attached again', /VM.*by .*/)
  await expectText(rowOf('data'), '10 GB')

  await page.getByRole('searchbox', { name: 'Search the bin' }).fill('disk data')
  await expect.element(page.getByText('Showing 1 of 2 objects')).toBeVisible()
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Clear Search' }).click()

  await page.getByRole('button', { name: 'Restore VM web' }).click()
  await expectText(toasts(), 'Restored VM "web"')
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await expect
    .poll(async () => (await call(diskApi.list, { params })).map(({ name, vm_name }) => [name, vm_name]))
    .toEqual([['ledger', 'web']])

  await page.getByRole('button', { name: 'Delete for Good: disk data' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expectText(question, 'Delete disk "data" for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=delete-for-good/)
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect.element(page.getByRole('heading', { name: 'The bin is empty' })).toBeVisible()
  expect(await call(binApi.list, { params })).toEqual([])
})

test('the bin is emptied of what was counted, and what comes later stays', async ({
  project,
  makeVm,
  addDisk,
}) => {
  const params = { projectId: project.id }
  const vm = await makeVm('web', 'running')
  await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
  const remove = async (name: string) => {
    const { id } = await addDisk(name)
    await call(diskApi.delete, { params: { ...params, diskId: id } })
  }
  await remove('one')
  await remove('two')
  await visit(binPath(project.id))
  await expect.element(rowOf('two')).toBeVisible()
  await press(page.getByRole('button', { name: 'Empty Bin' }), '{Enter}')
  const question = page.getByRole('alertdialog', { name: 'Empty the bin' })
  await expectText(question, 'Delete 1 VM and 2 disks in the bin for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=empty-bin/)
  await remove('late')
  // Below the question it is hidden from those who look for it by its role.
  await expect.element(page.getByText('late', { exact: true }).first()).toBeInTheDocument()
  await expectText(question, '1 VM and 2 disks')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expectText(toasts(), 'Deleted 3 objects for good')
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await expect.element(rowOf('late')).toBeVisible()
  expect((await call(binApi.list, { params })).map(({ name }) => name)).toEqual(['late'])

  await page.getByRole('button', { name: 'Empty Bin' }).click()
  await expectText(question, 'Delete 1 disk in the bin for good?')
  answer(binApi.empty, 503, { message: 'Not now.' })
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expectText(question, 'Not now.')
  await userEvent.keyboard('{Escape}')
  await expect.element(rowOf('late')).toBeVisible()
})

test('a secret is deleted for good at once, and then nothing can be undone', async ({ project, addDisk }) => {
  await addDisk('secrets')
  await visit(diskListPath(project.id))
  await page.getByRole('button', { name: 'Delete secrets' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expectText(question, 'The disk is deleted for good at once and cannot be restored.')
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await expectText(toasts(), 'Disk "secrets" deleted successfully')
  await expect.element(toasts().getByRole('button', { name: /Undo/ })).not.toBeInTheDocument()
  expect(await call(binApi.list, { params: { projectId: project.id } })).toEqual([])
})

test('an Undo that is refused says why, and the disk stays in the bin', async ({ project, addDisk }) => {
  await addDisk('data')
  await visit(diskListPath(project.id))
  await page.getByRole('button', { name: 'Delete data' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  answer(binApi.restore, 409, { message: 'The project is full.' })
  await toasts().getByRole('button', { name: 'Undo: restore data' }).click()
  await expectText(toasts().getByRole('alert'), 'Failed to restore disk "data".')
  await expectText(toasts().getByRole('alert'), 'The project is full.')
  await toasts().getByRole('button', { name: 'Dismiss' }).first().click()
  await page.getByRole('button', { name: /^Project:/ }).click()
  await follow(page.getByRole('menuitem', { name: 'Bin' }), binPath(project.id))
  await expect.element(rowOf('data')).toBeVisible()
})

test('a VM pool that was deleted by mistake is back with its VMs', async ({ project, sshKey }) => {
  const pool = await makePool(project.id, {
    name: 'shop',
    template_id: templateId,
    ssh_key_id: sshKey.id,
    desired_size: 2,
    auto_scaling: false,
    disks: [{ name: 'data', size: '1Gi' }],
  })
  await visit(vmPoolListPath(project.id))
  await page.getByRole('button', { name: 'Delete shop' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM Pool' })
  await expectText(question, 'The VM pool is kept in the bin for 7 days, and can be restored from there.')
  await expectText(question, 'Now it has 2 VMs and 2 disks that will be deleted with it.')
  await question.getByRole('button', { name: 'Delete VM Pool' }).click()
  await expect.element(toasts().getByRole('button', { name: 'Undo: restore shop' })).toBeVisible()
  await visit(binPath(project.id))
  await expectText(rowOf('shop'), '2 VMs are in the bin with it: shop-1, shop-2.')
  await expectText(rowOf('shop'), '2 disks are in the bin with it')
  await page.getByRole('button', { name: 'Delete for Good: VM pool shop' }).click()
  await expectText(
    page.getByRole('alertdialog', { name: 'Delete for good' }),
    'Delete VM pool "shop", the 2 VMs and the 2 disks in the bin with it for good?',
  )
  await userEvent.keyboard('{Escape}')
  await page.getByRole('button', { name: 'Restore VM pool shop' }).click()
  await expectText(toasts(), 'Restored VM pool "shop"')
  await expect.element(rowOf('shop')).not.toBeInTheDocument()
  const restored = () => call(vmPoolApi.get, { params: { projectId: project.id, poolId: pool.id } })
  await expect
    .poll(async () => (await restored()).vms.map(({ status }) => status))
    .toEqual(['running', 'running'])
})
