import { type Disk, diskApi } from '@slipway/contract'
import { diskCreatePath, diskListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { makeDisk } from '../../screen/objects.test-kit.ts'
import { address, test, texts, visit } from '../../screen/screen.test-kit.ts'

const cardOf = (name: string) => page.getByRole('article', { name, exact: true })

const attached = (name: string, vm: string, more: Partial<Disk> = {}) =>
  makeDisk(name, 'attached', { vm_id: `id-of-${vm}`, vm_name: vm, ...more })

describe('the list of disks', () => {
  test('is empty at first and leads to the form of a disk', async ({ project }) => {
    const { letGo } = hold(diskApi.list)
    await visit(diskListPath(project.id))
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading disks...')
    letGo()
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect.element(page.getByText('Get started by creating your first disk')).toBeVisible()
    await expect.element(page.getByRole('searchbox')).not.toBeInTheDocument()
    await page.getByRole('link', { name: 'Create Your First Disk' }).click()
    await expect.poll(address).toBe(diskCreatePath(project.id))
    history.back()
    await page.getByRole('link', { name: 'Create Disk' }).click()
    await expect.poll(address).toBe(diskCreatePath(project.id))
  })

  test('counts its disks by status, and failed ones only when there are some', async ({ project }) => {
    const stats = page.getByLabelText('Disks by status')
    const answered = answer(diskApi.list, 200, [
      makeDisk('a'),
      makeDisk('b'),
      attached('c', 'web'),
      makeDisk('d', 'creating'),
      makeDisk('e', 'deleting'),
    ])
    await visit(diskListPath(project.id))
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total', 'Available', 'Attached', 'Creating'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['5', '2', '1', '1'])
    await answered.end()
    answer(diskApi.list, 200, [makeDisk('a', 'failed'), makeDisk('b', 'error')])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total', 'Available', 'Attached', 'Creating', 'Failed'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['2', '0', '0', '0', '2'])
  })

  test('refreshes on request, and is busy meanwhile', async ({ project, addDisk }) => {
    await addDisk('ledger')
    await visit(diskListPath(project.id))
    await expect.element(cardOf('ledger')).toBeVisible()
    const calls = callsOf(diskApi.list)
    const { letGo } = hold(diskApi.list)
    await page.getByRole('button', { name: 'Refresh' }).dblClick()
    await expect.element(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByRole('button', { name: 'Refresh', exact: true })).toBeEnabled()
    expect(calls).toHaveLength(1)
  })

  test('says why it does not load, shows nothing, and can be tried again', async ({ project, addDisk }) => {
    await addDisk('ledger')
    for (const [status, body, text] of [
      [403, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to load disks'],
      [null, {}, 'Failed to load disks'],
    ] as const) {
      const { end } = answer(diskApi.list, status, body)
      await visit(diskListPath(project.id))
      await expect.element(page.getByRole('main').getByRole('alert')).toMatchTextContent(text)
      expect(page.getByRole('article').elements()).toEqual([])
      await expect.element(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await end()
      await page.getByRole('button', { name: 'Try Again' }).click()
      await expect.element(cardOf('ledger')).toBeVisible()
    }
    // A refresh that fails empties the list as well.
    answer(diskApi.list, 500)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(page.getByRole('main').getByRole('alert')).toMatchTextContent('Failed to load disks')
    expect(page.getByRole('article').elements()).toEqual([])
  })
})
