import { rootDiskTooSmall, startScriptApi, startScriptTexts, vmSetApi } from '@slipway/contract'
import { vmSetPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { call, templateId, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectText, expectToast, toasts } from '../../screen/shown.test-kit.ts'
import { cardOf } from '../vm-group/vm-group.test-kit.ts'

describe('the page of a VM set', () => {
  test('rolls other settings out VM by VM, and says how far it is', async ({ project, sshKey }) => {
    const params = { projectId: project.id }
    const body = { name: 'web', template_id: templateId, ssh_key_id: sshKey.id, replicas: 2 }
    const set = await call(vmSetApi.create, { params, body })
    await visit(vmSetPath(set))
    await expect.element(cardOf('web-2').getByText('Running', { exact: true })).toBeVisible()
    const settings = page.getByRole('region', { name: 'Settings of the VMs' })
    await expectText(settings.getByRole('status'), 'Every VM has the current settings: 1 core')
    await settings.getByRole('button', { name: 'Roll Out Changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll Out Changes' })
    const send = dialog.getByRole('button', { name: 'Roll Out', exact: true })
    await expect.element(send).toHaveAccessibleDescription(/^All VMs have these settings already\./)
    await dialog.getByLabelText('CPUs').fill('2')
    const rootDisk = dialog.getByLabelText('Root disk (GB)')
    await expect.element(rootDisk).toHaveAccessibleDescription('Left empty, it has the 4 GB of the template.')
    await rootDisk.fill('2')
    await dialog.getByRole('combobox', { name: 'Start script' }).click()
    await page.getByRole('option', { name: 'Replace' }).click()
    const script = dialog.getByLabelText('Script', { exact: true })
    await script.fill('echo')
    await expect.element(script).toHaveAccessibleDescription(startScriptTexts.form)
    await script.fill('#!/bin/sh\necho Rolled out\n')
    await expect
      .element(send)
      .toHaveAccessibleDescription('Accept that the disks of replaced VMs are deleted.')
    const consent = dialog.getByLabelText('Delete the disks of replaced VMs', { exact: false })
    await tick(consent)
    await send.click()
    await expect.element(rootDisk).toHaveAccessibleDescription(rootDiskTooSmall(4))
    await expectText(toasts().getByRole('alert'), 'Failed to begin the roll-out.')
    await rootDisk.fill('30')
    await send.click()
    await expectToast('The roll-out has begun')
    await expect.element(dialog).not.toBeInTheDocument()
    await expectText(
      settings.getByRole('status'),
      /^Every VM has the current settings: 2 cores, .* of memory and a root disk of 30Gi,/,
    )
    await expect.element(page.getByText('30Gi', { exact: true })).toBeVisible()
    await expect.element(settings.getByRole('button', { name: 'Stop Roll-Out' })).not.toBeInTheDocument()
    await expect.element(page.getByRole('row', { name: /All VMs have the new settings/ })).toBeVisible()
    const { vms } = await call(vmSetApi.get, { params: { ...params, setId: set.id } })
    expect(vms.map(({ name, cpu, root_disk_gb }) => `${name} ${cpu} ${root_disk_gb}`).sort()).toEqual([
      'web-1 2 30',
      'web-2 2 30',
    ])
    for (const { id: vmId } of vms)
      expect((await call(startScriptApi.get, { params: { ...params, vmId } })).script).toContain('Rolled out')
  })
})
