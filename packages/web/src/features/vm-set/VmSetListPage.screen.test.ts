import { vmSetApi } from '@slipway/contract'
import { makeVmSet } from '@slipway/e2e/objects'
import { vmSetCreatePath, vmSetListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { address, test, texts, visit } from '../../screen/screen.test-kit.ts'

describe('the list of VM sets', () => {
  test('is empty at first, sums up its sets, and says why it does not load', async ({ project }) => {
    const { letGo } = hold(vmSetApi.list)
    await visit(vmSetListPath(project.id))
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading VM Sets...')
    letGo()
    await expect.element(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
    const stats = page.getByLabelText('VM sets in numbers')
    await expect.element(stats).not.toBeInTheDocument()
    for (const link of ['Create Set', 'Create VM Set']) {
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
      await expect.poll(address).toBe(vmSetCreatePath(project.id))
      history.back()
    }
    const sets = [
      makeVmSet('web', { vm_stats: { total_vms: 3, running_vms: 1 } }),
      makeVmSet('broken', { status: 'error' }),
    ]
    const settled = answer(vmSetApi.list, 200, sets)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total Sets', 'Active Sets', 'Total VMs'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['2', '1', '5'])
    await settled.end()
    const creating = answer(vmSetApi.list, 200, [
      ...sets,
      makeVmSet('ci', { status: 'creating', vm_stats: { total_vms: 0, running_vms: 0 } }),
    ])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total Sets', 'Active Sets', 'Total VMs', 'Creating'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['3', '1', '5', '1'])
    await creating.end()
    const failed = answer(vmSetApi.list, 500)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect
      .element(page.getByRole('main').getByRole('alert'))
      .toMatchTextContent('Failed to load VM Sets. Please try again.')
    await failed.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
  })
})
