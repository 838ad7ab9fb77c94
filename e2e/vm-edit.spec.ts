import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmPath } from './paths.ts'

test.describe('a VM is changed', () => {
  test('gets a larger root disk while it runs', { tag: '@cluster' }, async ({ page, makeVm }) => {
    const vm = await makeVm('roomy', 'running')
    await page.goto(vmPath(vm))
    const edit = async () => {
      await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      return page.getByRole('dialog', { name: 'Edit VM' })
    }
    let dialog = await edit()
    const size = () => dialog.getByLabel('Root disk (GB)')
    await size().fill('large')
    await expect(dialog.getByRole('status')).toHaveText(
      'Enter a whole number of GB from 1 to 1024 for the root disk',
    )
    await size().fill('30')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(
      page.getByText('VM "roomy" was changed. Its root disk is being enlarged to 30Gi.'),
    ).toBeVisible()
    await expect(page.getByText('30Gi', { exact: true })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Activity' })).toContainText(
      'The root disk of VM roomy has a size of 30Gi',
    )
    dialog = await edit()
    await size().fill('20')
    await expect(dialog.getByRole('status')).toHaveText('Disks can only be enlarged. Enter at least 30Gi.')
  })
})
