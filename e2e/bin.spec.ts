import type { Page } from '@playwright/test'
import { binApi, diskApi, diskSnapshotApi, vmApi, vmPoolApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, often, test } from './fixtures.ts'
import { answer } from './network.ts'
import { binPath, diskListPath, vmListPath, vmPath, vmPoolListPath } from './paths.ts'

const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' })
const rowOf = (page: Page, name: string) => page.getByRole('article', { name })

test('a VM that was deleted by mistake is back with one click, and goes on where it was', async ({
  page,
  project,
  makeVm,
  call,
}) => {
  const vm = await makeVm('web', 'running')
  const params = { projectId: project.id, vmId: vm.id }
  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'More actions for web' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect(question).toContainText('Attached disks are kept. This action cannot be undone.')
  await expect(question).toContainText('Snapshots of it are kept.')
  await expect(question).toContainText(
    'The VM is kept in the bin for 7 days, and can be restored from there.',
  )
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete VM' }).click()
  await expect(toasts(page)).toContainText('VM "web" deleted successfully')
  await expect(page).toHaveURL(vmListPath(project.id))
  await expectAccessible(page)
  const undo = toasts(page).getByRole('button', { name: 'Undo: restore web' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await expect(toasts(page)).toContainText('Restored VM "web"')
  await expect(page.getByRole('article', { name: 'web' })).toBeVisible()
  await expect.poll(async () => (await call(vmApi.get, { params })).status, often).toBe('running')
})

test('the bin says what it has, by whom and until when; things come back or are deleted for good', async ({
  page,
  project,
  makeVm,
  addDisk,
  call,
}) => {
  const params = { projectId: project.id }
  await page.goto(binPath(project.id))
  await expect(page.getByRole('heading', { name: 'The bin is empty' })).toBeVisible()
  await expectAccessible(page)

  const attached = await addDisk('ledger')
  const vm = await makeVm('web', 'running', { disks: [{ disk_id: attached.id }] })
  await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
  const disk = await addDisk('data')
  await call(diskApi.delete, { params: { ...params, diskId: disk.id } })
  // What others delete appears by itself.
  await expect(rowOf(page, 'web')).toContainText('1 attached disk was kept, and is attached again')
  await expect(rowOf(page, 'web')).toContainText(/VM.*by .*/)
  await expect(rowOf(page, 'data')).toContainText('10 GB')
  await expectAccessible(page)

  await page.getByRole('searchbox', { name: 'Search the bin' }).fill('disk data')
  await expect(page.getByText('Showing 1 of 2 objects')).toBeVisible()
  await expect(rowOf(page, 'web')).toBeHidden()
  await page.getByRole('button', { name: 'Clear Search' }).click()

  await page.getByRole('button', { name: 'Restore VM web' }).click()
  await expect(toasts(page)).toContainText('Restored VM "web"')
  await expect(rowOf(page, 'web')).toBeHidden()
  await expect
    .poll(
      async () => (await call(diskApi.list, { params })).map(({ name, vm_name }) => [name, vm_name]),
      often,
    )
    .toEqual([['ledger', 'web']])

  await page.getByRole('button', { name: 'Delete for Good: disk data' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expect(question).toContainText('Delete disk "data" for good? This action cannot be undone.')
  await expect(page).toHaveURL(/dialog=delete-for-good/)
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect(page.getByRole('heading', { name: 'The bin is empty' })).toBeVisible()
  expect(await call(binApi.list, { params })).toEqual([])
})

test('the bin is emptied of what was counted, and what comes later stays', async ({
  page,
  project,
  makeVm,
  addDisk,
  call,
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
  await page.goto(binPath(project.id))
  await expect(rowOf(page, 'two')).toBeVisible()
  await page.getByRole('button', { name: 'Empty Bin' }).press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Empty the bin' })
  await expect(question).toContainText(
    'Delete 1 VM and 2 disks in the bin for good? This action cannot be undone.',
  )
  await expect(page).toHaveURL(/dialog=empty-bin/)
  await expectAccessible(page)
  await remove('late')
  // Below the question it is hidden from those who look for it by its role.
  await expect(page.getByText('late', { exact: true }).first()).toBeAttached()
  await expect(question).toContainText('1 VM and 2 disks')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect(toasts(page)).toContainText('Deleted 3 objects for good')
  await expect(rowOf(page, 'web')).toBeHidden()
  await expect(rowOf(page, 'late')).toBeVisible()
  expect((await call(binApi.list, { params })).map(({ name }) => name)).toEqual(['late'])

  await page.getByRole('button', { name: 'Empty Bin' }).click()
  await expect(question).toContainText('Delete 1 disk in the bin for good?')
  await answer(page, binApi.empty, 503, { message: 'Not now.' })
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect(question).toContainText('Not now.')
  await page.keyboard.press('Escape')
  await expect(rowOf(page, 'late')).toBeVisible()
})

test('a secret is deleted for good at once, and then nothing can be undone', async ({
  page,
  project,
  addDisk,
  call,
}) => {
  const disk = await addDisk('secrets')
  await page.goto(diskListPath(project.id))
  await page
    .getByRole('article', { name: 'secrets' })
    .getByRole('button', { name: /Delete/ })
    .click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).check()
  await expect(question).toContainText('The disk is deleted for good at once and cannot be restored.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(toasts(page)).toContainText('Disk "secrets" deleted successfully')
  await expect(toasts(page).getByRole('button', { name: /Undo/ })).toBeHidden()
  expect(await call(binApi.list, { params: { projectId: project.id } })).toEqual([])
  expect(disk.name).toBe('secrets')
})

test('an Undo that is refused says why, and the disk stays in the bin', async ({
  page,
  project,
  addDisk,
}) => {
  await addDisk('data')
  await page.goto(diskListPath(project.id))
  await page
    .getByRole('article', { name: 'data' })
    .getByRole('button', { name: /Delete/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await answer(page, binApi.restore, 409, { message: 'The project is full.' })
  await toasts(page).getByRole('button', { name: 'Undo: restore data' }).click()
  await expect(toasts(page).getByRole('alert')).toContainText('Failed to restore disk "data".')
  await expect(toasts(page).getByRole('alert')).toContainText('The project is full.')
  await toasts(page).getByRole('button', { name: 'Dismiss' }).first().click()
  await page.getByRole('button', { name: /^Project:/ }).click()
  await page.getByRole('menuitem', { name: 'Bin' }).click()
  await expect(page).toHaveURL(binPath(project.id))
  await expect(rowOf(page, 'data')).toBeVisible()
})

test('a bin that cannot be loaded says so, and is loaded again', async ({ page, project, addDisk, call }) => {
  const disk = await addDisk('data')
  const params = { projectId: project.id }
  const snapshot = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'monday', disk_id: disk.id, snapshot_type: 'full', retention_days: 3 },
  })
  await expect
    .poll(async () => (await call(diskSnapshotApi.list, { params })).map(({ status }) => status), often)
    .toEqual(['ready'])
  await call(diskSnapshotApi.delete, { params: { ...params, diskSnapshotId: snapshot.id } })
  const refusal = await answer(page, binApi.list, 503, { message: 'Not now.' })
  await page.goto(binPath(project.id))
  await expect(page.getByRole('heading', { name: 'Error Loading the Bin' })).toBeVisible()
  await expectAccessible(page)
  await refusal.end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(rowOf(page, 'monday')).toContainText('Disk snapshot')
})

test('a VM pool that was deleted by mistake is back with its VMs', async ({
  page,
  project,
  sshKey,
  call,
}) => {
  const params = { projectId: project.id }
  const pool = await call(vmPoolApi.create, {
    params,
    body: {
      name: 'shop',
      template_id: 'starter',
      ssh_key_id: sshKey.id,
      min_size: 1,
      desired_size: 2,
      max_size: 3,
      auto_scaling: false,
      disks: [{ name: 'data', size: '1Gi' }],
    },
  })
  const running = async () =>
    (await call(vmPoolApi.get, { params: { ...params, poolId: pool.id } })).vms.filter(
      ({ status }) => status === 'running',
    ).length
  await expect.poll(running, often).toBe(2)
  await page.goto(vmPoolListPath(project.id))
  await page.getByRole('button', { name: 'Delete shop' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM Pool' })
  await expect(question).toContainText(
    'The VM pool is kept in the bin for 7 days, and can be restored from there.',
  )
  await expect(question).toContainText('Now it has 2 VMs and 2 disks that will be deleted with it.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete VM Pool' }).click()
  await expect(toasts(page).getByRole('button', { name: 'Undo: restore shop' })).toBeVisible()
  await page.goto(binPath(project.id))
  await expect(rowOf(page, 'shop')).toContainText('2 VMs are in the bin with it: shop-1, shop-2.')
  await expect(rowOf(page, 'shop')).toContainText('2 disks are in the bin with it')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete for Good: VM pool shop' }).click()
  await expect(page.getByRole('alertdialog', { name: 'Delete for good' })).toContainText(
    'Delete VM pool "shop", the 2 VMs and the 2 disks in the bin with it for good?',
  )
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Restore VM pool shop' }).click()
  await expect(toasts(page)).toContainText('Restored VM pool "shop"')
  await expect(rowOf(page, 'shop')).toBeHidden()
  await expect.poll(running, often).toBe(2)
})
