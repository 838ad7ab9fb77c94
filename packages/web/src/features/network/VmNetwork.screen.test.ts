import { vmPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { copied } from '../../screen/clipboard.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'

test('the page of a VM tells its address and names', async ({ makeVm }) => {
  const vm = await makeVm('Web 1', 'running')
  const section = page.getByRole('region', { name: 'Network' })
  await visit(vmPath(vm))
  await expectText(section, 'web-1', '.internal')
  await section.getByRole('button', { name: 'Copy address', exact: true }).click()
  await expect.poll(copied).toMatch(/^10\.\d+\.\d+\.\d+$/)
  await section.getByRole('link', { name: 'View network' }).click()
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Network')
})
