import { vmPoolApi } from '@slipway/contract'
import { makeVmPool } from '@slipway/e2e/objects'
import { vmPoolListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { address, back, follow, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount } from '../../screen/shown.test-kit.ts'

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
  await follow(page.getByRole('link', { name: 'Templates', exact: true }), '/templates')
  await back()
  await expect.element(search).toHaveValue('err')
  await expectCount(page.getByRole('article'), 1)
  await visit(`${vmPoolListPath(project.id)}?search=none+such`)
  await expect.element(page.getByText('No VM pool matches "none such".')).toBeVisible()
  await follow(page.getByRole('button', { name: 'Clear Filters' }), vmPoolListPath(project.id))
  await expect.element(page.getByText('Showing 13 of 13 VM pools')).toBeVisible()
})
