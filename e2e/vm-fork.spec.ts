import { vmApi, vmSetApi, vmSnapshotApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { snapshotPath, vmListPath, vmPath, vmSetPath } from './paths.ts'

test.describe('copies of a VM', () => {
  test('go on from where a running one is, as many as are asked for', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('loom', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Fork' }).click()
    const dialog = page.getByRole('dialog', { name: 'Fork VM' })
    await expect(dialog.getByLabel('VM Name')).toHaveValue('loom-copy')
    await expectAccessible(page)
    await dialog.getByLabel('Number of VMs').fill('11')
    await expect(dialog.getByRole('status')).toHaveText('Enter a whole number of VMs from 1 to 10')
    await dialog.getByLabel('Number of VMs').fill('2')
    await dialog.getByRole('button', { name: 'Fork VM' }).click()
    await expect(page.getByText('2 VMs are being created')).toBeVisible()

    await page.goto(vmListPath(project.id))
    for (const name of ['loom-copy-1', 'loom-copy-2']) {
      const card = page.getByRole('article', { name })
      await expect(card.getByText('Running', { exact: true })).toBeVisible()
    }
    await page.getByRole('link', { name: 'loom-copy-1' }).click()
    for (const step of ['VM copied', 'Resumed from the saved memory', 'SSH responded'])
      await expect(page.getByRole('listitem').filter({ hasText: step })).toHaveText(/, done/)
    const params = { projectId: project.id }
    await expect.poll(async () => (await call(vmSnapshotApi.list, { params })).length).toBe(0)
    expect((await call(vmApi.get, { params: { ...params, vmId: vm.id } })).status).toBe('running')
  })

  test('are made of a snapshot', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('loom', 'running')
    const params = { projectId: project.id, vmId: vm.id }
    const body = { name: 'nightly', snapshot_type: 'full', retention_days: 1 } as const
    const snapshot = await call(vmSnapshotApi.create, { params, body })
    await page.goto(snapshotPath(snapshot))
    const button = page.getByRole('main').getByRole('button', { name: 'New VM' })
    await expect(button).toBeEnabled()
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'New VM from Snapshot' })
    await expectAccessible(page)
    await dialog.getByLabel('VM Name').fill('twin')
    await dialog.getByRole('button', { name: 'Create VM' }).click()
    await expect(page.getByText('VM "twin" is being created')).toBeVisible()
    await page.goto(vmListPath(project.id))
    const card = page.getByRole('article', { name: 'twin' })
    await expect(card.getByText('Running', { exact: true })).toBeVisible()
  })

  test('are kept by a set that is made of a snapshot', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('loom', 'running', { cpu: 2 })
    const params = { projectId: project.id }
    const snapshot = await call(vmSnapshotApi.create, {
      params: { ...params, vmId: vm.id },
      body: { name: 'nightly', snapshot_type: 'full', retention_days: 1 },
    })
    await page.goto(snapshotPath(snapshot))
    const button = page.getByRole('main').getByRole('button', { name: 'New VM' })
    await expect(button).toBeEnabled()
    await button.click()
    await page.getByRole('dialog').getByRole('link', { name: 'VM set' }).click()
    const form = page.getByRole('form', { name: 'Create VM Set' })
    await expect(form.getByText('Each VM is made of the snapshot nightly')).toBeVisible()
    await expect(form.getByLabel('Persistent storage')).toBeHidden()
    // They are like the VM of the snapshot.
    await expect(form.getByLabel('CPUs')).toBeHidden()
    const details = page.getByRole('region', { name: 'Template details' })
    await expect(details.getByRole('definition').first()).toHaveText('2 cores')
    await expectAccessible(page)
    await form.getByLabel('Name').fill('looms')
    await form.getByRole('button', { name: 'Create VM Set' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click()
    await page.goto(vmListPath(project.id))
    for (const name of ['looms-1', 'looms-2']) {
      const card = page.getByRole('article', { name })
      await expect(card.getByText('Running', { exact: true })).toBeVisible()
    }
    const [set] = await call(vmSetApi.list, { params })
    await page.goto(vmSetPath({ project_id: project.id, id: set?.id ?? '' }))
    await page.getByRole('main').getByRole('link', { name: snapshot.id }).click()
    await expect(page.getByRole('heading', { name: 'nightly' })).toBeVisible()
  })
})
