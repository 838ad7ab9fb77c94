import { type Disk, diskApi, projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { newPublicKey } from './person.ts'
import { choose } from './sentences.ts'

test.describe('the create form', () => {
  test('needs no more than a name, and the VM is on the dashboard at once', async ({
    page,
    project,
    sshKey,
  }) => {
    const calls = callsOf(page, vmApi.create)
    const { letGo } = await hold(page, vmApi.create)
    await page.goto(`/create?template=${templateId}`)
    await expect(page.getByRole('combobox', { name: 'Project' })).toContainText(project.name)
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).toBeChecked()
    await expect(page.getByText('Password authentication is disabled on the VM.')).toBeVisible()
    await expect(page.getByRole('definition')).toHaveText(['1 core', '256 MB', project.name, 'None'])
    await page.getByLabel('Name', { exact: true }).fill(' Difference engine ')
    await page.getByRole('button', { name: 'Create VM' }).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(
      page.getByText('VM "Difference engine" created successfully with SSH key configured!'),
    ).toBeVisible()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('link', { name: 'View Details of Difference engine' })).toBeVisible()
    expect(calls.map((call) => call.postDataJSON())).toEqual([
      { name: 'Difference engine', template_id: templateId, ssh_key_id: sshKey.id, persistent: true },
    ])
  })

  test('says one rule at a time beside the button, in the order of the form', async ({
    page,
    user: _,
    call,
  }) => {
    await page.goto('/create?template=none-such')
    const button = page.getByRole('button', { name: 'Create VM' })
    const name = page.getByLabel('Name', { exact: true })
    const told = async (text: string) => {
      await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
      await expect(button).toBeDisabled()
      await expect(button).toHaveAccessibleDescription(text)
      await name.press('Enter')
      await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('alert').first()).toHaveText(
        text,
      )
    }
    await name.fill('   ')
    await told('Please enter a VM name')
    await name.fill('engine')
    await told('Please select a project')
    await call(projectApi.create, { body: { name: 'Engines' } })
    await page.reload()
    await name.fill('engine')
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    await told('Please select an SSH key for secure access')
    await call(sshKeyApi.create, { body: { key_name: 'Laptop', ssh_public_key: newPublicKey() } })
    await page.reload()
    await name.fill('engine')
    await told('Please select a template')
    await choose(page, 'Template', 'Starter Linux')
    await expect(button).toBeEnabled()
    await name.press('Enter')
    await expect(page).toHaveURL('/')
  })

  test('warns of a root disk that forgets', async ({ page, project, sshKey: _, call }) => {
    await page.goto(`/create?template=${templateId}`)
    const warning = page.getByText('All data on the root disk is lost when the VM stops or restarts.')
    await expect(warning).toBeHidden()
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await expect(warning).toBeVisible()
    await page.getByLabel('Name', { exact: true }).fill('sieve')
    await page.getByRole('button', { name: 'Create VM' }).click()
    await page.getByRole('link', { name: 'View Details of sieve' }).click()
    await expect(page.getByText('Starts from the template at every start')).toBeVisible()
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vm?.persistent).toBe(false)
  })

  test('keeps what was typed while one looks after the keys', async ({ page, project: _ }) => {
    await page.goto(`/create?template=${templateId}`)
    await page.getByLabel('Name', { exact: true }).fill('engine')
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect(page).toHaveURL('/ssh-keys')
    await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add SSH Key' })
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Public key').fill(newPublicKey())
    await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
    await expect(dialog).toBeHidden()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('engine')
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).not.toBeChecked()
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText('Laptop')
    await expect(page.getByRole('button', { name: 'Create VM' })).toBeEnabled()
    // Only this once.
    await page.reload()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
  })

  test('stays as it is when the VM cannot be created', async ({ page, project: _, sshKey: __ }) => {
    await page.goto(`/create?template=${templateId}`)
    await page.getByLabel('Name', { exact: true }).fill('engine')
    const toast = page.getByRole('region', { name: 'Notifications' }).getByRole('alert').first()
    for (const [status, body, text] of [
      [
        409,
        { message: 'This project is full' },
        'Failed to create VM. Please try again.This project is full',
      ],
      [500, {}, 'Failed to create VM. Please try again.'],
      [null, {}, 'Failed to create VM. Please try again.'],
    ] as const) {
      const { end } = await answer(page, vmApi.create, status, body)
      await page.getByRole('button', { name: 'Create VM' }).click()
      await expect(toast).toHaveText(text)
      await end()
    }
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('engine')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { name: 'What do you want to run?' })).toBeVisible()
  })

  test('is silent about keys and disks that do not load', async ({ page, project: _ }) => {
    await answer(page, sshKeyApi.list, 500)
    await answer(page, diskApi.list, 500)
    await page.goto(`/create?template=${templateId}`)
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect(page.getByText('This project has no available disk.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('alert')).toHaveCount(0)
  })

  test('belongs to its project when it stands below one', async ({ page, project: _, sshKey: __, call }) => {
    const other = await call(projectApi.create, { body: { name: 'Looms' } })
    await page.goto(`/projects/${other.id}/vms/create?template=${templateId}`)
    await expect(page.getByRole('combobox', { name: 'Project' })).toContainText('Looms')
    await expect(page.getByRole('combobox', { name: 'Project' })).toBeDisabled()
    await page.getByLabel('Name', { exact: true }).fill('loom')
    await page.getByRole('button', { name: 'Create VM' }).click()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: other.id } })).toHaveLength(1)
  })

  test('attaches disks that are available, each once, and asks before a row goes', async ({
    page,
    project,
    sshKey: _,
  }) => {
    const disk = (name: string, status: Disk['status']): Disk => ({
      id: name,
      project_id: project.id,
      name,
      description: '',
      status,
      status_message: null,
      size: '10Gi',
      size_gb: 10,
      disk_type: 'standard',
      source: 'blank',
      image_url: null,
      vm_id: null,
      vm_name: null,
      created_at: project.created_at,
    })
    await answer(page, diskApi.list, 200, [
      disk('ledger', 'available'),
      disk('journal', 'available'),
      disk('attic', 'attached'),
      disk('ruin', 'failed'),
    ])
    const calls = callsOf(page, vmApi.create)
    await page.goto(`/create?template=${templateId}`)
    await page.getByLabel('Name', { exact: true }).fill('engine')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect(page.getByRole('combobox', { name: 'Existing disk' })).toHaveAccessibleDescription(
      'Please select an existing disk.',
    )
    await expect(page.getByRole('form').getByRole('status')).toHaveText(
      'Please select an existing disk for all disk entries',
    )
    await page.getByRole('combobox', { name: 'Existing disk' }).click()
    await expect(page.getByRole('option')).toHaveText([/^ledger/, /^journal/])
    await page.getByRole('option', { name: 'ledger' }).click()
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect(page.getByRole('button', { name: /^Disk 1/ })).toHaveAttribute('aria-expanded', 'false')
    await expect(page.getByRole('button', { name: /^Disk 2/ })).toHaveAttribute('aria-expanded', 'true')
    await page.getByRole('combobox', { name: 'Existing disk' }).click()
    await expect(page.getByRole('option')).toHaveText([/^journal/])
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Remove disk 2' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Remove disk' })
    await expect(dialog).toContainText('Remove this disk?')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('2 disks')).toBeVisible()
    await page.getByRole('button', { name: 'Remove disk 2' }).click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByText('1 disk', { exact: true })).toBeVisible()

    // The server knows no such disk; what it is asked is what counts here.
    await answer(page, vmApi.create, 409, { message: 'Disk "ledger" is not available' })
    await page.getByRole('button', { name: 'Create VM' }).click()
    await expect(page.getByText('Disk "ledger" is not available')).toBeVisible()
    expect(calls[0]?.postDataJSON().disks).toEqual([{ disk_id: 'ledger' }])
  })
})
