import type { Page } from '@playwright/test'
import { type Disk, type DiskSnapshot, diskApi, diskSnapshotApi, type Project } from '@slipway/contract'
import { type Call, expect, often, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { diskSnapshotCreatePath, diskSnapshotListPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const rowOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()

/** Creates a blank disk and waits until it can be used. */
async function newDisk(call: Call, { id: projectId }: Project): Promise<Disk> {
  const made = await call(diskApi.create, {
    params: { projectId },
    body: { name: 'ledger', size: '12Gi', source: 'EMPTY', description: 'All entries' },
  })
  await expect
    .poll(async () => {
      const all = await call(diskApi.list, { params: { projectId }, query: {} })
      return all.find(({ id }) => id === made.id)?.status
    }, often)
    .toBe('available')
  return made
}

/** Takes a snapshot of a disk and waits until it is ready. */
async function take(call: Call, disk: Disk): Promise<DiskSnapshot> {
  const params = { projectId: disk.project_id }
  const made = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30 },
  })
  let snapshot: DiskSnapshot | undefined
  await expect
    .poll(async () => {
      snapshot = (await call(diskSnapshotApi.list, { params, query: {} })).find(({ id }) => id === made.id)
      return snapshot?.status
    }, often)
    .toBe('ready')
  if (!snapshot) throw new Error('The snapshot is gone')
  return snapshot
}

test.describe('the list of disk snapshots', () => {
  test('makes a disk of a ready snapshot, and tells what came of it', { tag: '@cluster' }, async ({
    page,
    project,
    call,
  }) => {
    await take(call, await newDisk(call, project))
    const calls = callsOf(page, diskSnapshotApi.createDisk)
    await page.goto(diskSnapshotListPath(project.id))
    await page.getByRole('button', { name: 'Create Disk from nightly' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create Disk from Snapshot' })
    const name = dialog.getByLabel('Disk Name')
    const submit = dialog.getByRole('button', { name: 'Create Disk' })
    await expect(name).toBeFocused()
    await expect(submit).toBeDisabled()
    await expect(submit).toHaveAccessibleDescription('Please enter a disk name')
    await expect(dialog.getByRole('status')).toHaveText('Please enter a disk name')
    await name.fill('  ')
    await name.press('Enter')
    await expect(dialog.getByRole('alert')).toHaveText('Please enter a disk name')
    expect(calls).toEqual([])
    await name.fill(' copy ')
    const silent = await answer(page, diskSnapshotApi.createDisk, 500)
    await submit.click()
    await expect(alertOf(page)).toHaveText('Failed to create disk from snapshot. Please try again.')
    await silent.end()
    const refused = await answer(page, diskSnapshotApi.createDisk, 409, { message: 'Snapshot is not ready' })
    await submit.click()
    await expect(alertOf(page)).toHaveText(
      'Failed to create disk from snapshot. Please try again.Snapshot is not ready',
    )
    await expect(dialog.getByText('Snapshot is not ready')).toBeVisible()
    await refused.end()
    await expect(name).toHaveValue(' copy ')
    const { letGo } = await hold(page, diskSnapshotApi.createDisk)
    await submit.click()
    await expect(dialog.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText(
      'New disk "copy" created from snapshot successfully',
    )
    await expect(dialog).toBeHidden()
    expect(calls.at(-1)?.postDataJSON()).toEqual({
      name: 'copy',
      description: 'Created from snapshot: nightly',
      size_gb: 12,
    })
    const disks = await call(diskApi.list, { params: { projectId: project.id }, query: {} })
    expect(disks.at(-1)).toMatchObject({ name: 'copy', source: 'snapshot', size_gb: 12 })
  })
})

test.describe('the form of a disk snapshot', () => {
  const nameOf = (page: Page) => page.getByLabel('Snapshot Name')
  const retentionOf = (page: Page) => page.getByLabel('Retention Period')
  const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Snapshot' })
  const hint = 'Minimum: 1 day, Maximum: 10 years'

  test('asks for all of the disk and 30 days unless told otherwise, and the list says that it is made', {
    tag: '@cluster',
  }, async ({ page, project, call }) => {
    const disk = await newDisk(call, project)
    const calls = callsOf(page, diskSnapshotApi.create)
    const { letGo } = await hold(page, diskSnapshotApi.create)
    await page.goto(diskSnapshotCreatePath(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Create Disk Snapshot' })).toBeVisible()
    await expect(page.getByRole('radio', { name: 'Full' })).toBeChecked()
    await expect(page.getByRole('radio', { name: 'Incremental' })).not.toBeChecked()
    await expect(retentionOf(page)).toHaveValue('30')
    await expect(retentionOf(page)).toHaveAttribute('min', '1')
    await expect(retentionOf(page)).toHaveAttribute('max', '3650')
    await expect(page.getByText(hint)).toBeVisible()
    await expect(page.getByText('New disks created from the snapshot are independent copies.')).toBeVisible()
    await nameOf(page).fill(' nightly ')
    await page.getByLabel('Description').fill('Before the upgrade')
    await choose(page, 'Select Disk', 'ledger')
    const summary = page.getByRole('region', { name: 'Disk details' })
    await expect(summary.getByRole('definition')).toHaveText([
      'ledger',
      '12Gi',
      'Standard',
      'Available',
      'All entries',
    ])
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    const lists = callsOf(page, diskSnapshotApi.list)
    letGo()
    await expect(page).toHaveURL(diskSnapshotListPath(project.id))
    await expect(toasts(page).getByRole('status')).toHaveText('Disk snapshot "nightly" created successfully!')
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    await expect(rowOf(page, 'nightly').getByText('Ready', { exact: true })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      {
        name: 'nightly',
        description: 'Before the upgrade',
        snapshot_type: 'full',
        retention_days: 30,
        disk_id: disk.id,
      },
    ])
    // Once only: the browser keeps what a navigation brought.
    await page.reload()
    await expect(rowOf(page, 'nightly')).toBeVisible()
    await expect(toasts(page).getByRole('status')).toHaveCount(0)
  })
})
