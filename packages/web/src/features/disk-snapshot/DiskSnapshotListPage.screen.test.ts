import { type DiskSnapshot, diskApi, diskSnapshotApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk, makeDiskSnapshot } from '@slipway/e2e/objects'
import { diskPath, diskSnapshotCreatePath, diskSnapshotListPath, diskSnapshotPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, choose, press, test, texts, toasts, visit } from '../../screen/screen.test-kit.ts'
import { take } from './disk-snapshot.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })
const alertOf = () => toasts().getByRole('alert').first()

/** The numbers above the list, each with its label. */
const totals = () =>
  [...(page.getByLabelText('Disk snapshots by status').query()?.children ?? [])].map(
    ({ textContent }) => textContent,
  )

describe('the list of disk snapshots', () => {
  test('is empty at first and leads to the form', async ({ project }) => {
    await visit(diskSnapshotListPath(project.id))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Disk Snapshots' })).toBeVisible()
    await expect.element(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect.element(page.getByText('Get started by creating your first disk snapshot')).toBeVisible()
    for (const name of ['Create Snapshot', 'Create Your First Snapshot']) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect.poll(address).toBe(diskSnapshotCreatePath(project.id))
      history.back()
    }
  })

  test('says that it is loading, and counts by status whatever the case of the words', async ({
    project,
  }) => {
    const of = (...words: string[]) =>
      // Words of other servers are among them.
      words.map((status) => makeDiskSnapshot(`one ${status}`, { status: status as DiskSnapshot['status'] }))
    const good = answer(diskSnapshotApi.list, 200, of('READY', 'Creating'))
    const { letGo } = hold(diskSnapshotApi.list)
    await visit(diskSnapshotListPath(project.id))
    await expect.element(page.getByText('Loading disk snapshots...')).toBeVisible()
    letGo()
    await expect.poll(totals).toEqual(['Total Snapshots2', 'Ready1', 'Creating1'])
    await expect.element(rowOf('one READY').getByText('Ready', { exact: true })).toBeVisible()
    await good.end()
    answer(diskSnapshotApi.list, 200, of('ready', 'failed', 'Error'))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(totals).toEqual(['Total Snapshots3', 'Ready1', 'Creating0', 'Failed2'])
    await expect.element(rowOf('one Error').getByText('Error', { exact: true })).toBeVisible()
  })

  test('is searched by name, disk id and description, filtered by status, and cleared', async ({
    project,
  }) => {
    answer(diskSnapshotApi.list, 200, [
      makeDiskSnapshot('before upgrade', { disk_id: 'disk-1' }),
      makeDiskSnapshot('nightly', { disk_id: 'disk-2', description: 'schema seven' }),
      makeDiskSnapshot('weekly', { disk_id: 'disk-2', status: 'error' }),
    ])
    await visit(diskSnapshotListPath(project.id))
    const shows = async (...names: string[]) => {
      await expect.element(page.getByText(`Showing ${names.length} of 3 snapshots`)).toBeVisible()
      await expect.poll(() => page.getByRole('article').elements()).toHaveLength(names.length)
      for (const name of names) await expect.element(rowOf(name)).toBeVisible()
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
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual(['All Status', 'Ready', 'Creating', 'Failed'])
    await page.getByRole('option', { name: 'Creating' }).click()
    await expect.element(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect.element(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await shows('weekly', 'nightly', 'before upgrade')
    await expect.element(search).toHaveValue('')
    await choose('Status', 'Failed')
    await shows('weekly')
  })

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
    await expect.element(rowOf('base')).toMatchTextContent('512Mi')
    await expect.element(rowOf('base')).toMatchTextContent(shownMoment(base.created_at))
    await expect
      .poll(() => rowOf('base').getByRole('term').filter({ hasText: 'Source Disk' }).elements())
      .toHaveLength(1)
    await expect
      .element(rowOf('base').getByRole('definition').filter({ hasText: 'ledger' }))
      .toHaveTextContent('ledgerd')
    const words = rowOf('base')
      .getByText(/words words/)
      .element()
    const lines = words.clientHeight / Number.parseFloat(getComputedStyle(words).lineHeight)
    expect(Math.round(lines)).toBe(2)
    await expect.element(rowOf('monday')).toMatchTextContent('Incrementalsince base')
    await expect.element(rowOf('tuesday')).toMatchTextContent('25%Saving')
    await expect
      .element(rowOf('torn'))
      .toMatchTextContent('The host is full. Delete this snapshot and create it again.')
    await expect.element(rowOf('other')).toMatchTextContent('journal (deleted)')
    await page.getByRole('button', { name: 'Delete base' }).click()
    await expect
      .element(page.getByRole('alertdialog'))
      .toMatchTextContent('"monday" is based on it and keeps all of its data.')
    await userEvent.keyboard('{Escape}')
    await rowOf('monday').getByRole('link', { name: 'monday' }).click()
    await expect.poll(address).toBe(diskSnapshotPath({ project_id: project.id, id: 'monday' }))
    const details = page.getByRole('region', { name: 'Details' })
    await expect.element(details).toMatchTextContent('Based onbaseBase oftuesday')
    await expect.element(details).toMatchTextContent(`30 days, until ${shownMoment(base.expires_at)}`)
    await details.getByRole('link', { name: 'base' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'base' })).toBeVisible()
    await expect.element(details).toMatchTextContent('None (standalone)')
    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'ledger' }).click()
    await expect.poll(address).toBe(diskPath({ project_id: project.id, id: 'd' }))
  })

  test('is an empty list where the answer is none', async ({ project }) => {
    answer(diskSnapshotApi.list, 200, null)
    await visit(diskSnapshotListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
  })

  test('deletes a snapshot after a question, and tells what came of it', async ({ project, addDisk }) => {
    await take(await addDisk('ledger'))
    await visit(diskSnapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Delete Disk Snapshot' })
    const agree = () => dialog.getByRole('button', { name: 'Delete Disk Snapshot' }).click()
    await page.getByRole('button', { name: 'Delete nightly' }).click()
    await expect
      .element(dialog)
      .toMatchTextContent('Are you sure you want to delete disk snapshot "nightly"?')
    await expect.element(dialog).toMatchTextContent('This action cannot be undone.')
    const silent = answer(diskSnapshotApi.delete, 500)
    await agree()
    await expect.element(alertOf()).toHaveTextContent('Failed to delete disk snapshot. Please try again.')
    await silent.end()
    const used = answer(diskSnapshotApi.delete, 409, {
      message: 'Snapshot is in use. Please try again later.',
    })
    await agree()
    await expect
      .element(alertOf())
      .toHaveTextContent(
        'Failed to delete disk snapshot. Please try again.Snapshot is in use. Please try again later.',
      )
    await expect
      .element(dialog.getByRole('alert'))
      .toHaveTextContent('Snapshot is in use. Please try again later.')
    await used.end()
    const { letGo } = hold(diskSnapshotApi.delete)
    await agree()
    await expect.element(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    const lists = callsOf(diskSnapshotApi.list)
    letGo()
    await expect
      .element(toasts().getByRole('status'))
      .toMatchTextContent('Disk snapshot "nightly" deleted successfully')
    await expect.element(page.getByRole('heading', { name: 'No disk snapshots found' })).toBeVisible()
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    expect(await call(diskSnapshotApi.list, { params: { projectId: project.id }, query: {} })).toEqual([])
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
      await expect.element(create).toBeDisabled()
      await expect.element(create).toHaveAccessibleDescription('Snapshot is not ready')
    }
    await expect.element(page.getByRole('button', { name: 'Delete coming' })).toBeDisabled()
    await expect.element(page.getByRole('button', { name: 'Delete torn' })).toBeEnabled()
    await page.getByRole('button', { name: 'Create Disk from odd' }).click()
    await page.getByLabelText('Disk Name').fill('copy')
    await press(page.getByLabelText('Disk Name'), '{Enter}')
    await expect.poll(() => calls.map((one) => one.body)).toMatchObject([{ size_gb: 10 }])
  })

  test('that does not load is empty, says why, and can be tried again', async ({ project, addDisk }) => {
    await take(await addDisk('ledger'))
    const silent = answer(diskSnapshotApi.list, 500)
    await visit(diskSnapshotListPath(project.id))
    const alert = page.getByRole('main').getByRole('alert')
    await expect.element(alert).toMatchTextContent('Failed to load disk snapshots')
    await silent.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(rowOf('nightly')).toBeVisible()
    const spoken = answer(diskSnapshotApi.list, 503, { message: 'The engine is away' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(alert).toMatchTextContent('The engine is away')
    await expect.poll(() => page.getByRole('article').elements()).toHaveLength(0)
    await spoken.end()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(rowOf('nightly')).toBeVisible()
  })
})
