import { diskCreatePath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { address, choose, follow, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectDisabled, expectText, toasts } from '../../screen/shown.test-kit.ts'

describe('the disks on the page of a VM', () => {
  test('come and go', async ({ makeVm, addDisk }) => {
    await addDisk('ledger')
    const vm = await makeVm('engine', 'running')
    await visit(vmPath(vm))
    await page.getByRole('button', { name: 'Attach disk' }).click()
    await choose('Disk', /^ledger/)
    await page.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click()
    await expectText(toasts(), 'Disk "ledger" attached successfully')
    const row = page.getByRole('listitem').filter({ hasText: 'Data disk' })
    await expectText(row, 'ledger', '10Gi')
    await row.getByRole('button', { name: 'Detach ledger' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Detach' }).click()
    await expectText(toasts(), 'Disk "ledger" detached successfully')
    await expectCount(row, 0)
  })

  test('lead to a new disk where there is none', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmPath(vm))
    await page.getByRole('button', { name: 'Attach disk' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    await expectText(dialog, 'No disk in this project is available.')
    await follow(dialog.getByRole('link', { name: 'Create Disk' }), diskCreatePath(project.id))
    await visit(vmPath(vm))
    await page.getByRole('main').getByRole('link', { name: 'Create Disk' }).click()
    await expect.poll(address).toBe(diskCreatePath(project.id))
  })

  test('wait for a VM that is running or stopped', async ({ makeVm }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await visit(vmPath(vm))
    const attach = page.getByRole('button', { name: 'Attach disk' })
    await expectDisabled(attach, 'VM must be running or stopped')
  })
})
