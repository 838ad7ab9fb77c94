import { diskApi, diskSnapshotApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { diskSnapshotCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, choose, press, test, tick, visit } from '../../screen/screen.test-kit.ts'
import {
  expectCount,
  expectRule,
  expectText,
  expectTexts,
  newestAlert,
  said,
  toasts,
} from '../../screen/shown.test-kit.ts'
import { take } from './disk-snapshot.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })

describe('the form of a disk snapshot', () => {
  const nameField = page.getByLabelText('Snapshot Name')
  const diskField = page.getByRole('combobox', { name: 'Select Disk' })
  const retention = page.getByLabelText('Retention Period')
  const submit = page.getByRole('button', { name: 'Create Snapshot' })
  const hint = 'Minimum: 1 day, Maximum: 10 years'

  test('says what an incremental snapshot builds upon', async ({ project, addDisk }) => {
    const disk = await addDisk('ledger')
    await visit(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await expectText(diskField, 'ledger')
    await expect
      .element(page.getByText('This disk has no ready snapshot to be based on: a full one will be created.'))
      .toBeVisible()
    await take(disk, { name: 'base' })
    await expect
      .element(page.getByText('Changes since base, the newest ready snapshot of the disk.'))
      .toBeVisible()
    const calls = callsOf(diskSnapshotApi.create)
    await nameField.fill('monday')
    const incremental = page.getByRole('radio', { name: 'Incremental' })
    await tick(incremental)
    await submit.click()
    await expectText(rowOf('monday'), 'Incrementalsince base')
    expect(calls[0]?.body).toMatchObject({ snapshot_type: 'incremental' })
  })

  test('offers disks that are available or attached', async ({ project }) => {
    const words = ['creating', 'available', 'attached', 'deleting', 'failed', 'error'] as const
    answer(
      diskApi.list,
      200,
      words.map((status) =>
        makeDisk(`one ${status}`, status, status === 'attached' ? { vm_id: 'v', vm_name: 'engine' } : {}),
      ),
    )
    await visit(diskSnapshotCreatePath(project.id))
    await expect.element(diskField).toHaveTextContent('Choose a disk')
    await diskField.click()
    await expectTexts(page.getByRole('option'), [
      'one available10Gi, available',
      'one attached10Gi, attached to engine',
    ])
  })

  test('is disabled without a name, without a disk, while disks load and where there are none', async ({
    project,
    addDisk,
  }) => {
    const { letGo } = hold(diskApi.list)
    await visit(diskSnapshotCreatePath(project.id))
    await nameField.fill('nightly')
    await expect.element(submit).toHaveAccessibleDescription('Loading disks...')
    letGo()
    await expect.element(diskField).toHaveTextContent('No disks')
    await expect.element(page.getByText(/No disk in this project is available or attached\./)).toBeVisible()
    await expectRule(submit, nameField, 'Please select a disk to snapshot')
    await addDisk('ledger')
    await expect.element(diskField).toHaveTextContent('Choose a disk')
    await expect.element(submit).toHaveAccessibleDescription('Please select a disk to snapshot')
    await choose('Select Disk', /ledger/)
    await nameField.fill('   ')
    await expect.element(submit).toHaveAccessibleDescription('Please enter a snapshot name')
    await nameField.fill('nightly')
    await expect.element(submit).toBeEnabled()
  })

  test('keeps a snapshot for 1 to 3650 days, and takes what is no number as 0', async ({
    project,
    addDisk,
  }) => {
    const disk = await addDisk('ledger')
    const calls = callsOf(diskSnapshotApi.create)
    await visit(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await nameField.fill('nightly')
    await expect.element(submit).toBeEnabled()
    await expect.element(retention).toHaveAccessibleDescription(hint)
    await expectCount(page.getByRole('alert').filter({ hasText: hint }), 0)
    for (const [typed, held] of [
      ['', 0],
      ['3651', 3651],
    ] as const) {
      await retention.fill(typed)
      await expect.element(retention).toHaveValue(held)
      await expect.element(page.getByRole('form').getByRole('alert')).toHaveTextContent(hint)
      await expect.element(submit).toHaveAccessibleDescription(hint)
      await press(retention, '{Enter}')
      await expect.element(newestAlert()).toHaveTextContent(hint)
    }
    expect(calls).toEqual([])
    await retention.fill('3650')
    await submit.click()
    await expect.element(rowOf('nightly')).toBeVisible()
    expect(calls[0]?.body).toMatchObject({ retention_days: 3650 })
  })

  test('says in a dialog why the snapshot is not created, and stays as it is', async ({
    project,
    addDisk,
  }) => {
    const disk = await addDisk('ledger')
    await take(disk)
    await visit(`${diskSnapshotCreatePath(project.id)}?disk=${disk.id}`)
    await nameField.fill('nightly')
    const dialog = page.getByRole('alertdialog')
    const { end } = answer(diskSnapshotApi.create, 500)
    await submit.click()
    await expectText(dialog, 'Failed to create disk snapshot. Please try again.')
    await dialog.getByRole('button', { name: 'OK' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await end()
    await submit.click()
    await expectText(dialog, 'A disk snapshot named "nightly" already exists in this project')
    await expectTexts(dialog.getByRole('button'), ['OK'])
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(nameField).toHaveValue('nightly')
    await expect.poll(address).toMatch(/disk-snapshots\/create/)
  })

  test('has nothing to choose, without a word, where disks do not load', async ({ project }) => {
    answer(diskApi.list, 500, { message: 'The engine is away' })
    await visit(diskSnapshotCreatePath(project.id))
    await nameField.fill('nightly')
    await expect.element(diskField).toHaveTextContent('No disks')
    await expect.element(submit).toBeDisabled()
    await expectCount(toasts().getByRole('alert'), 0)
    await expectCount(said('The engine is away'), 0)
  })
})
