import { vmApi, vmSetApi, vmSnapshotApi } from '@slipway/contract'
import { snapshotPath, vmListPath, vmPath, vmSetPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { call, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'
import { cardOf, more } from '../vm/vm.test-kit.ts'

const nightly = { name: 'nightly', snapshot_type: 'full', retention_days: 1 } as const

const runs = (name: string) =>
  expect.element(cardOf(name).getByText('Running', { exact: true })).toBeVisible()

/** Opens the dialog on the page of a snapshot, once that is there. */
async function askForNewVm(): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name: 'New VM' })
  await expect.element(button).toBeEnabled()
  await button.click()
}

describe('copies of a VM', () => {
  test('go on from where a running one is, as many as are asked for', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await visit(vmPath(vm))
    await more(vm, 'Fork')
    const dialog = page.getByRole('dialog', { name: 'Fork VM' })
    await expect.element(dialog.getByLabelText('VM Name')).toHaveValue('loom-copy')
    await expectAccessible()
    await dialog.getByLabelText('Number of VMs').fill('11')
    await expect
      .element(dialog.getByRole('status'))
      .toHaveTextContent('Enter a whole number of VMs from 1 to 10')
    await dialog.getByLabelText('Number of VMs').fill('2')
    await dialog.getByRole('button', { name: 'Fork VM' }).click()
    await expect.element(page.getByText('2 VMs are being created')).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()

    await visit(vmListPath(project.id))
    for (const name of ['loom-copy-1', 'loom-copy-2']) await runs(name)
    await page.getByRole('link', { name: 'loom-copy-1' }).click()
    for (const step of ['VM copied', 'Resumed from the saved memory', 'SSH responded'])
      await expectText(page.getByRole('listitem').filter({ hasText: step }), /, done/)
    const params = { projectId: project.id }
    await expect.poll(async () => (await call(vmSnapshotApi.list, { params })).length).toBe(0)
    expect((await call(vmApi.get, { params: { ...params, vmId: vm.id } })).status).toBe('running')
  })

  test('are made of a snapshot', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    const params = { projectId: project.id, vmId: vm.id }
    await visit(snapshotPath(await call(vmSnapshotApi.create, { params, body: nightly })))
    await askForNewVm()
    const dialog = page.getByRole('dialog', { name: 'New VM from Snapshot' })
    await expect.element(dialog).toBeVisible()
    await dialog.getByLabelText('VM Name').fill('twin')
    await dialog.getByRole('button', { name: 'Create VM' }).click()
    await expect.element(page.getByText('VM "twin" is being created')).toBeVisible()
    await expect.element(dialog).not.toBeInTheDocument()
    await visit(vmListPath(project.id))
    await runs('twin')
  })

  test('are kept by a set that is made of a snapshot', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running', { cpu: 2 })
    const params = { projectId: project.id }
    const snapshot = await call(vmSnapshotApi.create, { params: { ...params, vmId: vm.id }, body: nightly })
    await visit(snapshotPath(snapshot))
    await askForNewVm()
    await page.getByRole('dialog').getByRole('link', { name: 'VM set' }).click()
    const form = page.getByRole('form', { name: 'Create VM Set' })
    await expect
      .element(form.getByText('Each VM is made of the snapshot nightly', { exact: false }))
      .toBeVisible()
    await expect.element(form.getByLabelText('Persistent storage', { exact: false })).not.toBeInTheDocument()
    // They are like the VM of the snapshot.
    await expect.element(form.getByLabelText('CPUs', { exact: false })).not.toBeInTheDocument()
    const details = page.getByRole('region', { name: 'Template details' })
    await expect.element(details.getByRole('definition').first()).toHaveTextContent('2 cores')
    await form.getByLabelText('Name', { exact: true }).fill('looms')
    await form.getByRole('button', { name: 'Create VM Set' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click()
    await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument()
    await visit(vmListPath(project.id))
    for (const name of ['looms-1', 'looms-2']) await runs(name)
    const [set] = await call(vmSetApi.list, { params })
    await visit(vmSetPath({ project_id: project.id, id: set?.id ?? '' }))
    await page.getByRole('main').getByRole('link', { name: snapshot.id }).click()
    await expect.element(page.getByRole('heading', { name: 'nightly' })).toBeVisible()
  })
})
