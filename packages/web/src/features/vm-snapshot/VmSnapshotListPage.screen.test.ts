import { type VmSnapshot, vmApi, vmSnapshotApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmSnapshot } from '@slipway/e2e/objects'
import { snapshotCreatePath, snapshotListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { copied, refuseCopies } from '../../screen/clipboard.test-kit.ts'
import { answer, callsOf, hold, streamOfItsOwn } from '../../screen/network.test-kit.ts'
import { address, call, choose, reload, test, texts, toasts, visit } from '../../screen/screen.test-kit.ts'
import { take } from './vm-snapshot.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })
const alertOf = () => toasts().getByRole('alert').first()

/** The numbers above the list, each with its label. */
const totals = () =>
  [...(page.getByLabelText('Snapshots by status').query()?.children ?? [])].map(
    ({ textContent }) => textContent,
  )

/** What is said aloud of late. */
const saidAloud = () => document.querySelector('[aria-live=polite]')?.textContent

describe('the list of snapshots', () => {
  test('is empty at first and leads to the form', async ({ project }) => {
    await visit(snapshotListPath(project.id))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Snapshots' })).toBeVisible()
    await expect.element(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect.element(page.getByText('Get started by creating your first snapshot')).toBeVisible()
    for (const name of ['Create Snapshot', 'Create Your First Snapshot']) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect.poll(address).toBe(snapshotCreatePath(project.id))
      history.back()
    }
  })

  test('says that it is loading, and counts by status', async ({ project }) => {
    // High enough for all rows: those further down are not in the document.
    await page.viewport(1280, 2000)
    const words = ['ready', 'completed', 'creating', 'processing', 'pending', 'deleting', 'failed', 'error']
    answer(
      vmSnapshotApi.list,
      200,
      // Two of them are words of other servers.
      words.map((status) => makeVmSnapshot(`one ${status}`, { status: status as VmSnapshot['status'] })),
    )
    const { letGo } = hold(vmSnapshotApi.list)
    await visit(snapshotListPath(project.id))
    await expect.element(page.getByText('Loading snapshots...')).toBeVisible()
    letGo()
    await expect.poll(totals).toEqual(['Total8', 'Ready2', 'Creating3', 'Failed2'])
    for (const word of words) {
      const shown = word.charAt(0).toUpperCase() + word.slice(1)
      await expect.element(rowOf(`one ${word}`).getByText(new RegExp(`^${shown}(\\d|$)`))).toBeVisible()
    }
  })

  test('is searched by name, VM, VM id and description, filtered by status, and cleared', async ({
    project,
  }) => {
    answer(vmSnapshotApi.list, 200, [
      makeVmSnapshot('before upgrade', { vm_name: 'ledger-1', vm_id: 'vm-1' }),
      makeVmSnapshot('nightly', { vm_name: 'checkout', vm_id: 'vm-2', description: 'schema seven' }),
      makeVmSnapshot('weekly', { vm_name: 'checkout', vm_id: 'vm-2', status: 'failed' }),
    ])
    await visit(snapshotListPath(project.id))
    const shows = async (...names: string[]) => {
      await expect.element(page.getByText(`Showing ${names.length} of 3 snapshots`)).toBeVisible()
      await expect.poll(() => page.getByRole('article').elements()).toHaveLength(names.length)
      for (const name of names) await expect.element(rowOf(name)).toBeVisible()
    }
    await shows('weekly', 'nightly', 'before upgrade')
    await expect.poll(() => page.getByRole('button', { name: 'Clear Filters' }).elements()).toHaveLength(0)
    const search = page.getByRole('searchbox')
    for (const [text, ...names] of [
      ['UPGRADE', 'before upgrade'],
      ['checkout', 'weekly', 'nightly'],
      ['vm-1', 'before upgrade'],
      ['schema', 'nightly'],
    ] as const) {
      await search.fill(text)
      await shows(...names)
    }
    await page.getByRole('combobox', { name: 'Status' }).click()
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual(['All', 'Ready', 'Creating', 'Failed', 'Error'])
    await page.getByRole('option', { name: 'Error' }).click()
    await expect.element(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect.element(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await shows('weekly', 'nightly', 'before upgrade')
    await expect.element(search).toHaveValue('')
    await choose('Status', 'Failed')
    await shows('weekly')
  })

  test('shows what each snapshot holds, how far it is or why it failed', async ({ project }) => {
    const now = new Date().toISOString()
    const disks = [{ disk_id: 'd', name: 'ledger', size: '10Gi' }]
    const made = makeVmSnapshot('made', {
      project_id: project.id,
      description: 'Before the upgrade',
      consistency: 'frozen',
      size_mb: 1024,
      disks,
    })
    answer(vmSnapshotApi.list, 200, [
      made,
      makeVmSnapshot('warm', {
        consistency: 'memory',
        has_memory: true,
        snapshot_type: 'full',
        size_mb: 1023,
      }),
      makeVmSnapshot('cold', {
        consistency: 'clean',
        snapshot_type: 'full',
        automatic: true,
        retention_days: 1,
      }),
      makeVmSnapshot('coming', {
        status: 'creating',
        size_mb: null,
        consistency: null,
        progress: 0.457,
        created_at: now,
      }),
      makeVmSnapshot('queued', { status: 'pending', size_mb: null, consistency: null, created_at: now }),
      makeVmSnapshot('torn', { status: 'failed', size_mb: null, status_message: 'The host is full' }),
    ])
    await visit(snapshotListPath(project.id))
    await expect.element(rowOf('made')).toMatchTextContent('1.0 GB')
    await expect.element(rowOf('made')).toMatchTextContent('Disk onlyFile systems frozen')
    await expect.element(rowOf('made')).toMatchTextContent('Before the upgrade')
    await expect.element(rowOf('made')).toMatchTextContent(shownMoment(made.created_at))
    await expect.element(rowOf('warm')).toMatchTextContent('1023 MB')
    await expect.element(rowOf('warm')).toMatchTextContent('Disk and memory')
    // A stopped VM had no memory, whatever was asked for.
    await expect.element(rowOf('cold')).toMatchTextContent('Disk onlyAutomaticVM was off')
    await expect.element(rowOf('coming')).toMatchTextContent('Unknown')
    await expect.element(rowOf('coming')).toMatchTextContent('45%Saving')
    await expect.element(rowOf('coming').getByRole('progressbar')).toHaveAttribute('aria-valuenow', '46')
    await expect.element(rowOf('queued')).toMatchTextContent('Waiting to start')
    await expect
      .element(rowOf('torn'))
      .toMatchTextContent('The host is full. Delete this snapshot and create it again.')
    await rowOf('made').getByRole('link', { name: 'made', exact: true }).click()
    const details = page.getByRole('region', { name: 'Details' })
    await expect.element(details).toMatchTextContent('Root diskledger')
    await expect.element(details).toMatchTextContent('10Gi')
    await expect.element(details).toMatchTextContent(`30 days, until ${shownMoment(made.expires_at)}`)
    await expect.element(details).toMatchTextContent('wrote out its file systems')
  })

  test('copies the id of a snapshot', async ({ project }) => {
    answer(vmSnapshotApi.list, 200, [makeVmSnapshot('nightly', { id: 'snap-1' })])
    await visit(snapshotListPath(project.id))
    await page.getByRole('button', { name: 'Copy ID of nightly' }).click()
    await expect.element(toasts().getByRole('status')).toHaveTextContent('Copied to clipboard!')
    expect(await copied()).toBe('snap-1')
    refuseCopies()
    await reload()
    await page.getByRole('button', { name: 'Copy ID of nightly' }).click()
    await expect.element(alertOf()).toHaveTextContent('Failed to copy to clipboard.')
  })

  test('leads from a ready snapshot, and from no other, to a new disk', async ({ project }) => {
    const of = { project_id: project.id }
    answer(vmSnapshotApi.list, 200, [
      makeVmSnapshot('before upgrade', { ...of, id: 'snap-1' }),
      makeVmSnapshot('torn', { ...of, status: 'failed' }),
      makeVmSnapshot('coming', { ...of, status: 'creating' }),
    ])
    await visit(snapshotListPath(project.id))
    for (const name of ['torn', 'coming']) {
      for (const action of [`Create New Disk from ${name}`, `Restore VM from ${name}`]) {
        await expect.element(page.getByRole('button', { name: action })).toBeDisabled()
        await expect
          .element(page.getByRole('button', { name: action }))
          .toHaveAccessibleDescription('Snapshot is not ready')
      }
    }
    await expect.element(page.getByRole('button', { name: 'Delete coming' })).toBeDisabled()
    // A sign that does nothing now does not look as if it did.
    const colourOf = (name: string) => getComputedStyle(page.getByRole('button', { name }).element()).color
    expect(colourOf('Delete coming')).not.toBe(colourOf('Delete torn'))
    const create = page.getByRole('link', { name: 'Create New Disk from before upgrade' })
    // In words, not as a sign alone.
    await expect.element(create).toHaveTextContent('Create New Disk')
    await create.click()
    await expect
      .poll(address)
      .toBe(
        `/projects/${project.id}/disks/create?source=SNAPSHOT&snapshot=before%20upgrade&snapshot_id=snap-1`,
      )
    await expect.element(page.getByRole('combobox', { name: 'Source' })).toMatchTextContent('From Snapshot')
    await expect.element(page.getByLabelText('Snapshot Name')).toHaveValue('before upgrade')
  })

  test('deletes a snapshot after a question, and tells what came of it', async ({ project, makeVm }) => {
    await take(await makeVm('engine', 'running'))
    await visit(snapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Delete Snapshot' })
    const agree = () => dialog.getByRole('button', { name: 'Delete Snapshot' }).click()
    await page.getByRole('button', { name: 'Delete nightly' }).click()
    await expect
      .element(dialog)
      .toMatchTextContent(
        'Are you sure you want to delete snapshot "nightly"? Disks created from it are kept. This action cannot be undone.',
      )
    const silent = answer(vmSnapshotApi.delete, 500)
    await agree()
    await expect.element(alertOf()).toHaveTextContent('Failed to delete snapshot. Please try again.')
    await expect
      .element(dialog.getByRole('alert'))
      .toHaveTextContent('Failed to delete snapshot. Please try again.')
    await silent.end()
    const used = answer(vmSnapshotApi.delete, 409, {
      message: 'Snapshot is in use. Please try again later.',
    })
    await agree()
    await expect
      .element(alertOf())
      .toHaveTextContent(
        'Failed to delete snapshot. Please try again.Snapshot is in use. Please try again later.',
      )
    await used.end()
    const { letGo } = hold(vmSnapshotApi.delete)
    await agree()
    await expect.element(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect.element(toasts().getByRole('status')).toMatchTextContent('Snapshot deleted successfully')
    await expect.element(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect
      .poll(() => call(vmSnapshotApi.list, { params: { projectId: project.id }, query: {} }))
      .toEqual([])
  })

  test('restores a VM after a question, tells what came of it, and keeps what was', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const snapshot = await take(vm)
    const calls = callsOf(vmSnapshotApi.restore)
    await visit(snapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Restore VM' })
    const agree = () => dialog.getByRole('button', { name: 'Restore VM' }).click()
    await page.getByRole('button', { name: 'Restore VM from nightly' }).click()
    await expect
      .element(dialog)
      .toMatchTextContent(
        'Restore VM "engine" from snapshot "nightly"? This overwrites the current VM state.',
      )
    await expect
      .element(dialog)
      .toMatchTextContent(
        `The disks return to their content of ${shownMoment(snapshot.created_at)}, and the VM restarts.`,
      )
    await expect.element(dialog).toMatchTextContent('kept for a day as an automatic snapshot')
    const silent = answer(vmSnapshotApi.restore, 500)
    await agree()
    await expect.element(alertOf()).toHaveTextContent('Failed to restore VM. Please try again.')
    await silent.end()
    const refused = answer(vmSnapshotApi.restore, 409, { message: 'Snapshot is not ready' })
    await agree()
    await expect
      .element(alertOf())
      .toHaveTextContent('Failed to restore VM. Please try again.Snapshot is not ready')
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('Snapshot is not ready')
    await refused.end()
    await agree()
    await expect.element(page.getByRole('button', { name: 'Restore VM from nightly' })).toBeDisabled()
    await expect
      .element(toasts().getByRole('status'))
      .toHaveTextContent('VM restoration started successfully!')
    expect(calls.at(-1)?.body).toEqual({ vm_id: vm.id })
    await expect.element(rowOf('Before restoring "nightly"')).toMatchTextContent('Automatic')
    await rowOf('nightly').getByRole('link', { name: 'engine' }).click()
    await expect.poll(address).toBe(vmPath(vm))
    await expect.element(page.getByRole('region', { name: 'Facts' })).toMatchTextContent('Running')
  })

  test('says why a VM cannot be restored, and what a restore leaves alone', async ({ project }) => {
    const ledger = { disk_id: 'd1', name: 'ledger', size: '10Gi' }
    const of = (vm_id: string, more: Partial<VmSnapshot> = {}) => ({ vm_id, disks: [ledger], ...more })
    const vm = (id: string, status: string, disks: unknown[] = [ledger]) => ({
      id,
      project_id: project.id,
      name: id,
      status,
      status_since: new Date().toISOString(),
      persistent: false,
      disks,
    })
    answer(vmSnapshotApi.list, 200, [
      makeVmSnapshot('orphan', of('gone')),
      makeVmSnapshot('early', of('coming')),
      makeVmSnapshot('warm', of('bare', { has_memory: true })),
      makeVmSnapshot('cold', of('bare')),
    ])
    answer(vmApi.list, 200, [
      vm('coming', 'starting'),
      vm('bare', 'stopped', [{ disk_id: 'd2', name: 'journal', size: '1Gi' }]),
    ])
    await visit(snapshotListPath(project.id))
    for (const [name, reason] of [
      ['orphan', 'The VM of this snapshot no longer exists'],
      ['early', 'VM cannot be restored while it is starting'],
      ['warm', 'Disk "ledger" of this snapshot is no longer attached to the VM'],
    ] as const) {
      const restore = page.getByRole('button', { name: `Restore VM from ${name}` })
      await expect.element(restore).toBeDisabled()
      await expect.element(restore).toHaveAccessibleDescription(reason)
    }
    await expect.element(rowOf('orphan')).toMatchTextContent('engine (deleted)')
    await expect.element(rowOf('early')).toMatchTextContent('Starting')
    await page.getByRole('button', { name: 'Restore VM from cold' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect
      .element(dialog)
      .toMatchTextContent(
        'Disk "ledger" of this snapshot is no longer attached to the VM and is not changed.',
      )
    await expect
      .element(dialog)
      .toMatchTextContent('Disk "journal" is not in this snapshot and is not changed.')
    await expect.element(dialog).toMatchTextContent('the root disk is reset when the VM stops or restarts')
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('button', { name: 'Restore VM from cold' })).toHaveFocus()
  })

  test('that does not load is empty, says why, and can be tried again', async ({ project, makeVm }) => {
    await take(await makeVm('engine', 'running'))
    const silent = answer(vmSnapshotApi.list, 500)
    await visit(snapshotListPath(project.id))
    const alert = page.getByRole('main').getByRole('alert')
    await expect.element(alert).toMatchTextContent('Failed to load snapshots')
    await expect.poll(() => page.getByRole('article').elements()).toHaveLength(0)
    await silent.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(rowOf('nightly')).toBeVisible()
    const spoken = answer(vmSnapshotApi.list, 503, { message: 'The engine is away' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(alert).toMatchTextContent('The engine is away')
    await expect.poll(() => page.getByRole('article').elements()).toHaveLength(0)
    await spoken.end()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(rowOf('nightly')).toBeVisible()
  })

  test('shows a snapshot that is made elsewhere, and says aloud that it is ready', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    // Else the snapshot may be ready before the page hears of it.
    const hears = streamOfItsOwn()
    await visit(snapshotListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await hears
    expect(saidAloud()).not.toContain('nightly is ready')
    await take(vm)
    await expect.element(rowOf('nightly').getByText('Ready', { exact: true })).toBeVisible()
    await expect.poll(saidAloud).toContain('nightly is ready')
  })
})
