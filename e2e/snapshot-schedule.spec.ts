import type { Page } from '@playwright/test'
import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { callsOf } from './network.ts'
import { diskPath, vmPath } from './paths.ts'

const sectionOf = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Snapshot schedule' }) })
const dialogOf = (page: Page) => page.getByRole('dialog', { name: /snapshot schedule/ })

test.describe('the snapshot schedule of a VM', () => {
  test('is set, changed and deleted on its page', async ({ page, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    const calls = callsOf(page, vmSnapshotScheduleApi.set)
    await page.goto(vmPath(vm))
    const section = sectionOf(page)
    await expect(section).toContainText('No snapshots are taken automatically.')
    await expectAccessible(page)
    await section.getByRole('button', { name: 'Set Schedule' }).click()
    const dialog = dialogOf(page)
    await expect(page).toHaveURL(/dialog=snapshot-schedule/)
    await expect(dialog.getByRole('checkbox', { name: 'Daily' })).toBeChecked()
    await expectAccessible(page)
    await dialog.getByRole('checkbox', { name: 'Daily' }).uncheck()
    await expect(dialog.getByRole('status')).toHaveText('Choose hourly, daily or weekly snapshots')
    await dialog.getByRole('checkbox', { name: 'Weekly' }).check()
    await dialog.getByLabel('Keep').fill('99')
    await expect(dialog.getByRole('status')).toHaveText('Keep between 1 and 52 weekly snapshots')
    await dialog.getByLabel('Keep').fill('2')
    await dialog.getByLabel('Time', { exact: true }).fill('04:30')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(section).toContainText('Weekly on Sunday at 04:30, keeps 2')
    await expect(section).toContainText(/Next: .+4:30/)
    const weekly = { weekday: 'sunday', time: '04:30', keep: 2 }
    expect(calls.at(-1)?.postDataJSON()).toMatchObject({ weekly, daily: null, time_zone: 'UTC' })
    await expectAccessible(page)

    await section.getByRole('button', { name: 'Change Schedule' }).click()
    await dialog.getByRole('checkbox', { name: 'Paused' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(section).toContainText('Paused. No snapshots are taken.')

    await section.getByRole('button', { name: 'Delete snapshot schedule' }).click()
    await page.getByRole('button', { name: 'Delete Schedule' }).click()
    await expect(section).toContainText('No snapshots are taken automatically.')
  })

  test('says what was missed, what failed and what is kept', async ({ page, makeVm, call }) => {
    const vm = await makeVm('loom', 'running')
    const params = { projectId: vm.project_id, vmId: vm.id }
    const daily = { time: '03:00', keep: 7 }
    const schedule = await call(vmSnapshotScheduleApi.set, { params, body: { daily } })
    const at = '2026-11-24T03:00:00.000Z'
    const until = '2026-11-25T03:00:00.000Z'
    await page.route(/\/snapshot-schedule$/, (route) =>
      route.fulfill({
        json: {
          ...schedule,
          last: { due_at: until, outcome: 'failed', snapshot_id: 's', message: 'The host is full.' },
          missed: { count: 2, since: at, until, reason: 'The server was not running at that time.' },
          not_deleted: 'Snapshot is in use. Please try again later.',
        },
      }),
    )
    await page.goto(vmPath(vm))
    const section = sectionOf(page)
    await expect(section).toContainText('The last snapshot failed. The host is full.')
    await expect(section).toContainText(/2 snapshots were missed between .+ The server was not running/)
    await expect(section).toContainText('Older snapshots are kept beyond the number set.')
    await expectAccessible(page)
  })
})

test('a disk has a schedule on its page, too', async ({ page, project, addDisk, call }) => {
  const disk = await addDisk('ledger')
  const params = { projectId: project.id, diskId: disk.id }
  await page.goto(diskPath(disk))
  const section = sectionOf(page)
  await section.getByRole('button', { name: 'Set Schedule' }).click()
  const dialog = dialogOf(page)
  await dialog.getByRole('checkbox', { name: 'Hourly' }).check()
  await dialog.getByLabel('Minute').fill('15')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(section).toContainText('Hourly at minute 15, keeps 24; daily at 03:00, keeps 7')
  await expectAccessible(page)
  expect(await call(diskSnapshotScheduleApi.get, { params })).toMatchObject({
    hourly: { minute: 15, keep: 24 },
    snapshot_type: 'full',
  })
})
