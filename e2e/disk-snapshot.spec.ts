import type { Page } from '@playwright/test'
import {
  type Disk,
  type DiskSnapshot,
  type DiskSnapshotCreate,
  diskApi,
  diskSnapshotApi,
  type Project,
} from '@slipway/contract'
import { shownMoment } from './dates.ts'
import { type Call, expect, often, test } from './fixtures.ts'
import { answer, callsOf, hold, makeDisk, makeDiskSnapshot } from './network.ts'
import { diskPath, diskSnapshotCreatePath, diskSnapshotListPath, diskSnapshotPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const rowOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()
const expectTotals = (page: Page, ...texts: string[]) =>
  expect(page.getByLabel('Disk snapshots by status').locator('> div')).toHaveText(texts)

/** Creates a blank disk and waits until it can be used. */
async function newDisk(call: Call, { id: projectId }: Project, name = 'ledger'): Promise<Disk> {
  const made = await call(diskApi.create, {
    params: { projectId },
    body: { name, size: '12Gi', source: 'EMPTY', description: 'All entries' },
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
async function take(call: Call, disk: Disk, body: Partial<DiskSnapshotCreate> = {}): Promise<DiskSnapshot> {
  const params = { projectId: disk.project_id }
  const made = await call(diskSnapshotApi.create, {
    params,
    body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30, ...body },
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
  test('is empty at first and leads to the form', async ({ page, project }) => {
    await page.goto(diskSnapshotListPath(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Disk Snapshots' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect(page.getByText('Get started by creating your first disk snapshot')).toBeVisible()
    for (const name of ['Create Snapshot', 'Create Your First Snapshot']) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page).toHaveURL(diskSnapshotCreatePath(project.id))
      await page.goBack()
    }
  })

  test('says that it is loading, and counts by status whatever the case of the words', async ({
    page,
    project,
  }) => {
    const of = (...words: string[]) =>
      // Words of other servers are among them.
      words.map((status) => makeDiskSnapshot(`one ${status}`, { status: status as DiskSnapshot['status'] }))
    const good = await answer(page, diskSnapshotApi.list, 200, of('READY', 'Creating'))
    const { letGo } = await hold(page, diskSnapshotApi.list)
    await page.goto(diskSnapshotListPath(project.id))
    await expect(page.getByText('Loading disk snapshots...')).toBeVisible()
    letGo()
    await expectTotals(page, 'Total Snapshots2', 'Ready1', 'Creating1')
    await expect(rowOf(page, 'one READY').getByText('Ready', { exact: true })).toBeVisible()
    await good.end()
    await answer(page, diskSnapshotApi.list, 200, of('ready', 'failed', 'Error'))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expectTotals(page, 'Total Snapshots3', 'Ready1', 'Creating0', 'Failed2')
    await expect(rowOf(page, 'one Error').getByText('Error', { exact: true })).toBeVisible()
  })

  test('is searched by name, disk id and description, filtered by status, and cleared', async ({
    page,
    project,
  }) => {
    await answer(page, diskSnapshotApi.list, 200, [
      makeDiskSnapshot('before upgrade', { disk_id: 'disk-1' }),
      makeDiskSnapshot('nightly', { disk_id: 'disk-2', description: 'schema seven' }),
      makeDiskSnapshot('weekly', { disk_id: 'disk-2', status: 'error' }),
    ])
    await page.goto(diskSnapshotListPath(project.id))
    const shows = async (...names: string[]) => {
      await expect(page.getByText(`Showing ${names.length} of 3 snapshots`)).toBeVisible()
      await expect(page.getByRole('article')).toHaveCount(names.length)
      for (const name of names) await expect(rowOf(page, name)).toBeVisible()
    }
    await shows('weekly', 'nightly', 'before upgrade')
    const search = page.getByRole('searchbox')
    for (const [text, ...names] of [
      ['UPGRADE', 'before upgrade'],
      ['disk-2', 'weekly', 'nightly'],
      ['schema', 'nightly'],
    ] as const) {
      await search.fill(text)
      await shows(...names)
    }
    await page.getByRole('combobox', { name: 'Status' }).click()
    await expect(page.getByRole('option')).toHaveText(['All Status', 'Ready', 'Creating', 'Failed'])
    await page.getByRole('option', { name: 'Creating' }).click()
    await expect(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await shows('weekly', 'nightly', 'before upgrade')
    await expect(search).toHaveValue('')
    await choose(page, 'Status', 'Failed')
    await shows('weekly')
  })

  test('shows size, description, disk and date, what each builds upon, how far it is or why it failed', async ({
    page,
    project,
  }) => {
    const of = { project_id: project.id }
    const base = makeDiskSnapshot('base', {
      ...of,
      size: '512Mi',
      consistency: 'clean',
      description: 'words '.repeat(120),
    })
    await answer(page, diskApi.list, 200, [makeDisk('ledger', 'available', { ...of, id: 'd' })])
    await answer(page, diskSnapshotApi.list, 200, [
      makeDiskSnapshot('other', { ...of, disk_id: 'gone', disk_name: 'journal' }),
      makeDiskSnapshot('torn', { ...of, status: 'failed', status_message: 'The host is full.' }),
      base,
      makeDiskSnapshot('monday', { ...of, snapshot_type: 'incremental', parent_id: 'base' }),
      makeDiskSnapshot('tuesday', {
        ...of,
        snapshot_type: 'incremental',
        parent_id: 'monday',
        status: 'creating',
        progress: 0.25,
        stored_mb: null,
        consistency: null,
        created_at: new Date().toISOString(),
      }),
    ])
    await page.goto(diskSnapshotListPath(project.id))
    await expect(rowOf(page, 'base')).toContainText('512Mi')
    await expect(rowOf(page, 'base')).toContainText(shownMoment(base.created_at))
    await expect(rowOf(page, 'base').getByRole('term').filter({ hasText: 'Source Disk' })).toHaveCount(1)
    await expect(rowOf(page, 'base').getByRole('definition').filter({ hasText: 'ledger' })).toHaveText(
      'ledgerd',
    )
    const words = rowOf(page, 'base').getByText('words words')
    const lines = await words.evaluate(
      (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
    )
    expect(Math.round(lines)).toBe(2)
    await expect(rowOf(page, 'monday')).toContainText('Incrementalsince base')
    await expect(rowOf(page, 'tuesday')).toContainText('25%Saving')
    await expect(rowOf(page, 'torn')).toContainText(
      'The host is full. Delete this snapshot and create it again.',
    )
    await expect(rowOf(page, 'other')).toContainText('journal (deleted)')
    await page.getByRole('button', { name: 'Delete base' }).click()
    await expect(page.getByRole('alertdialog')).toContainText(
      '"monday" is based on it and keeps all of its data.',
    )
    await page.keyboard.press('Escape')
    await rowOf(page, 'monday').getByRole('link', { name: 'monday' }).click()
    await expect(page).toHaveURL(diskSnapshotPath({ project_id: project.id, id: 'monday' }))
    const details = page.getByRole('region', { name: 'Details' })
    await expect(details).toContainText('Based onbaseBase oftuesday')
    await expect(details).toContainText(`30 days, until ${shownMoment(base.expires_at)}`)
    await details.getByRole('link', { name: 'base' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'base' })).toBeVisible()
    await expect(details).toContainText('None (standalone)')
    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'ledger' }).click()
    await expect(page).toHaveURL(diskPath({ project_id: project.id, id: 'd' }))
  })

  test('is an empty list where the answer is none', async ({ page, project }) => {
    await answer(page, diskSnapshotApi.list, 200, null)
    await page.goto(diskSnapshotListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
  })

  test('deletes a snapshot after a question, and tells what came of it', async ({ page, project, call }) => {
    await take(call, await newDisk(call, project))
    await page.goto(diskSnapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Delete Disk Snapshot' })
    const agree = () => dialog.getByRole('button', { name: 'Delete Disk Snapshot' }).click()
    await page.getByRole('button', { name: 'Delete nightly' }).click()
    await expect(dialog).toContainText('Are you sure you want to delete disk snapshot "nightly"?')
    await expect(dialog).toContainText('This action cannot be undone.')
    const silent = await answer(page, diskSnapshotApi.delete, 500)
    await agree()
    await expect(alertOf(page)).toHaveText('Failed to delete disk snapshot. Please try again.')
    await silent.end()
    const used = await answer(page, diskSnapshotApi.delete, 409, {
      message: 'Snapshot is in use. Please try again later.',
    })
    await agree()
    await expect(alertOf(page)).toHaveText(
      'Failed to delete disk snapshot. Please try again.Snapshot is in use. Please try again later.',
    )
    await expect(dialog.getByRole('alert')).toHaveText('Snapshot is in use. Please try again later.')
    await used.end()
    const { letGo } = await hold(page, diskSnapshotApi.delete)
    await agree()
    await expect(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    const lists = callsOf(page, diskSnapshotApi.list)
    letGo()
    await expect(toasts(page).getByRole('status')).toContainText(
      'Disk snapshot "nightly" deleted successfully',
    )
    await expect(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    expect(await call(diskSnapshotApi.list, { params: { projectId: project.id }, query: {} })).toEqual([])
  })

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

  test('makes a disk of 10 Gi where the size cannot be read, and none while a snapshot is not ready', async ({
    page,
    project,
  }) => {
    const of = { project_id: project.id }
    await answer(page, diskSnapshotApi.list, 200, [
      makeDiskSnapshot('odd', { ...of, size: 'many' }),
      makeDiskSnapshot('coming', { ...of, status: 'creating' }),
      makeDiskSnapshot('torn', { ...of, status: 'failed' }),
    ])
    const calls = callsOf(page, diskSnapshotApi.createDisk)
    await page.goto(diskSnapshotListPath(project.id))
    for (const name of ['coming', 'torn']) {
      const create = page.getByRole('button', { name: `Create Disk from ${name}` })
      await expect(create).toBeDisabled()
      await expect(create).toHaveAccessibleDescription('Snapshot is not ready')
    }
    await expect(page.getByRole('button', { name: 'Delete coming' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Delete torn' })).toBeEnabled()
    await page.getByRole('button', { name: 'Create Disk from odd' }).click()
    await page.getByLabel('Disk Name').fill('copy')
    await page.getByLabel('Disk Name').press('Enter')
    await expect.poll(() => calls.map((one) => one.postDataJSON())).toMatchObject([{ size_gb: 10 }])
  })

  test('that does not load is empty, says why, and can be tried again', async ({ page, project, call }) => {
    await take(call, await newDisk(call, project))
    const silent = await answer(page, diskSnapshotApi.list, 500)
    await page.goto(diskSnapshotListPath(project.id))
    const alert = page.getByRole('main').getByRole('alert')
    await expect(alert).toContainText('Failed to load disk snapshots')
    await silent.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(rowOf(page, 'nightly')).toBeVisible()
    const spoken = await answer(page, diskSnapshotApi.list, 503, { message: 'The engine is away' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(alert).toContainText('The engine is away')
    await expect(page.getByRole('article')).toHaveCount(0)
    await spoken.end()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(rowOf(page, 'nightly')).toBeVisible()
  })
})

test.describe('the form of a disk snapshot', () => {
  const nameOf = (page: Page) => page.getByLabel('Snapshot Name')
  const diskOf = (page: Page) => page.getByRole('combobox', { name: 'Select Disk' })
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

  test('says what an incremental snapshot builds upon', async ({ page, project, call }) => {
    const disk = await newDisk(call, project)
    await page.goto(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await expect(diskOf(page)).toContainText('ledger')
    await expect(
      page.getByText('This disk has no ready snapshot to be based on: a full one will be created.'),
    ).toBeVisible()
    await take(call, disk, { name: 'base' })
    await expect(page.getByText('Changes since base, the newest ready snapshot of the disk.')).toBeVisible()
    const calls = callsOf(page, diskSnapshotApi.create)
    await nameOf(page).fill('monday')
    await page.getByRole('radio', { name: 'Incremental' }).check()
    await submitOf(page).click()
    await expect(rowOf(page, 'monday')).toContainText('Incrementalsince base')
    expect(calls[0]?.postDataJSON()).toMatchObject({ snapshot_type: 'incremental' })
  })

  test('offers disks that are available or attached', async ({ page, project }) => {
    const words = ['creating', 'available', 'attached', 'deleting', 'failed', 'error'] as const
    await answer(
      page,
      diskApi.list,
      200,
      words.map((status) =>
        makeDisk(`one ${status}`, status, status === 'attached' ? { vm_id: 'v', vm_name: 'engine' } : {}),
      ),
    )
    await page.goto(diskSnapshotCreatePath(project.id))
    await expect(diskOf(page)).toHaveText('Choose a disk')
    await diskOf(page).click()
    await expect(page.getByRole('option')).toHaveText([
      'one available10Gi, available',
      'one attached10Gi, attached to engine',
    ])
  })

  test('is disabled without a name, without a disk, while disks load and where there are none', async ({
    page,
    project,
    call,
  }) => {
    const { letGo } = await hold(page, diskApi.list)
    await page.goto(diskSnapshotCreatePath(project.id))
    await nameOf(page).fill('nightly')
    await expect(submitOf(page)).toHaveAccessibleDescription('Loading disks...')
    letGo()
    await expect(diskOf(page)).toHaveText('No disks')
    await expect(page.getByText('No disk in this project is available or attached.')).toBeVisible()
    const told = async (text: string) => {
      await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
      await expect(submitOf(page)).toBeDisabled()
      await expect(submitOf(page)).toHaveAccessibleDescription(text)
      await nameOf(page).press('Enter')
      await expect(alertOf(page)).toHaveText(text)
    }
    await told('Please select a disk to snapshot')
    await newDisk(call, project)
    await expect(diskOf(page)).toHaveText('Choose a disk')
    await told('Please select a disk to snapshot')
    await choose(page, 'Select Disk', 'ledger')
    await nameOf(page).fill('   ')
    await told('Please enter a snapshot name')
    await nameOf(page).fill('nightly')
    await expect(submitOf(page)).toBeEnabled()
  })

  test('keeps a snapshot for 1 to 3650 days, and takes what is no number as 0', async ({
    page,
    project,
    call,
  }) => {
    const disk = await newDisk(call, project)
    const calls = callsOf(page, diskSnapshotApi.create)
    await page.goto(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await nameOf(page).fill('nightly')
    await expect(submitOf(page)).toBeEnabled()
    await expect(retentionOf(page)).toHaveAccessibleDescription(hint)
    await expect(page.getByRole('alert').filter({ hasText: hint })).toHaveCount(0)
    for (const [typed, held] of [
      ['', '0'],
      ['3651', '3651'],
    ] as const) {
      await retentionOf(page).fill(typed)
      await expect(retentionOf(page)).toHaveValue(held)
      await expect(page.getByRole('form').getByRole('alert')).toHaveText(hint)
      await expect(submitOf(page)).toHaveAccessibleDescription(hint)
      await retentionOf(page).press('Enter')
      await expect(alertOf(page)).toHaveText(hint)
    }
    expect(calls).toEqual([])
    await retentionOf(page).fill('3650')
    await submitOf(page).click()
    await expect(rowOf(page, 'nightly')).toBeVisible()
    expect(calls[0]?.postDataJSON()).toMatchObject({ retention_days: 3650 })
  })

  test('says in a dialog why the snapshot is not created, and stays as it is', async ({
    page,
    project,
    call,
  }) => {
    const disk = await newDisk(call, project)
    await take(call, disk)
    await page.goto(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await nameOf(page).fill('nightly')
    const dialog = page.getByRole('alertdialog')
    for (const status of [500, null]) {
      const { end } = await answer(page, diskSnapshotApi.create, status)
      await submitOf(page).click()
      await expect(dialog).toContainText('Failed to create disk snapshot. Please try again.')
      await dialog.getByRole('button', { name: 'OK' }).click()
      await expect(dialog).toBeHidden()
      await end()
    }
    await submitOf(page).click()
    await expect(dialog).toContainText('A disk snapshot named "nightly" already exists in this project')
    await expect(dialog.getByRole('button')).toHaveText(['OK'])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(nameOf(page)).toHaveValue('nightly')
    await expect(page).toHaveURL(/disk-snapshots\/create/)
  })

  test('has nothing to choose, without a word, where disks do not load', async ({ page, project }) => {
    await answer(page, diskApi.list, 500, { message: 'The engine is away' })
    await page.goto(diskSnapshotCreatePath(project.id))
    await nameOf(page).fill('nightly')
    await expect(diskOf(page)).toHaveText('No disks')
    await expect(submitOf(page)).toBeDisabled()
    await expect(toasts(page).getByRole('alert')).toHaveCount(0)
    await expect(page.getByText('The engine is away')).toHaveCount(0)
  })

  test('leads back to the list', async ({ page, project }) => {
    for (const name of ['Back to Disk Snapshots', 'Cancel']) {
      await page.goto(diskSnapshotCreatePath(project.id))
      await page.getByRole('link', { name }).click()
      await expect(page).toHaveURL(diskSnapshotListPath(project.id))
    }
  })
})
