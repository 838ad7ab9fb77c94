import { operationApi, vmSnapshotApi } from '@slipway/contract'
import { makeVmSnapshot } from '@slipway/e2e/objects'
import { snapshotListPath, snapshotPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { address, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText } from '../../screen/shown.test-kit.ts'
import { take } from './vm-snapshot.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })

describe('the page of a snapshot', () => {
  test('shows how far it is, with a way to cancel, and later what it contains and a way back', async ({
    project,
  }) => {
    const coming = makeVmSnapshot('nightly', {
      project_id: project.id,
      description: 'Before the upgrade',
      status: 'creating',
      progress: 0.4,
    })
    const operation = {
      id: 'nightly',
      project_id: project.id,
      action: 'vmSnapshot.create',
      object: { type: 'vm_snapshot', id: 'nightly', name: 'nightly' },
      state: 'running',
      position: null,
      message: null,
      progress: 0.4,
      requested_at: coming.created_at,
      started_at: coming.created_at,
      can_cancel: true,
    }
    answer(operationApi.list, 200, [operation])
    const list = answer(vmSnapshotApi.list, 200, [coming])
    await visit(snapshotPath(coming))
    await expect.element(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    await expectText(page.getByRole('main'), 'Before the upgrade', '40% Saving.')
    await expect
      .element(page.getByRole('button', { name: 'Restore VM' }))
      .toHaveAccessibleDescription('Snapshot is not ready')
    await page.getByRole('button', { name: 'Cancel: Create VM snapshot nightly' }).click()
    await expect.element(page.getByRole('alertdialog', { name: 'Cancel operation' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await list.end()
    // The server has none.
    await reload()
    await expect.element(page.getByRole('heading', { name: 'This snapshot does not exist' })).toBeVisible()
    await follow(page.getByRole('link', { name: 'View Snapshots' }), snapshotListPath(project.id))
  })

  test('asks before it restores or deletes, and leads to the list after that', async ({ makeVm }) => {
    const vm = await makeVm('engine', 'running')
    const snapshot = await take(vm)
    await visit(snapshotPath(snapshot))
    await expectText(page.getByRole('region', { name: 'Details' }), 'Root disk')
    await page.getByRole('button', { name: 'Restore VM' }).click()
    await expectText(page.getByRole('alertdialog'), 'Restore VM "engine" from snapshot "nightly"?')
    await userEvent.keyboard('{Escape}')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Snapshot' }).click()
    await expect.poll(address).toBe(snapshotListPath(vm.project_id))
    await expectCount(rowOf('nightly'), 0)
  })
})
