import { snapshotCreatePath, snapshotListPath, vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { address, back, follow, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText, expectTexts, expectToast } from '../../screen/shown.test-kit.ts'
import { take } from './vm-snapshot.test-kit.ts'

describe('the page of a VM', () => {
  test('shows its newest snapshots, and restores from there', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmPath(vm))
    await expect
      .element(page.getByText('No snapshots yet. Take one to be able to restore this VM later.'))
      .toBeVisible()
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) await take(vm, { name })
    const section = page.getByRole('list').filter({ hasText: 'six' })
    await expectTexts(
      section.getByRole('listitem'),
      ['six', 'five', 'four', 'three', 'two'].map((name) => expect.stringMatching(`^${name}`)),
    )
    await page.getByRole('link', { name: 'View all 6' }).click()
    await expect.poll(address).toBe(`${snapshotListPath(project.id)}?search=${vm.id}`)
    await expect.element(page.getByText('Showing 6 of 6 snapshots')).toBeVisible()
    await back()
    await page.getByRole('button', { name: 'Restore VM from six' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Restore VM' })
    await dialog.getByRole('button', { name: 'Restore VM' }).click()
    await expectToast('VM restoration started successfully!')
    await expect
      .element(page.getByRole('listitem').filter({ hasText: 'Before restoring "six"' }))
      .toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Restore VM from six' })).toBeEnabled()
  })

  test('leads to a new snapshot, as do the menus of a VM, where it can be made', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const target = `${snapshotCreatePath(project.id)}?vm=${vm.id}`
    await visit(vmPath(vm))
    await follow(page.getByRole('link', { name: 'Create Snapshot' }), target)
    for (const path of [vmPath(vm), vmListPath(project.id)]) {
      await visit(path)
      await page.getByRole('button', { name: 'More actions for engine' }).click()
      await follow(page.getByRole('menuitem', { name: 'Create Snapshot' }), target)
    }
    const failed = await makeVm('fault-crash', 'failed')
    await visit(vmPath(failed))
    const reason = 'VM must be running or stopped to create a snapshot'
    await expect
      .element(page.getByRole('button', { name: 'Create Snapshot' }))
      .toHaveAccessibleDescription(reason)
    await page.getByRole('button', { name: 'More actions for fault-crash' }).click()
    await expectText(page.getByRole('menuitem', { name: /Create Snapshot/ }), reason)
  })
})
