import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { diskPath } from './paths.ts'
import { toasts } from './sentences.ts'

test.describe('the page of a disk', () => {
  test('makes its disk larger while its VM runs', { tag: '@cluster' }, async ({ page, makeVm, addDisk }) => {
    const disk = await addDisk('ledger', { size: '2Gi' })
    await makeVm('till', 'running', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskPath(disk))
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Disk' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(dialog.getByRole('status')).toHaveText('Nothing has changed.')
    await dialog.getByLabel('Size').fill('1GB')
    await expect(dialog.getByRole('status')).toHaveText('Disks can only be enlarged. Enter at least 2Gi.')
    await dialog.getByLabel('Size').fill('5GB')
    await dialog.getByLabel('Description').fill('Sales of the year')
    await expectAccessible(page)
    await save.click()
    await expect(toasts(page)).toContainText('Disk "ledger" is being enlarged to 5Gi')
    await expect(page.getByRole('main')).toContainText('Sales of the year')
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Size5Gi')
    await expect(page.getByRole('region', { name: 'Activity' })).toContainText(
      'Disk ledger has a size of 5Gi',
    )
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Attached')
  })
})
