import type { Page } from '@playwright/test'
import {
  operationApi,
  type Vm,
  type VmSnapshot,
  type VmSnapshotCreate,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { copied, refuseCopies } from './clipboard.ts'
import { shownMoment } from './dates.ts'
import { type Call, expect, often, test } from './fixtures.ts'
import { answer, callsOf, hold, makeVmSnapshot } from './network.ts'
import { snapshotCreatePath, snapshotListPath, snapshotPath, vmListPath, vmPath } from './paths.ts'
import { choose, dismissToasts, toasts } from './sentences.ts'

const rowOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()

/** Takes a snapshot of a VM and waits until it is ready. */
async function take(call: Call, vm: Vm, body: Partial<VmSnapshotCreate> = {}): Promise<VmSnapshot> {
  const made = await call(vmSnapshotApi.create, {
    params: { projectId: vm.project_id, vmId: vm.id },
    body: { name: 'nightly', snapshot_type: 'disk', retention_days: 30, ...body },
  })
  let snapshot: VmSnapshot | undefined
  await expect
    .poll(async () => {
      const all = await call(vmSnapshotApi.list, { params: { projectId: vm.project_id }, query: {} })
      snapshot = all.find(({ id }) => id === made.id)
      return snapshot?.status
    }, often)
    .toBe('ready')
  if (!snapshot) throw new Error('The snapshot is gone')
  return snapshot
}

const expectTotals = (page: Page, ...texts: string[]) =>
  expect(page.getByLabel('Snapshots by status').locator('> div')).toHaveText(texts)

test.describe('the list of snapshots', () => {
  test('is empty at first and leads to the form', async ({ page, project }) => {
    await page.goto(snapshotListPath(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Snapshots' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect(page.getByText('Get started by creating your first snapshot')).toBeVisible()
    for (const name of ['Create Snapshot', 'Create Your First Snapshot']) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page).toHaveURL(snapshotCreatePath(project.id))
      await page.goBack()
    }
  })

  test('says that it is loading, and counts by status', async ({ page, project }) => {
    // High enough for all rows: those further down are not in the document.
    await page.setViewportSize({ width: 1280, height: 2000 })
    const words = ['ready', 'completed', 'creating', 'processing', 'pending', 'deleting', 'failed', 'error']
    await answer(
      page,
      vmSnapshotApi.list,
      200,
      // Two of them are words of other servers.
      words.map((status) => makeVmSnapshot(`one ${status}`, { status: status as VmSnapshot['status'] })),
    )
    const { letGo } = await hold(page, vmSnapshotApi.list)
    await page.goto(snapshotListPath(project.id))
    await expect(page.getByText('Loading snapshots...')).toBeVisible()
    letGo()
    await expectTotals(page, 'Total8', 'Ready2', 'Creating3', 'Failed2')
    for (const word of words) {
      const shown = word.charAt(0).toUpperCase() + word.slice(1)
      await expect(rowOf(page, `one ${word}`).getByText(new RegExp(`^${shown}(\\d|$)`))).toBeVisible()
    }
  })

  test('is searched by name, VM, VM id and description, filtered by status, and cleared', async ({
    page,
    project,
  }) => {
    await answer(page, vmSnapshotApi.list, 200, [
      makeVmSnapshot('before upgrade', { vm_name: 'ledger-1', vm_id: 'vm-1' }),
      makeVmSnapshot('nightly', { vm_name: 'checkout', vm_id: 'vm-2', description: 'schema seven' }),
      makeVmSnapshot('weekly', { vm_name: 'checkout', vm_id: 'vm-2', status: 'failed' }),
    ])
    await page.goto(snapshotListPath(project.id))
    const shows = async (...names: string[]) => {
      await expect(page.getByText(`Showing ${names.length} of 3 snapshots`)).toBeVisible()
      await expect(page.getByRole('article')).toHaveCount(names.length)
      for (const name of names) await expect(rowOf(page, name)).toBeVisible()
    }
    await shows('weekly', 'nightly', 'before upgrade')
    await expect(page.getByRole('button', { name: 'Clear Filters' })).toHaveCount(0)
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
    await expect(page.getByRole('option')).toHaveText(['All', 'Ready', 'Creating', 'Failed', 'Error'])
    await page.getByRole('option', { name: 'Error' }).click()
    await expect(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await shows('weekly', 'nightly', 'before upgrade')
    await expect(search).toHaveValue('')
    await choose(page, 'Status', 'Failed')
    await shows('weekly')
  })

  test('shows what each snapshot holds, how far it is or why it failed', async ({ page, project }) => {
    const now = new Date().toISOString()
    const disks = [{ disk_id: 'd', name: 'ledger', size: '10Gi' }]
    const made = makeVmSnapshot('made', {
      project_id: project.id,
      description: 'Before the upgrade',
      consistency: 'frozen',
      size_mb: 1024,
      disks,
    })
    await answer(page, vmSnapshotApi.list, 200, [
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
    await page.goto(snapshotListPath(project.id))
    await expect(rowOf(page, 'made')).toContainText('1.0 GB')
    await expect(rowOf(page, 'made')).toContainText('Disk onlyFile systems frozen')
    await expect(rowOf(page, 'made')).toContainText('Before the upgrade')
    await expect(rowOf(page, 'made')).toContainText(shownMoment(made.created_at))
    await expect(rowOf(page, 'warm')).toContainText('1023 MB')
    await expect(rowOf(page, 'warm')).toContainText('Disk and memory')
    // A stopped VM had no memory, whatever was asked for.
    await expect(rowOf(page, 'cold')).toContainText('Disk onlyAutomaticVM was off')
    await expect(rowOf(page, 'coming')).toContainText('Unknown')
    await expect(rowOf(page, 'coming')).toContainText('45%Saving')
    await expect(rowOf(page, 'coming').getByRole('progressbar')).toHaveAttribute('aria-valuenow', '46')
    await expect(rowOf(page, 'queued')).toContainText('Waiting to start')
    await expect(rowOf(page, 'torn')).toContainText(
      'The host is full. Delete this snapshot and create it again.',
    )
    await rowOf(page, 'made').getByRole('link', { name: 'made', exact: true }).click()
    const details = page.getByRole('region', { name: 'Details' })
    await expect(details).toContainText('Root diskledger')
    await expect(details).toContainText('10Gi')
    await expect(details).toContainText(`30 days, until ${shownMoment(made.expires_at)}`)
    await expect(details).toContainText('wrote out its file systems')
  })

  test('copies the id of a snapshot', async ({ page, project }) => {
    await answer(page, vmSnapshotApi.list, 200, [makeVmSnapshot('nightly', { id: 'snap-1' })])
    await page.goto(snapshotListPath(project.id))
    await page.getByRole('button', { name: 'Copy ID of nightly' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('Copied to clipboard!')
    expect(await copied(page)).toBe('snap-1')
    await refuseCopies(page)
    await page.reload()
    await page.getByRole('button', { name: 'Copy ID of nightly' }).click()
    await expect(alertOf(page)).toHaveText('Failed to copy to clipboard.')
  })

  test('leads from a ready snapshot, and from no other, to a new disk', async ({ page, project }) => {
    const of = { project_id: project.id }
    await answer(page, vmSnapshotApi.list, 200, [
      makeVmSnapshot('before upgrade', { ...of, id: 'snap-1' }),
      makeVmSnapshot('torn', { ...of, status: 'failed' }),
      makeVmSnapshot('coming', { ...of, status: 'creating' }),
    ])
    await page.goto(snapshotListPath(project.id))
    for (const name of ['torn', 'coming']) {
      for (const action of [`Create New Disk from ${name}`, `Restore VM from ${name}`]) {
        await expect(page.getByRole('button', { name: action })).toBeDisabled()
        await expect(page.getByRole('button', { name: action })).toHaveAccessibleDescription(
          'Snapshot is not ready',
        )
      }
    }
    await expect(page.getByRole('button', { name: 'Delete coming' })).toBeDisabled()
    // A sign that does nothing now does not look as if it did.
    const colourOf = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).color)
    expect(await colourOf('Delete coming')).not.toBe(await colourOf('Delete torn'))
    const create = page.getByRole('link', { name: 'Create New Disk from before upgrade' })
    // In words, not as a sign alone.
    await expect(create).toHaveText('Create New Disk')
    await create.click()
    await expect(page).toHaveURL(
      `/projects/${project.id}/disks/create?source=SNAPSHOT&snapshot=before%20upgrade&snapshot_id=snap-1`,
    )
    await expect(page.getByRole('combobox', { name: 'Source' })).toContainText('From Snapshot')
    await expect(page.getByLabel('Snapshot Name')).toHaveValue('before upgrade')
  })

  test('deletes a snapshot after a question, and tells what came of it', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    await take(call, await makeVm('engine', 'running'))
    await page.goto(snapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Delete Snapshot' })
    const agree = () => dialog.getByRole('button', { name: 'Delete Snapshot' }).click()
    await page.getByRole('button', { name: 'Delete nightly' }).click()
    await expect(dialog).toContainText(
      'Are you sure you want to delete snapshot "nightly"? Disks created from it are kept. This action cannot be undone.',
    )
    const silent = await answer(page, vmSnapshotApi.delete, 500)
    await agree()
    await expect(alertOf(page)).toHaveText('Failed to delete snapshot. Please try again.')
    await expect(dialog.getByRole('alert')).toHaveText('Failed to delete snapshot. Please try again.')
    await silent.end()
    const used = await answer(page, vmSnapshotApi.delete, 409, {
      message: 'Snapshot is in use. Please try again later.',
    })
    await agree()
    await expect(alertOf(page)).toHaveText(
      'Failed to delete snapshot. Please try again.Snapshot is in use. Please try again later.',
    )
    await used.end()
    const { letGo } = await hold(page, vmSnapshotApi.delete)
    await agree()
    await expect(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toContainText('Snapshot deleted successfully')
    await expect(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await expect
      .poll(() => call(vmSnapshotApi.list, { params: { projectId: project.id }, query: {} }))
      .toEqual([])
  })

  test('restores a VM after a question, tells what came of it, and keeps what was', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('engine', 'running')
    const snapshot = await take(call, vm)
    const calls = callsOf(page, vmSnapshotApi.restore)
    await page.goto(snapshotListPath(project.id))
    const dialog = page.getByRole('alertdialog', { name: 'Restore VM' })
    const agree = () => dialog.getByRole('button', { name: 'Restore VM' }).click()
    await page.getByRole('button', { name: 'Restore VM from nightly' }).click()
    await expect(dialog).toContainText(
      'Restore VM "engine" from snapshot "nightly"? This overwrites the current VM state.',
    )
    await expect(dialog).toContainText(
      `The disks return to their content of ${shownMoment(snapshot.created_at)}, and the VM restarts.`,
    )
    await expect(dialog).toContainText('kept for a day as an automatic snapshot')
    const silent = await answer(page, vmSnapshotApi.restore, 500)
    await agree()
    await expect(alertOf(page)).toHaveText('Failed to restore VM. Please try again.')
    await silent.end()
    const refused = await answer(page, vmSnapshotApi.restore, 409, { message: 'Snapshot is not ready' })
    await agree()
    await expect(alertOf(page)).toHaveText('Failed to restore VM. Please try again.Snapshot is not ready')
    await expect(dialog.getByRole('alert')).toHaveText('Snapshot is not ready')
    await refused.end()
    await agree()
    await expect(toasts(page).getByRole('status')).toHaveText('VM restoration started successfully!')
    expect(calls.at(-1)?.postDataJSON()).toEqual({ vm_id: vm.id })
    await expect(page.getByRole('button', { name: 'Restore VM from nightly' })).toBeDisabled()
    await expect(rowOf(page, 'Before restoring "nightly"')).toContainText('Automatic')
    await rowOf(page, 'nightly').getByRole('link', { name: 'engine' }).click()
    await expect(page).toHaveURL(vmPath(vm))
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Running')
  })

  test('says why a VM cannot be restored, and what a restore leaves alone', async ({ page, project }) => {
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
    await answer(page, vmSnapshotApi.list, 200, [
      makeVmSnapshot('orphan', of('gone')),
      makeVmSnapshot('early', of('coming')),
      makeVmSnapshot('warm', of('bare', { has_memory: true })),
      makeVmSnapshot('cold', of('bare')),
    ])
    await answer(page, vmApi.list, 200, [
      vm('coming', 'starting'),
      vm('bare', 'stopped', [{ disk_id: 'd2', name: 'journal', size: '1Gi' }]),
    ])
    await page.goto(snapshotListPath(project.id))
    for (const [name, reason] of [
      ['orphan', 'The VM of this snapshot no longer exists'],
      ['early', 'VM cannot be restored while it is starting'],
      ['warm', 'Disk "ledger" of this snapshot is no longer attached to the VM'],
    ] as const) {
      const restore = page.getByRole('button', { name: `Restore VM from ${name}` })
      await expect(restore).toBeDisabled()
      await expect(restore).toHaveAccessibleDescription(reason)
    }
    await expect(rowOf(page, 'orphan')).toContainText('engine (deleted)')
    await expect(rowOf(page, 'early')).toContainText('Starting')
    await page.getByRole('button', { name: 'Restore VM from cold' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog).toContainText(
      'Disk "ledger" of this snapshot is no longer attached to the VM and is not changed.',
    )
    await expect(dialog).toContainText('Disk "journal" is not in this snapshot and is not changed.')
    await expect(dialog).toContainText('the root disk is reset when the VM stops or restarts')
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Restore VM from cold' })).toBeFocused()
  })

  test('that does not load is empty, says why, and can be tried again', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    await take(call, await makeVm('engine', 'running'))
    const silent = await answer(page, vmSnapshotApi.list, 500)
    await page.goto(snapshotListPath(project.id))
    const alert = page.getByRole('main').getByRole('alert')
    await expect(alert).toContainText('Failed to load snapshots')
    await expect(page.getByRole('article')).toHaveCount(0)
    await silent.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(rowOf(page, 'nightly')).toBeVisible()
    const spoken = await answer(page, vmSnapshotApi.list, 503, { message: 'The engine is away' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(alert).toContainText('The engine is away')
    await expect(page.getByRole('article')).toHaveCount(0)
    await spoken.end()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(rowOf(page, 'nightly')).toBeVisible()
  })

  test('shows a snapshot that is made elsewhere, and says aloud that it is ready', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(snapshotListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No snapshots found' })).toBeVisible()
    await take(call, vm)
    await expect(rowOf(page, 'nightly').getByText('Ready', { exact: true })).toBeVisible()
    await expect(page.locator('[aria-live=polite]').getByText('nightly is ready')).toBeAttached()
  })
})

test.describe('the form of a snapshot', () => {
  const nameOf = (page: Page) => page.getByLabel('Snapshot Name')
  const retentionOf = (page: Page) => page.getByLabel('Retention Period')
  const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Snapshot' })

  test('asks for the disks and 30 days unless told otherwise, and the list says that it is made', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('engine', 'running')
    const calls = callsOf(page, vmSnapshotApi.create)
    const { letGo } = await hold(page, vmSnapshotApi.create)
    await page.goto(snapshotCreatePath(project.id))
    await expect(page.getByRole('radio', { name: 'Disk only' })).toBeChecked()
    await expect(retentionOf(page)).toHaveValue('30')
    await expect(retentionOf(page)).toHaveAttribute('min', '1')
    await expect(retentionOf(page)).toHaveAttribute('max', '365')
    await nameOf(page).fill(' nightly ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    const lists = callsOf(page, vmSnapshotApi.list)
    letGo()
    await expect(page).toHaveURL(snapshotListPath(project.id))
    await expect(toasts(page).getByRole('status')).toHaveText('Snapshot "nightly" created successfully!')
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    await expect(rowOf(page, 'nightly').getByText('Ready', { exact: true })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      {
        name: 'nightly',
        snapshot_type: 'disk',
        retention_days: 30,
        skip_memory_snapshot: true,
        metadata: { created_by: 'ui', created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
      },
    ])
    expect(new URL(calls[0]?.url() ?? '').pathname).toBe(`/api/projects/${project.id}/vms/${vm.id}/snapshots`)
    const [made] = await call(vmSnapshotApi.list, { params: { projectId: project.id }, query: {} })
    expect(made).toMatchObject({ name: 'nightly', vm_id: vm.id, vm_name: 'engine', has_memory: false })
    // Once only: the browser keeps what a navigation brought.
    await page.reload()
    await expect(rowOf(page, 'nightly')).toBeVisible()
    await expect(toasts(page).getByRole('status')).toHaveCount(0)
  })

  test('asks for the memory as well, which a stopped VM does not have', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const warm = await makeVm('warm', 'running')
    const cold = await makeVm('cold', 'running')
    await call(vmApi.stop, { params: { projectId: project.id, vmId: cold.id }, body: { force: true } })
    const calls = callsOf(page, vmSnapshotApi.create)
    for (const vm of [warm, cold]) {
      await page.goto(`${snapshotCreatePath(project.id)}?vm=${vm.id}`)
      await nameOf(page).fill(`full ${vm.name}`)
      await page.getByLabel('Description').fill('Everything')
      await page.getByRole('radio', { name: 'Full: disk plus memory' }).check()
      const holds = page.getByRole('region', { name: 'Snapshot content' })
      await expect(holds.getByText('Memory', { exact: true })).toHaveCount(vm === warm ? 1 : 0)
      await expect(
        page.getByText(
          'This VM is stopped, so there is no memory to save: the snapshot will contain its disks only.',
        ),
      ).toHaveCount(vm === cold ? 1 : 0)
      await submitOf(page).click()
      await expect(rowOf(page, `full ${vm.name}`)).toContainText('Ready')
    }
    await expect(rowOf(page, 'full warm')).toContainText('Disk and memory')
    await expect(rowOf(page, 'full cold')).toContainText('Disk onlyVM was off')
    for (const one of calls) {
      expect(one.postDataJSON()).toMatchObject({
        description: 'Everything',
        snapshot_type: 'full',
        skip_memory_snapshot: false,
      })
    }
    expect(calls).toHaveLength(2)
  })

  test('offers running and stopped VMs, and begins with the one of its address or the first', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine')
    const vms = ['pending', 'starting', 'running', 'stopping', 'stopped', 'failed', 'error'].map(
      (status) => ({
        ...vm,
        id: status,
        name: `one ${status}`,
        status,
      }),
    )
    await answer(page, vmApi.list, 200, vms)
    await page.goto(snapshotCreatePath(project.id))
    const chosen = page.getByRole('combobox', { name: 'VM' })
    await expect(chosen).toContainText('one running')
    await chosen.click()
    await expect(page.getByRole('option')).toHaveText(['one runningrunning', 'one stoppedstopped'])
    await page.keyboard.press('Escape')
    await page.goto(`${snapshotCreatePath(project.id)}?vm=stopped`)
    await expect(chosen).toContainText('one stopped')
    await page.goto(`${snapshotCreatePath(project.id)}?vm=starting`)
    await expect(chosen).toContainText('one running')
  })

  test('does not change the VM behind the back of whoever chose it', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    await makeVm('first', 'running')
    const second = await makeVm('second', 'running')
    await page.goto(`${snapshotCreatePath(project.id)}?vm=${second.id}`)
    await nameOf(page).fill('nightly')
    const chosen = page.getByRole('combobox', { name: 'VM' })
    await expect(chosen).toContainText('second')
    await call(vmApi.delete, { params: { projectId: project.id, vmId: second.id } })
    await expect(chosen).toHaveText('Choose a VM')
    await expect(submitOf(page)).toHaveAccessibleDescription('Please select a VM')
    await choose(page, 'VM', 'first')
    await expect(submitOf(page)).toBeEnabled()
  })

  test('says one rule at a time beside the button', async ({ page, project, makeVm }) => {
    await makeVm('engine', 'running')
    const calls = callsOf(page, vmSnapshotApi.create)
    await page.goto(snapshotCreatePath(project.id))
    await expect(page.getByRole('combobox', { name: 'VM' })).toContainText('engine')
    const told = async (text: string) => {
      await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
      await expect(submitOf(page)).toBeDisabled()
      await expect(submitOf(page)).toHaveAccessibleDescription(text)
      await nameOf(page).press('Enter')
      await expect(alertOf(page)).toHaveText(text)
    }
    await told('Please enter a snapshot name')
    await nameOf(page).fill('   ')
    await told('Please enter a snapshot name')
    await nameOf(page).fill('nightly')
    for (const days of ['0', '366']) {
      await retentionOf(page).fill(days)
      await told('Retention must be between 1 and 365 days')
      await expect(retentionOf(page)).toHaveAccessibleDescription('Retention must be between 1 and 365 days')
    }
    expect(calls).toEqual([])
    await retentionOf(page).fill('')
    await expect(retentionOf(page)).toHaveValue('30')
    await expect(submitOf(page)).toBeEnabled()
    // What took the place of nothing is selected.
    await retentionOf(page).pressSequentially('7')
    await expect(retentionOf(page)).toHaveValue('7')
    await retentionOf(page).press('Enter')
    await expect(page).toHaveURL(snapshotListPath(project.id))
    expect(calls[0]?.postDataJSON()).toMatchObject({ retention_days: 7 })
  })

  test('stays as it is when the snapshot is not created, and says why', async ({ page, project, makeVm }) => {
    await makeVm('engine', 'running')
    await page.goto(snapshotCreatePath(project.id))
    await nameOf(page).fill('nightly')
    for (const [status, body, text] of [
      [500, {}, 'Failed to create snapshot. Please try again.'],
      [null, {}, 'Failed to create snapshot. Please try again.'],
      [409, { message: 'VM must be running or stopped to create a snapshot' }, null],
    ] as const) {
      const { end } = await answer(page, vmSnapshotApi.create, status, body)
      await submitOf(page).click()
      await expect(alertOf(page)).toHaveText(text ?? 'VM must be running or stopped to create a snapshot')
      await dismissToasts(page)
      await expect(nameOf(page)).toHaveValue('nightly')
      await end()
    }
    await expect(page).toHaveURL(snapshotCreatePath(project.id))
  })

  test('tells what came of it although one has gone elsewhere', async ({ page, project, makeVm }) => {
    await makeVm('engine', 'running')
    const { letGo } = await hold(page, vmSnapshotApi.create)
    await page.goto(snapshotCreatePath(project.id))
    await nameOf(page).fill('nightly')
    await submitOf(page).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page).toHaveURL('/templates')
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText('Snapshot "nightly" created successfully!')
    await expect(page).toHaveURL('/templates')
  })

  test('says that VMs do not load, or that there is none to choose', async ({ page, project }) => {
    const { end } = await answer(page, vmApi.list, 500)
    await page.goto(snapshotCreatePath(project.id))
    await expect(page.getByText('Failed to load VMs. Please try again.')).toBeVisible()
    await expect(submitOf(page)).toBeDisabled()
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    const none = 'No VMs available for snapshot creation. VMs must be in running or stopped state.'
    await expect(page.getByText(none)).toBeVisible()
    await expect(page.getByText('Failed to load VMs.')).toHaveCount(0)
    await nameOf(page).fill('nightly')
    await expect(submitOf(page)).toHaveAccessibleDescription('Please select a VM')
    // What was typed would be asked about.
    await nameOf(page).fill('')
    await page.getByRole('link', { name: 'View VMs' }).click()
    await expect(page).toHaveURL(vmListPath(project.id))
  })

  test('leads back to the list', async ({ page, project }) => {
    for (const name of ['Back to Snapshots', 'Cancel']) {
      await page.goto(snapshotCreatePath(project.id))
      await page.getByRole('link', { name }).click()
      await expect(page).toHaveURL(snapshotListPath(project.id))
    }
  })
})

test.describe('the page of a VM', () => {
  test('shows its newest snapshots, and restores from there', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    await expect(
      page.getByText('No snapshots yet. Take one to be able to restore this VM later.'),
    ).toBeVisible()
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) await take(call, vm, { name })
    const section = page.getByRole('list').filter({ hasText: 'six' })
    await expect(section.getByRole('listitem')).toHaveText([/^six/, /^five/, /^four/, /^three/, /^two/])
    await page.getByRole('link', { name: 'View all 6' }).click()
    await expect(page).toHaveURL(`${snapshotListPath(project.id)}?search=${vm.id}`)
    await expect(page.getByText('Showing 6 of 6 snapshots')).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'Restore VM from six' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Restore VM' })
    await dialog.getByRole('button', { name: 'Restore VM' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM restoration started successfully!')
    await expect(page.getByRole('listitem').filter({ hasText: 'Before restoring "six"' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Restore VM from six' })).toBeEnabled()
  })

  test('leads to a new snapshot, as do the menus of a VM, where it can be made', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const target = `${snapshotCreatePath(project.id)}?vm=${vm.id}`
    await page.goto(vmPath(vm))
    await page.getByRole('link', { name: 'Create Snapshot' }).click()
    await expect(page).toHaveURL(target)
    for (const path of [vmPath(vm), vmListPath(project.id)]) {
      await page.goto(path)
      await page.getByRole('button', { name: 'More actions for engine' }).click()
      await page.getByRole('menuitem', { name: 'Create Snapshot' }).click()
      await expect(page).toHaveURL(target)
    }
    const failed = await makeVm('fault-crash', 'failed')
    await page.goto(vmPath(failed))
    const reason = 'VM must be running or stopped to create a snapshot'
    await expect(page.getByRole('button', { name: 'Create Snapshot' })).toHaveAccessibleDescription(reason)
    await page.getByRole('button', { name: 'More actions for fault-crash' }).click()
    await expect(page.getByRole('menuitem', { name: 'Create Snapshot' })).toContainText(reason)
  })
})

test.describe('the page of a snapshot', () => {
  test('shows how far it is, with a way to cancel, and later what it contains and a way back', async ({
    page,
    project,
  }) => {
    const coming = makeVmSnapshot('nightly', {
      project_id: project.id,
      description: 'Before the upgrade',
      status: 'creating',
      progress: 0.4,
    })
    const operation = {
      id: 'nightly',
      project_id: project.id,
      action: 'vmSnapshot.create',
      object: { type: 'vm_snapshot', id: 'nightly', name: 'nightly' },
      state: 'running',
      position: null,
      message: null,
      progress: 0.4,
      requested_at: coming.created_at,
      started_at: coming.created_at,
      can_cancel: true,
    }
    await answer(page, operationApi.list, 200, [operation])
    const list = await answer(page, vmSnapshotApi.list, 200, [coming])
    await page.goto(snapshotPath(coming))
    await expect(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText('Before the upgrade')
    await expect(page.getByRole('main')).toContainText('40% Saving.')
    await expect(page.getByRole('button', { name: 'Restore VM' })).toHaveAccessibleDescription(
      'Snapshot is not ready',
    )
    await page.getByRole('button', { name: 'Cancel: Create VM snapshot nightly' }).click()
    await expect(page.getByRole('alertdialog', { name: 'Cancel operation' })).toBeVisible()
    await page.keyboard.press('Escape')
    await list.end()
    // The server has none.
    await page.reload()
    await expect(page.getByRole('heading', { name: 'This snapshot does not exist' })).toBeVisible()
    await page.getByRole('link', { name: 'View Snapshots' }).click()
    await expect(page).toHaveURL(snapshotListPath(project.id))
  })

  test('asks before it restores or deletes, and leads to the list after that', async ({
    page,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('engine', 'running')
    const snapshot = await take(call, vm)
    await page.goto(snapshotPath(snapshot))
    await expect(page.getByRole('region', { name: 'Details' })).toContainText('Root disk')
    await page.getByRole('button', { name: 'Restore VM' }).click()
    await expect(page.getByRole('alertdialog')).toContainText('Restore VM "engine" from snapshot "nightly"?')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Snapshot' }).click()
    await expect(page).toHaveURL(snapshotListPath(vm.project_id))
    await expect(rowOf(page, 'nightly')).toHaveCount(0)
  })
})
