import { vmApi, vmSnapshotApi } from '@slipway/contract'
import { snapshotCreatePath, snapshotListPath, vmListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import {
  address,
  call,
  choose,
  press,
  reload,
  settled,
  test,
  tick,
  visit,
} from '../../screen/screen.test-kit.ts'
import {
  expectCount,
  expectFailures,
  expectRule,
  expectText,
  expectTexts,
  expectToast,
  newestAlert,
  said,
  toasts,
} from '../../screen/shown.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })

describe('the form of a snapshot', () => {
  const nameField = page.getByLabelText('Snapshot Name')
  const retention = page.getByLabelText('Retention Period')
  const submit = page.getByRole('button', { name: 'Create Snapshot' })

  test('asks for the disks and 30 days unless told otherwise, and the list says that it is made', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const calls = callsOf(vmSnapshotApi.create)
    const { letGo } = hold(vmSnapshotApi.create)
    await visit(snapshotCreatePath(project.id))
    await expect.element(page.getByRole('radio', { name: 'Disk only' })).toBeChecked()
    await expect.element(retention).toHaveValue(30)
    await expect.element(retention).toHaveAttribute('min', '1')
    await expect.element(retention).toHaveAttribute('max', '365')
    await nameField.fill(' nightly ')
    await submit.dblClick()
    await expect.element(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    const lists = callsOf(vmSnapshotApi.list)
    letGo()
    await expect.poll(address).toBe(snapshotListPath(project.id))
    await expectToast('Snapshot "nightly" created successfully!')
    await expect.poll(() => lists.length).toBeGreaterThan(0)
    await expect.element(rowOf('nightly').getByText('Ready', { exact: true })).toBeVisible()
    expect(calls.map((one) => one.body)).toEqual([
      {
        name: 'nightly',
        snapshot_type: 'disk',
        retention_days: 30,
        skip_memory_snapshot: true,
        metadata: { created_by: 'ui', created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
      },
    ])
    expect(calls[0]?.path).toBe(`/api/projects/${project.id}/vms/${vm.id}/snapshots`)
    const [made] = await call(vmSnapshotApi.list, { params: { projectId: project.id }, query: {} })
    expect(made).toMatchObject({ name: 'nightly', vm_id: vm.id, vm_name: 'engine', has_memory: false })
    // Once only: the browser keeps what a navigation brought.
    await reload()
    await expect.element(rowOf('nightly')).toBeVisible()
    await expectCount(toasts().getByRole('status'), 0)
  })

  test('asks for the memory as well, which a stopped VM does not have', async ({ project, makeVm }) => {
    const warm = await makeVm('warm', 'running')
    const cold = await makeVm('cold', 'running')
    const ofCold = { params: { projectId: project.id, vmId: cold.id } }
    await call(vmApi.stop, { ...ofCold, body: { force: true } })
    await settled('stopped', () => call(vmApi.get, ofCold))
    const noMemory =
      'This VM is stopped, so there is no memory to save: the snapshot will contain its disks only.'
    const calls = callsOf(vmSnapshotApi.create)
    for (const vm of [warm, cold]) {
      await visit(`${snapshotCreatePath(project.id)}?vm=${vm.id}`)
      await nameField.fill(`full ${vm.name}`)
      await page.getByLabelText('Description').fill('Everything')
      const full = page.getByRole('radio', { name: 'Full: disk plus memory' })
      await tick(full)
      const holds = page.getByRole('region', { name: 'Snapshot content' })
      await expectCount(holds.getByText('Memory', { exact: true }), vm === warm ? 1 : 0)
      await expectCount(page.getByText(noMemory), vm === cold ? 1 : 0)
      await submit.click()
      await expectText(rowOf(`full ${vm.name}`), 'Ready')
    }
    await expectText(rowOf('full warm'), 'Disk and memory')
    await expectText(rowOf('full cold'), 'Disk onlyVM was off')
    for (const one of calls) {
      expect(one.body).toMatchObject({
        description: 'Everything',
        snapshot_type: 'full',
        skip_memory_snapshot: false,
      })
    }
    expect(calls).toHaveLength(2)
  })

  test('offers running and stopped VMs, and begins with the one of its address or the first', async ({
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
    answer(vmApi.list, 200, vms)
    await visit(snapshotCreatePath(project.id))
    const chosen = page.getByRole('combobox', { name: 'VM' })
    await expectText(chosen, 'one running')
    await chosen.click()
    await expectTexts(page.getByRole('option'), ['one runningrunning', 'one stoppedstopped'])
    await userEvent.keyboard('{Escape}')
    await visit(`${snapshotCreatePath(project.id)}?vm=stopped`)
    await expectText(chosen, 'one stopped')
    await visit(`${snapshotCreatePath(project.id)}?vm=starting`)
    await expectText(chosen, 'one running')
  })

  test('does not change the VM behind the back of whoever chose it', async ({ project, makeVm }) => {
    await makeVm('first', 'running')
    const second = await makeVm('second', 'running')
    await visit(`${snapshotCreatePath(project.id)}?vm=${second.id}`)
    await nameField.fill('nightly')
    const chosen = page.getByRole('combobox', { name: 'VM' })
    await expectText(chosen, 'second')
    await call(vmApi.delete, { params: { projectId: project.id, vmId: second.id } })
    await expect.element(chosen).toHaveTextContent('Choose a VM')
    await expect.element(submit).toHaveAccessibleDescription('Please select a VM')
    await choose('VM', /first/)
    await expect.element(submit).toBeEnabled()
  })

  test('says one rule at a time beside the button', async ({ project, makeVm }) => {
    await makeVm('engine', 'running')
    const calls = callsOf(vmSnapshotApi.create)
    await visit(snapshotCreatePath(project.id))
    await expectText(page.getByRole('combobox', { name: 'VM' }), 'engine')
    await expectRule(submit, nameField, 'Please enter a snapshot name')
    await nameField.fill('nightly')
    await retention.fill('366')
    await expectRule(submit, nameField, 'Retention must be between 1 and 365 days')
    await expect.element(retention).toHaveAccessibleDescription('Retention must be between 1 and 365 days')
    expect(calls).toEqual([])
    await retention.fill('')
    await expect.element(retention).toHaveValue(30)
    await expect.element(submit).toBeEnabled()
    // What took the place of nothing is selected.
    await press(retention, '7')
    await expect.element(retention).toHaveValue(7)
    await press(retention, '{Enter}')
    await expect.poll(address).toBe(snapshotListPath(project.id))
    expect(calls[0]?.body).toMatchObject({ retention_days: 7 })
  })

  test('stays as it is when the snapshot is not created, and says why', async ({ project, makeVm }) => {
    await makeVm('engine', 'running')
    await visit(snapshotCreatePath(project.id))
    await nameField.fill('nightly')
    await expectFailures(
      vmSnapshotApi.create,
      () => submit.click(),
      'Failed to create snapshot. Please try again.',
      (text) => expect.element(newestAlert()).toHaveTextContent(text),
    )
    await expect.element(nameField).toHaveValue('nightly')
    await expect.poll(address).toBe(snapshotCreatePath(project.id))
  })

  test('says that VMs do not load, or that there is none to choose', async ({ project }) => {
    const { end } = answer(vmApi.list, 500)
    await visit(snapshotCreatePath(project.id))
    await expect.element(page.getByText('Failed to load VMs. Please try again.')).toBeVisible()
    await expect.element(submit).toBeDisabled()
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    const none = 'No VMs available for snapshot creation. VMs must be in running or stopped state.'
    await expect.element(page.getByText(none)).toBeVisible()
    await expectCount(said('Failed to load VMs.'), 0)
    await nameField.fill('nightly')
    await expect.element(submit).toHaveAccessibleDescription('Please select a VM')
    // What was typed would be asked about.
    await nameField.fill('')
    await page.getByRole('link', { name: 'View VMs' }).click()
    await expect.poll(address).toBe(vmListPath(project.id))
  })
})
