import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from '@slipway/contract'
import { diskPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { address, call, test, tick, visit } from '../../screen/screen.test-kit.ts'

const heading = page.getByRole('heading', { name: 'Snapshot schedule' })
const section = () => heading.query()?.closest('section')
const sectionText = () => section()?.textContent
const dialog = page.getByRole('dialog', { name: /snapshot schedule/ })

async function clickInSection(name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  await expect.poll(() => section()?.contains(button.query())).toBe(true)
  await button.click()
}

describe('the snapshot schedule of a VM', () => {
  test('is set, changed and deleted on its page', async ({ makeVm }) => {
    const vm = await makeVm('loom', 'running')
    const calls = callsOf(vmSnapshotScheduleApi.set)
    await visit(vmPath(vm))
    await expect.poll(sectionText).toContain('No snapshots are taken automatically.')
    await clickInSection('Set Schedule')
    await expect.poll(address).toMatch(/dialog=snapshot-schedule/)
    await expect.element(dialog.getByRole('checkbox', { name: 'Daily' })).toBeChecked()
    await tick(dialog.getByRole('checkbox', { name: 'Daily' }), false)
    await expect
      .element(dialog.getByRole('status'))
      .toHaveTextContent('Choose hourly, daily or weekly snapshots')
    await tick(dialog.getByRole('checkbox', { name: 'Weekly' }))
    await dialog.getByLabelText('Keep').fill('2')
    await dialog.getByLabelText('Time', { exact: true }).fill('04:30')
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(sectionText).toContain('Weekly on Sunday at 04:30, keeps 2')
    await expect.poll(sectionText).toMatch(/Next: .+4:30/)
    const weekly = { weekday: 'sunday', time: '04:30', keep: 2 }
    expect(calls.at(-1)?.body).toMatchObject({ weekly, daily: null, time_zone: 'UTC' })
    await expectAccessible()

    await clickInSection('Change Schedule')
    await tick(dialog.getByRole('checkbox', { name: /Paused/ }))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(sectionText).toContain('Paused. No snapshots are taken.')

    await clickInSection('Delete snapshot schedule')
    await page.getByRole('button', { name: 'Delete Schedule' }).click()
    await expect.poll(sectionText).toContain('No snapshots are taken automatically.')
  })

  test('says what was missed, what failed and what is kept', async ({ makeVm }) => {
    const vm = await makeVm('loom', 'running')
    const params = { projectId: vm.project_id, vmId: vm.id }
    const daily = { time: '03:00', keep: 7 }
    const schedule = await call(vmSnapshotScheduleApi.set, { params, body: { daily } })
    const at = '2026-11-24T03:00:00.000Z'
    const until = '2026-11-25T03:00:00.000Z'
    answer(vmSnapshotScheduleApi.get, 200, {
      ...schedule,
      last: { due_at: until, outcome: 'failed', snapshot_id: 's', message: 'The host is full.' },
      missed: { count: 2, since: at, until, reason: 'The server was not running at that time.' },
      not_deleted: 'Snapshot is in use. Please try again later.',
    })
    await visit(vmPath(vm))
    await expect.poll(sectionText).toContain('The last snapshot failed. The host is full.')
    await expect.poll(sectionText).toMatch(/2 snapshots were missed between .+ The server was not running/)
    await expect.poll(sectionText).toContain('Older snapshots are kept beyond the number set.')
  })
})

test('a disk has a schedule on its page, too', async ({ project, addDisk }) => {
  const disk = await addDisk('ledger')
  const params = { projectId: project.id, diskId: disk.id }
  await visit(diskPath(disk))
  await clickInSection('Set Schedule')
  await tick(dialog.getByRole('checkbox', { name: 'Hourly' }))
  await dialog.getByLabelText('Minute').fill('15')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(sectionText).toContain('Hourly at minute 15, keeps 24; daily at 03:00, keeps 7')
  expect(await call(diskSnapshotScheduleApi.get, { params })).toMatchObject({
    hourly: { minute: 15, keep: 24 },
    snapshot_type: 'full',
  })
})
