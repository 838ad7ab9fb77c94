import { vmApi, vmSnapshotApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmSnapshot } from '@slipway/e2e/objects'
import { snapshotListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { answer, callsOf, streamOfItsOwn } from '../../screen/network.test-kit.ts'
import { address, follow, test, visit } from '../../screen/screen.test-kit.ts'
import { expectDisabled, expectRefused, expectText, expectToast } from '../../screen/shown.test-kit.ts'
import { take } from './vm-snapshot.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })

/** What is said aloud of late. */
const saidAloud = () => document.querySelector('[aria-live=polite]')?.textContent

describe('the list of snapshots', () => {
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
      makeVmSnapshot('torn', { status: 'failed', size_mb: null, status_message: 'The host is full' }),
    ])
    await visit(snapshotListPath(project.id))
    await expectText(rowOf('made'), '1.0 GB', 'Disk onlyFile systems frozen')
    await expectText(rowOf('made'), 'Before the upgrade', shownMoment(made.created_at))
    await expectText(rowOf('warm'), '1023 MB', 'Disk and memory')
    // A stopped VM had no memory, whatever was asked for.
    await expectText(rowOf('cold'), 'Disk onlyAutomaticVM was off')
    await expectText(rowOf('coming'), 'Unknown', '45%Saving')
    await expect.element(rowOf('coming').getByRole('progressbar')).toHaveAttribute('aria-valuenow', '46')
    await expectText(rowOf('torn'), 'The host is full. Delete this snapshot and create it again.')
    await rowOf('made').getByRole('link', { name: 'made', exact: true }).click()
    const details = page.getByRole('region', { name: 'Details' })
    await expectText(details, 'Root diskledger', '10Gi')
    await expectText(details, `30 days, until ${shownMoment(made.expires_at)}`, 'wrote out its file systems')
  })

  test('copies the id of a snapshot', async ({ project }) => {
    answer(vmSnapshotApi.list, 200, [makeVmSnapshot('nightly', { id: 'snap-1' })])
    await visit(snapshotListPath(project.id))
    await expectCopied(page.getByRole('button', { name: 'Copy ID of nightly' }), 'snap-1')
    await expectToast('Copied to clipboard!')
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
        await expectDisabled(page.getByRole('button', { name: action }), 'Snapshot is not ready')
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
    await expectText(
      dialog,
      'Restore VM "engine" from snapshot "nightly"? This overwrites the current VM state.',
    )
    await expectText(
      dialog,
      `The disks return to their content of ${shownMoment(snapshot.created_at)}, and the VM restarts.`,
    )
    await expectText(dialog, 'kept for a day as an automatic snapshot')
    const why = dialog.getByRole('alert')
    await expectRefused(vmSnapshotApi.restore, agree, 'Failed to restore VM. Please try again.', why)
    await agree()
    await expect.element(page.getByRole('button', { name: 'Restore VM from nightly' })).toBeDisabled()
    await expectToast('VM restoration started successfully!')
    expect(calls.at(-1)?.body).toEqual({ vm_id: vm.id })
    await expectText(rowOf('Before restoring "nightly"'), 'Automatic')
    await follow(rowOf('nightly').getByRole('link', { name: 'engine' }), vmPath(vm))
    await expectText(page.getByRole('region', { name: 'Facts' }), 'Running')
  })

  test('says why a VM cannot be restored, and what a restore leaves alone', async ({ project }) => {
    const ledger = { disk_id: 'd1', name: 'ledger', size: '10Gi' }
    const of = (vm_id: string) => ({ vm_id, disks: [ledger] })
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
      makeVmSnapshot('cold', of('bare')),
    ])
    answer(vmApi.list, 200, [
      vm('coming', 'starting'),
      vm('bare', 'stopped', [{ disk_id: 'd2', name: 'journal', size: '1Gi' }]),
    ])
    await visit(snapshotListPath(project.id))
    const restore = page.getByRole('button', { name: 'Restore VM from early' })
    await expectDisabled(restore, 'VM cannot be restored while it is starting')
    await expectText(rowOf('orphan'), 'engine (deleted)')
    await expectText(rowOf('early'), 'Starting')
    await page.getByRole('button', { name: 'Restore VM from cold' }).click()
    const dialog = page.getByRole('alertdialog')
    await expectText(
      dialog,
      'Disk "ledger" of this snapshot is no longer attached to the VM and is not changed.',
    )
    await expectText(dialog, 'Disk "journal" is not in this snapshot and is not changed.')
    await expectText(dialog, 'the root disk is reset when the VM stops or restarts')
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('button', { name: 'Restore VM from cold' })).toHaveFocus()
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
