import { vmApi, vmSetApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmListPath, vmPath } from './paths.ts'

test.describe('a VM is changed', () => {
  test('in its dialog, and every page shows it at once', async ({ page, project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit VM' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(save).toBeDisabled()
    await expect(dialog.getByRole('status')).toHaveText('Nothing has changed.')
    await dialog.getByLabel('VM Name').fill('shop')
    await dialog.getByLabel('CPUs').fill('0')
    await expect(dialog.getByRole('status')).toHaveText('Enter a whole number of processors from 1 to 64')
    await dialog.getByLabel('CPUs').fill('2')
    await dialog.getByLabel('Tags').fill('Prod, team/red')
    await dialog.getByLabel('Note').fill('Ask Ada before a restart.')
    await dialog.getByLabel('Protect against deletion').check()
    await expectAccessible(page)
    await save.click()
    await expect(page.getByText('VM "shop" was changed. It gets 2 cores at its next start.')).toBeVisible()

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('shop')
    await expect(page.getByText('Ask Ada before a restart.')).toBeVisible()
    await expect(page.getByText('1 core, 2 cores at the next start')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'More actions for shop' }).click()
    const deletion = page.getByRole('menuitem', { name: 'Delete VM' })
    await expect(deletion).toBeDisabled()
    await expect(deletion).toHaveText(/This VM is protected against deletion\./)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect(page.getByText('2 cores', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'team/red' }).click()
    await expect(page).toHaveURL(/\/vms\?search=team%2Fred$/)
    await expect(page.getByRole('article', { name: 'shop' })).toContainText('prod')
    await page.goto(`${vmListPath(project.id)}?search=ada`)
    await expect(page.getByRole('article', { name: 'shop' })).toBeVisible()
  })

  test('of a set only where it does not come from there', async ({ page, project, sshKey, call }) => {
    const params = { projectId: project.id }
    const body = { name: 'trio', template_id: 'starter', ssh_key_id: sshKey.id, replicas: 1 }
    await call(vmSetApi.create, { params, body })
    await expect.poll(async () => (await call(vmApi.list, { params })).length).toBe(1)
    await page.goto(vmListPath(project.id))
    await page.getByRole('button', { name: 'More actions for trio-1' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit VM' })
    await expect(dialog).toContainText('come from the pool or set that it is part of.')
    await expect(dialog.getByLabel('VM Name')).toBeHidden()
    await dialog.getByLabel('Tags').fill('odd')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('article', { name: 'trio-1' })).toContainText('odd')
  })
})
