import { vmApi, vmSnapshotApi } from '@slipway/contract'
import { snapshotCreatePath, snapshotListPath, vmListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import {
  address,
  call,
  choose,
  dismissToasts,
  press,
  reload,
  test,
  texts,
  toasts,
  visit,
} from '../../screen/screen.test-kit.ts'

const rowOf = (name: string) => page.getByRole('article', { name, exact: true })
const alertOf = () => toasts().getByRole('alert').first()

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
    await expect
      .element(toasts().getByRole('status'))
      .toHaveTextContent('Snapshot "nightly" created successfully!')
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
    await expect.poll(() => toasts().getByRole('status').elements()).toHaveLength(0)
  })

  test('asks for the memory as well, which a stopped VM does not have', async ({ project, makeVm }) => {
    const warm = await makeVm('warm', 'running')
    const cold = await makeVm('cold', 'running')
    await call(vmApi.stop, { params: { projectId: project.id, vmId: cold.id }, body: { force: true } })
    await expect
      .poll(async () => (await call(vmApi.get, { params: { projectId: project.id, vmId: cold.id } })).status)
      .toBe('stopped')
    const noMemory =
      'This VM is stopped, so there is no memory to save: the snapshot will contain its disks only.'
    const calls = callsOf(vmSnapshotApi.create)
    for (const vm of [warm, cold]) {
      await visit(`${snapshotCreatePath(project.id)}?vm=${vm.id}`)
      await nameField.fill(`full ${vm.name}`)
      await page.getByLabelText('Description').fill('Everything')
      const full = page.getByRole('radio', { name: 'Full: disk plus memory' })
      await full.click()
      await expect.element(full).toBeChecked()
      const holds = page.getByRole('region', { name: 'Snapshot content' })
      await expect
        .poll(() => holds.getByText('Memory', { exact: true }).elements())
        .toHaveLength(vm === warm ? 1 : 0)
      await expect.poll(() => page.getByText(noMemory).elements()).toHaveLength(vm === cold ? 1 : 0)
      await submit.click()
      await expect.element(rowOf(`full ${vm.name}`)).toMatchTextContent('Ready')
    }
    await expect.element(rowOf('full warm')).toMatchTextContent('Disk and memory')
    await expect.element(rowOf('full cold')).toMatchTextContent('Disk onlyVM was off')
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
    await expect.element(chosen).toMatchTextContent('one running')
    await chosen.click()
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual(['one runningrunning', 'one stoppedstopped'])
    await userEvent.keyboard('{Escape}')
    await visit(`${snapshotCreatePath(project.id)}?vm=stopped`)
    await expect.element(chosen).toMatchTextContent('one stopped')
    await visit(`${snapshotCreatePath(project.id)}?vm=starting`)
    await expect.element(chosen).toMatchTextContent('one running')
  })

  test('does not change the VM behind the back of whoever chose it', async ({ project, makeVm }) => {
    await makeVm('first', 'running')
    const second = await makeVm('second', 'running')
    await visit(`${snapshotCreatePath(project.id)}?vm=${second.id}`)
    await nameField.fill('nightly')
    const chosen = page.getByRole('combobox', { name: 'VM' })
    await expect.element(chosen).toMatchTextContent('second')
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
    await expect.element(page.getByRole('combobox', { name: 'VM' })).toMatchTextContent('engine')
    const told = async (text: string) => {
      await expect.element(page.getByRole('form').getByRole('status')).toHaveTextContent(text)
      await expect.element(submit).toBeDisabled()
      await expect.element(submit).toHaveAccessibleDescription(text)
      await press(nameField, '{Enter}')
      await expect.element(alertOf()).toHaveTextContent(text)
    }
    await told('Please enter a snapshot name')
    await nameField.fill('   ')
    await told('Please enter a snapshot name')
    await nameField.fill('nightly')
    for (const days of ['0', '366']) {
      await retention.fill(days)
      await told('Retention must be between 1 and 365 days')
      await expect.element(retention).toHaveAccessibleDescription('Retention must be between 1 and 365 days')
    }
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
    for (const [status, body, text] of [
      [500, {}, 'Failed to create snapshot. Please try again.'],
      [null, {}, 'Failed to create snapshot. Please try again.'],
      [409, { message: 'VM must be running or stopped to create a snapshot' }, null],
    ] as const) {
      const { end } = answer(vmSnapshotApi.create, status, body)
      await submit.click()
      await expect
        .element(alertOf())
        .toHaveTextContent(text ?? 'VM must be running or stopped to create a snapshot')
      await dismissToasts()
      await expect.element(nameField).toHaveValue('nightly')
      await end()
    }
    await expect.poll(address).toBe(snapshotCreatePath(project.id))
  })

  test('tells what came of it although one has gone elsewhere', async ({ project, makeVm }) => {
    await makeVm('engine', 'running')
    const { letGo } = hold(vmSnapshotApi.create)
    await visit(snapshotCreatePath(project.id))
    await nameField.fill('nightly')
    await submit.click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect.poll(address).toBe('/templates')
    letGo()
    await expect
      .element(toasts().getByRole('status'))
      .toHaveTextContent('Snapshot "nightly" created successfully!')
    await expect.poll(address).toBe('/templates')
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
    await expect
      .poll(() => page.getByText('Failed to load VMs.', { exact: false }).elements())
      .toHaveLength(0)
    await nameField.fill('nightly')
    await expect.element(submit).toHaveAccessibleDescription('Please select a VM')
    // What was typed would be asked about.
    await nameField.fill('')
    await page.getByRole('link', { name: 'View VMs' }).click()
    await expect.poll(address).toBe(vmListPath(project.id))
  })

  test('leads back to the list', async ({ project }) => {
    for (const name of ['Back to Snapshots', 'Cancel']) {
      await visit(snapshotCreatePath(project.id))
      await page.getByRole('link', { name }).click()
      await expect.poll(address).toBe(snapshotListPath(project.id))
    }
  })
})
