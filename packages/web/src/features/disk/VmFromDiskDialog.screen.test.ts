import { diskApi, sshKeyApi, templateApi, vmApi } from '@slipway/contract'
import { diskListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { call, choose, press, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectBusy, expectRefused, expectText, expectToast, toasts } from '../../screen/shown.test-kit.ts'
import { cardOf } from './disk.test-kit.ts'

describe('the form that creates a VM from a disk', () => {
  const dialogOf = () => page.getByRole('dialog', { name: 'Create VM from disk' })
  const submitOf = () => dialogOf().getByRole('button', { name: 'Create VM' })
  const open = async (projectId: string) => {
    await visit(diskListPath(projectId))
    await cardOf('ledger').getByRole('button', { name: 'Create VM' }).click()
  }

  test('needs no more than a click', async ({ project, sshKey: _, addDisk }) => {
    const sshKey = await call(sshKeyApi.create, {
      body: { key_name: 'Newer', is_default: true, ssh_public_key: await commands.newPublicKey() },
    })
    const disk = await addDisk('ledger')
    const templates = await call(templateApi.list, {})
    await open(project.id)
    const dialog = dialogOf()
    await expect.element(dialog.getByLabelText('VM Name')).toHaveValue('ledger-vm')
    await expectText(dialog.getByRole('combobox', { name: 'Template' }), templates[0]?.name ?? '')
    await expectText(dialog.getByRole('combobox', { name: 'SSH Key' }), sshKey.name)
    await expect.element(dialog.getByRole('checkbox', { name: /^Persistent storage/ })).toBeChecked()
    const calls = callsOf(vmApi.create)
    await expectBusy(vmApi.create, () => submitOf().dblClick(), 'Creating...')
    await expectToast('VM "ledger-vm" created successfully with disk attached!')
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(cardOf('ledger').getByRole('link', { name: 'ledger-vm' })).toBeVisible()
    expect(calls.map((one) => one.body)).toEqual([
      {
        name: 'ledger-vm',
        template_id: templates[0]?.id,
        ssh_key_id: sshKey.id,
        persistent: true,
        disks: [{ disk_id: disk.id }],
        project_id: project.id,
      },
    ])
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vm?.disks).toMatchObject([{ disk_id: disk.id, name: 'ledger' }])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'attached', vm_id: vm?.id }])
  })

  test('sends what was chosen', async ({ project, sshKey: _, addDisk }) => {
    const template = await call(templateApi.create, {
      body: { name: 'Sieve', description: 'For primes', default_cpu: 1, default_memory_mb: 512 },
    })
    await addDisk('ledger')
    await open(project.id)
    await dialogOf().getByLabelText('VM Name').fill(' engine ')
    await choose('Template', /^Sieve/)
    const persistent = dialogOf().getByRole('checkbox', { name: /^Persistent storage/ })
    await tick(persistent, false)
    const calls = callsOf(vmApi.create)
    await press(dialogOf().getByLabelText('VM Name'), '{Enter}')
    await expectText(toasts(), 'VM "engine" created successfully with disk attached!')
    expect(calls[0]?.body).toMatchObject({ name: 'engine', template_id: template.id, persistent: false })
  })

  test('says one rule at a time, in their order', async ({ project, addDisk }) => {
    await addDisk('ledger')
    const told = async (text: string) => {
      await expect.element(dialogOf().getByRole('status')).toHaveTextContent(text)
      await expect.element(submitOf()).toBeDisabled()
      await expect.element(submitOf()).toHaveAccessibleDescription(text)
    }
    await open(project.id)
    await dialogOf().getByLabelText('VM Name').fill('  ')
    await told('Please enter a VM name')
    await dialogOf().getByLabelText('VM Name').fill('engine')
    await told('Please select an SSH key')
    await expect
      .element(dialogOf().getByRole('link', { name: 'Add an SSH key' }))
      .toHaveAttribute('href', '/ssh-keys')
  })

  test('says that templates or keys did not load, and loads them again', async ({
    project,
    sshKey,
    addDisk,
  }) => {
    await addDisk('ledger')
    for (const endpoint of [templateApi.list, sshKeyApi.list]) {
      const { end } = answer(endpoint, 500)
      await open(project.id)
      await expectText(dialogOf().getByRole('alert'), 'Failed to load templates or SSH keys')
      await expect.element(submitOf()).toBeDisabled()
      await end()
      await dialogOf().getByRole('button', { name: 'Try Again' }).click()
      await expect.element(dialogOf().getByRole('alert')).not.toBeInTheDocument()
      await expectText(dialogOf().getByRole('combobox', { name: 'SSH Key' }), sshKey.name)
      await expect.element(submitOf()).toBeEnabled()
    }
  })

  test('stays as it is when the VM cannot be created', async ({ project, sshKey: _, addDisk }) => {
    await addDisk('ledger')
    await open(project.id)
    await dialogOf().getByLabelText('VM Name').fill('engine')
    await expectRefused(vmApi.create, () => submitOf().click(), 'Failed to create VM. Please try again.')
    await expect.element(dialogOf().getByLabelText('VM Name')).toHaveValue('engine')
    await submitOf().click()
    await expect.element(dialogOf()).not.toBeInTheDocument()
  })
})
