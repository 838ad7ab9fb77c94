import type { Page } from '@playwright/test'
import { diskApi, diskSnapshotApi } from '@slipway/contract'
import { expect, often, test } from './fixtures.ts'
import { callsOf, hold } from './network.ts'
import { diskCreatePath, diskListPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const nameOf = (page: Page) => page.getByLabel('Disk Name')
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Disk' })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()

test.describe('the form of a disk', () => {
  test('needs no more than a name, and the disk is in the list at once', { tag: '@cluster' }, async ({
    page,
    project,
    call,
  }) => {
    await page.goto(diskCreatePath(project.id))
    await expect(page.getByLabel('Size')).toHaveValue('10GB')
    await expect(page.getByRole('combobox', { name: 'Source' })).toHaveText('Blank Disk')
    const calls = callsOf(page, diskApi.create)
    const { letGo } = await hold(page, diskApi.create)
    await nameOf(page).fill(' ledger ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(page).toHaveURL(diskListPath(project.id))
    await expect(toasts(page).getByRole('status')).toHaveText('Disk "ledger" created successfully!')
    await expect(page.getByRole('article', { name: 'ledger' })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      { name: 'ledger', size: '10Gi', source: 'EMPTY' },
    ])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ name: 'ledger', size: '10Gi', size_gb: 10, source: 'blank' }])
  })

  test('makes a disk from a snapshot whose name is typed', { tag: '@cluster' }, async ({
    page,
    project,
    addDisk,
    call,
  }) => {
    const disk = await addDisk('ledger', { size: '20Gi' })
    const params = { projectId: project.id }
    await call(diskSnapshotApi.create, {
      params,
      body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30 },
    })
    await expect
      .poll(async () => (await call(diskSnapshotApi.list, { params }))[0]?.status, often)
      .toBe('ready')
    const calls = callsOf(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('copy')
    await choose(page, 'Source', 'From Snapshot')
    await page.getByRole('combobox', { name: 'Snapshot Name' }).fill('weekly')
    await submitOf(page).click()
    await expect(alertOf(page)).toHaveText('Disk snapshot "weekly" not found')
    await expect(page).toHaveURL(diskCreatePath(project.id))
    await page.getByRole('combobox', { name: 'Snapshot Name' }).fill('nightly')
    // What could be chosen lies over the button.
    await page.keyboard.press('Escape')
    await submitOf(page).click()
    const card = page.getByRole('article', { name: 'copy' })
    await expect(card.getByText('Available')).toBeVisible()
    // As large as the snapshot needs.
    await expect(card.getByRole('definition')).toContainText(['20Gi', 'Snapshot'])
    expect(calls.at(-1)?.postDataJSON()).toEqual({
      name: 'copy',
      size: '10Gi',
      source: 'SNAPSHOT',
      disk_sansphot: 'nightly',
    })
  })
})
