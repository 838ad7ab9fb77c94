import { diskApi, diskSnapshotApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk, makeDiskSnapshot } from '@slipway/e2e/objects'
import { diskPath, diskSnapshotListPath, diskSnapshotPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { address, press, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectDisabled, expectText } from '../../screen/shown.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })

describe('the list of disk snapshots', () => {
  test('shows size, description, disk and date, what each builds upon, how far it is or why it failed', async ({
    project,
  }) => {
    const of = { project_id: project.id }
    const base = makeDiskSnapshot('base', {
      ...of,
      size: '512Mi',
      consistency: 'clean',
      description: 'words '.repeat(120),
    })
    answer(diskApi.list, 200, [makeDisk('ledger', 'available', { ...of, id: 'd' })])
    answer(diskSnapshotApi.list, 200, [
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
    await visit(diskSnapshotListPath(project.id))
    await expectText(rowOf('base'), '512Mi', shownMoment(base.created_at))
    await expectCount(rowOf('base').getByRole('term').filter({ hasText: 'Source Disk' }), 1)
    await expect
      .element(rowOf('base').getByRole('definition').filter({ hasText: 'ledger' }))
      .toHaveTextContent('ledgerd')
    const words = rowOf('base')
      .getByText(/words words/)
      .element()
    const lines = words.clientHeight / Number.parseFloat(getComputedStyle(words).lineHeight)
    expect(Math.round(lines)).toBe(2)
    await expectText(rowOf('monday'), 'Incrementalsince base')
    await expectText(rowOf('tuesday'), '25%Saving')
    await expectText(rowOf('torn'), 'The host is full. Delete this snapshot and create it again.')
    await expectText(rowOf('other'), 'journal (deleted)')
    await page.getByRole('button', { name: 'Delete base' }).click()
    await expectText(page.getByRole('alertdialog'), '"monday" is based on it and keeps all of its data.')
    await userEvent.keyboard('{Escape}')
    await rowOf('monday').getByRole('link', { name: 'monday' }).click()
    await expect.poll(address).toBe(diskSnapshotPath({ project_id: project.id, id: 'monday' }))
    const details = page.getByRole('region', { name: 'Details' })
    await expectText(details, 'Based onbaseBase oftuesday', `30 days, until ${shownMoment(base.expires_at)}`)
    await details.getByRole('link', { name: 'base' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'base' })).toBeVisible()
    await expectText(details, 'None (standalone)')
    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'ledger' }).click()
    await expect.poll(address).toBe(diskPath({ project_id: project.id, id: 'd' }))
  })

  test('is an empty list where the answer is none', async ({ project }) => {
    answer(diskSnapshotApi.list, 200, null)
    await visit(diskSnapshotListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
  })

  test('makes a disk of 10 Gi where the size cannot be read, and none while a snapshot is not ready', async ({
    project,
  }) => {
    const of = { project_id: project.id }
    answer(diskSnapshotApi.list, 200, [
      makeDiskSnapshot('odd', { ...of, size: 'many' }),
      makeDiskSnapshot('coming', { ...of, status: 'creating' }),
      makeDiskSnapshot('torn', { ...of, status: 'failed' }),
    ])
    const calls = callsOf(diskSnapshotApi.createDisk)
    await visit(diskSnapshotListPath(project.id))
    for (const name of ['coming', 'torn']) {
      const create = page.getByRole('button', { name: `Create Disk from ${name}` })
      await expectDisabled(create, 'Snapshot is not ready')
    }
    await expect.element(page.getByRole('button', { name: 'Delete coming' })).toBeDisabled()
    await expect.element(page.getByRole('button', { name: 'Delete torn' })).toBeEnabled()
    await page.getByRole('button', { name: 'Create Disk from odd' }).click()
    await page.getByLabelText('Disk Name').fill('copy')
    await press(page.getByLabelText('Disk Name'), '{Enter}')
    await expect.poll(() => calls.map((one) => one.body)).toMatchObject([{ size_gb: 10 }])
  })
})
