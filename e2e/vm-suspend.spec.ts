import type { Page } from '@playwright/test'
import { vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { consolePath, vmListPath, vmPath } from './paths.ts'

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const statusOf = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first()

test.describe('suspending a VM', () => {
  test('keeps it as it is until it is started, and then goes on where it was', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(vmPath(vm))
    await choose(page, vm.name, 'Suspend')
    await expect(statusOf(page, 'Suspended')).toBeVisible()
    await expect(page.getByText('The connection starts it and waits until it responds.')).toBeVisible()
    await expectAccessible(page)

    await page.goto(vmListPath(project.id))
    const card = page.getByRole('article', { name: vm.name })
    await expect(card).toContainText('None while suspended')
    await expect(page.getByLabel('Virtual machines by status')).toContainText('Suspended1')
    await expectAccessible(page)

    await page.goto(consolePath(vm))
    await expect(page.getByText('The VM is suspended. Start it or type to go on where it was.')).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Start', exact: true }).last().click()
    await expect(page.getByText('The VM resumed from its saved memory')).toBeVisible()

    await page.goto(vmPath(vm))
    for (const step of ['Resumed from the saved memory', 'SSH responded'])
      await expect(page.getByRole('listitem').filter({ hasText: step })).toHaveText(/, done/)
    await expect(page.getByRole('listitem').filter({ hasText: 'Starting the guest' })).toHaveCount(0)
    await expect(page.getByText('VM loom resumed')).toBeVisible()
  })

  test('ends when somebody types in its console', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('loom', 'running')
    const params = { projectId: project.id, vmId: vm.id }
    await page.goto(vmPath(vm))
    await call(vmApi.suspend, { params })
    await expect(statusOf(page, 'Suspended')).toBeVisible()
    await page.getByRole('link', { name: 'Console', exact: true }).click()
    await expect(page.getByText('Start it or type to go on where it was.')).toBeVisible()
    expect((await call(vmApi.get, { params })).status).toBe('suspended')
    await page.getByRole('textbox', { name: 'Serial console' }).press('x')
    await expect(page.getByText('The VM resumed from its saved memory')).toBeVisible()
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  })
})
