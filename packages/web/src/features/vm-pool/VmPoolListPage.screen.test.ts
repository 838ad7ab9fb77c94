import { vmPoolApi } from '@slipway/contract'
import { makeVmPool } from '@slipway/e2e/objects'
import { vmPoolCreatePath, vmPoolListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, test, texts, visit } from '../../screen/screen.test-kit.ts'

describe('the list of VM pools', () => {
  test('is empty at first and leads to the form of a pool', async ({ project }) => {
    const { letGo } = hold(vmPoolApi.list)
    await visit(vmPoolListPath(project.id))
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading VM Pools...')
    letGo()
    await expect.element(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    await expect.element(page.getByLabelText('VM pools in numbers')).not.toBeInTheDocument()
    for (const link of ['Create Pool', 'Create VM Pool']) {
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
      await expect.poll(address).toBe(vmPoolCreatePath(project.id))
      history.back()
    }
  })

  test('sums up its pools, refreshes on request, and says why it does not load', async ({ project }) => {
    const answered = answer(vmPoolApi.list, 200, [
      makeVmPool('web', { current_size: 2, max_size: 6 }),
      makeVmPool('ci', { status: 'scaling', current_size: 0 }),
      makeVmPool('broken', { status: 'error', current_size: 1, max_size: 4 }),
    ])
    await visit(vmPoolListPath(project.id))
    const stats = page.getByLabelText('VM pools in numbers')
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total Pools', 'Active Pools', 'Current VMs', 'Max Capacity'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['3', '1', '3', '13'])
    await answered.end()
    const calls = callsOf(vmPoolApi.list)
    const { letGo } = hold(vmPoolApi.list)
    await page.getByRole('button', { name: 'Refresh' }).dblClick()
    await expect.element(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    expect(calls).toHaveLength(1)
    for (const [status, body, text] of [
      [403, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to load VM Pools. Please try again.'],
    ] as const) {
      const { end } = answer(vmPoolApi.list, status, body)
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect.element(page.getByRole('main').getByRole('alert')).toMatchTextContent(text)
      await end()
      await page.getByRole('button', { name: 'Try Again' }).click()
      await expect.element(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    }
  })
})

test('a list of many is searched in the URL: a reload, Back and a link show what was found', async ({
  project,
}) => {
  const pools = Array.from({ length: 12 }, (_, i) => makeVmPool(`web-${i}`))
  answer(vmPoolApi.list, 200, [...pools, makeVmPool('ci', { status: 'error' })])
  await visit(vmPoolListPath(project.id))
  const search = page.getByRole('searchbox', { name: 'Search VM pools' })
  await userEvent.type(search, 'err')
  await expect.poll(address).toBe(`${vmPoolListPath(project.id)}?search=err`)
  await expect
    .poll(() => document.querySelector('search [role=status]'))
    .toHaveTextContent('Showing 1 of 13 VM pools')
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await expect.poll(address).toBe('/templates')
  history.back()
  await expect.element(search).toHaveValue('err')
  await expect.poll(() => page.getByRole('article').elements()).toHaveLength(1)
  await visit(`${vmPoolListPath(project.id)}?search=none+such`)
  await expect.element(page.getByText('No VM pool matches "none such".')).toBeVisible()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect.poll(address).toBe(vmPoolListPath(project.id))
  await expect.element(page.getByText('Showing 13 of 13 VM pools')).toBeVisible()
})
