import { binApi, diskApi, diskSnapshotApi, vmApi, vmPoolApi } from '@slipway/contract'
import { binPath, diskListPath, vmListPath, vmPath, vmPoolListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { address, call, press, test, toasts, visit } from '../../screen/screen.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name })

test('a VM that was deleted by mistake is back with one click, and goes on where it was', async ({
  project,
  makeVm,
}) => {
  const vm = await makeVm('web', 'running')
  const params = { projectId: project.id, vmId: vm.id }
  await visit(vmPath(vm))
  await page.getByRole('button', { name: 'More actions for web' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect.element(question).toMatchTextContent('Attached disks are kept. This action cannot be undone.')
  await expect.element(question).toMatchTextContent('Snapshots of it are kept.')
  await expect
    .element(question)
    .toMatchTextContent('The VM is kept in the bin for 7 days, and can be restored from there.')
  await expectAccessible()
  await question.getByRole('button', { name: 'Delete VM' }).click()
  await expect.element(toasts()).toMatchTextContent('VM "web" deleted successfully')
  await expect.poll(address).toBe(vmListPath(project.id))
  await expectAccessible()
  const undo = toasts().getByRole('button', { name: 'Undo: restore web' })
  ;(undo.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(toasts()).toMatchTextContent('Restored VM "web"')
  await expect.element(page.getByRole('article', { name: 'web' })).toBeVisible()
  await expect.poll(async () => (await call(vmApi.get, { params })).status).toBe('running')
})

test('the bin says what it has, by whom and until when; things come back or are deleted for good', async ({
  project,
  makeVm,
  addDisk,
}) => {
  const params = { projectId: project.id }
  await visit(binPath(project.id))
  await expect.element(page.getByRole('heading', { name: 'The bin is empty' })).toBeVisible()
  await expectAccessible()

  const attached = await addDisk('ledger')
  const vm = await makeVm('web', 'running', { disks: [{ disk_id: attached.id }] })
  await call(vmApi.delete, { params: { ...params, vmId: vm.id } })
  const disk = await addDisk('data')
  await call(diskApi.delete, { params: { ...params, diskId: disk.id } })
  // What others delete appears by itself.
  await expect.element(rowOf('web')).toMatchTextContent('1 attached disk was kept, and is attached again')
  await expect.element(rowOf('web')).toMatchTextContent(/VM.*by .*/)
  await expect.element(rowOf('data')).toMatchTextContent('10 GB')
  await expectAccessible()

  await page.getByRole('searchbox', { name: 'Search the bin' }).fill('disk data')
  await expect.element(page.getByText('Showing 1 of 2 objects')).toBeVisible()
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Clear Search' }).click()

  await page.getByRole('button', { name: 'Restore VM web' }).click()
  await expect.element(toasts()).toMatchTextContent('Restored VM "web"')
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await expect
    .poll(async () => (await call(diskApi.list, { params })).map(({ name, vm_name }) => [name, vm_name]))
    .toEqual([['ledger', 'web']])

  await page.getByRole('button', { name: 'Delete for Good: disk data' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expect
    .element(question)
    .toMatchTextContent('Delete disk "data" for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=delete-for-good/)
  await expectAccessible()
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
  await expect
    .element(question)
    .toMatchTextContent('Delete 1 VM and 2 disks in the bin for good? This action cannot be undone.')
  await expect.poll(address).toMatch(/dialog=empty-bin/)
  await expectAccessible()
  await remove('late')
  // Below the question it is hidden from those who look for it by its role.
  await expect.element(page.getByText('late', { exact: true }).first()).toBeInTheDocument()
  await expect.element(question).toMatchTextContent('1 VM and 2 disks')
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect.element(toasts()).toMatchTextContent('Deleted 3 objects for good')
  await expect.element(rowOf('web')).not.toBeInTheDocument()
  await expect.element(rowOf('late')).toBeVisible()
  expect((await call(binApi.list, { params })).map(({ name }) => name)).toEqual(['late'])

  await page.getByRole('button', { name: 'Empty Bin' }).click()
  await expect.element(question).toMatchTextContent('Delete 1 disk in the bin for good?')
  answer(binApi.empty, 503, { message: 'Not now.' })
  await question.getByRole('button', { name: 'Empty the bin' }).click()
  await expect.element(question).toMatchTextContent('Not now.')
  await userEvent.keyboard('{Escape}')
  await expect.element(rowOf('late')).toBeVisible()
})

test('a secret is deleted for good at once, and then nothing can be undone', async ({ project, addDisk }) => {
  const disk = await addDisk('secrets')
  await visit(diskListPath(project.id))
  await page
    .getByRole('article', { name: 'secrets' })
    .getByRole('button', { name: /Delete/ })
    .click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await question.getByRole('checkbox', { name: 'Delete for good' }).click()
  await expect
    .element(question)
    .toMatchTextContent('The disk is deleted for good at once and cannot be restored.')
  await expectAccessible()
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.element(toasts()).toMatchTextContent('Disk "secrets" deleted successfully')
  await expect.element(toasts().getByRole('button', { name: /Undo/ })).not.toBeInTheDocument()
  expect(await call(binApi.list, { params: { projectId: project.id } })).toEqual([])
  expect(disk.name).toBe('secrets')
})

test('an Undo that is refused says why, and the disk stays in the bin', async ({ project, addDisk }) => {
  await addDisk('data')
  await visit(diskListPath(project.id))
  await page
    .getByRole('article', { name: 'data' })
    .getByRole('button', { name: /Delete/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  answer(binApi.restore, 409, { message: 'The project is full.' })
  await toasts().getByRole('button', { name: 'Undo: restore data' }).click()
  await expect.element(toasts().getByRole('alert')).toMatchTextContent('Failed to restore disk "data".')
  await expect.element(toasts().getByRole('alert')).toMatchTextContent('The project is full.')
  await toasts().getByRole('button', { name: 'Dismiss' }).first().click()
  await page.getByRole('button', { name: /^Project:/ }).click()
  await page.getByRole('menuitem', { name: 'Bin' }).click()
  await expect.poll(address).toBe(binPath(project.id))
  await expect.element(rowOf('data')).toBeVisible()
})

test('a bin that cannot be loaded says so, and is loaded again', async ({ project, addDisk }) => {
  const disk = await addDisk('data')
  const params = { projectId: project.id }
  const snapshot = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'monday', disk_id: disk.id, snapshot_type: 'full', retention_days: 3 },
  })
  await expect
    .poll(async () => (await call(diskSnapshotApi.list, { params })).map(({ status }) => status))
    .toEqual(['ready'])
  await call(diskSnapshotApi.delete, { params: { ...params, diskSnapshotId: snapshot.id } })
  const refusal = answer(binApi.list, 503, { message: 'Not now.' })
  await visit(binPath(project.id))
  await expect.element(page.getByRole('heading', { name: 'Error Loading the Bin' })).toBeVisible()
  await expectAccessible()
  await refusal.end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect.element(rowOf('monday')).toMatchTextContent('Disk snapshot')
})

test('a VM pool that was deleted by mistake is back with its VMs', async ({ project, sshKey }) => {
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
  await expect.poll(running).toBe(2)
  await visit(vmPoolListPath(project.id))
  await page.getByRole('button', { name: 'Delete shop' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM Pool' })
  await expect
    .element(question)
    .toMatchTextContent('The VM pool is kept in the bin for 7 days, and can be restored from there.')
  await expect
    .element(question)
    .toMatchTextContent('Now it has 2 VMs and 2 disks that will be deleted with it.')
  await expectAccessible()
  await question.getByRole('button', { name: 'Delete VM Pool' }).click()
  await expect.element(toasts().getByRole('button', { name: 'Undo: restore shop' })).toBeVisible()
  await visit(binPath(project.id))
  await expect.element(rowOf('shop')).toMatchTextContent('2 VMs are in the bin with it: shop-1, shop-2.')
  await expect.element(rowOf('shop')).toMatchTextContent('2 disks are in the bin with it')
  await expectAccessible()
  await page.getByRole('button', { name: 'Delete for Good: VM pool shop' }).click()
  await expect
    .element(page.getByRole('alertdialog', { name: 'Delete for good' }))
    .toMatchTextContent('Delete VM pool "shop", the 2 VMs and the 2 disks in the bin with it for good?')
  await userEvent.keyboard('{Escape}')
  await page.getByRole('button', { name: 'Restore VM pool shop' }).click()
  await expect.element(toasts()).toMatchTextContent('Restored VM pool "shop"')
  await expect.element(rowOf('shop')).not.toBeInTheDocument()
  await expect.poll(running).toBe(2)
})
