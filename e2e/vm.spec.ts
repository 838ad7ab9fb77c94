import { type Disk, diskApi, projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { newPublicKey } from './person.ts'
import { choose } from './sentences.ts'

const clipboard = () => navigator.clipboard.readText()
const listPath = (projectId: string) => `/projects/${projectId}/vms`
const vmPath = ({ project_id, id }: Vm) => `${listPath(project_id)}/${id}`

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

test.describe('the list', () => {
  test('is empty at first and leads to the templates', async ({ page, project }) => {
    await page.goto(listPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    await page.getByRole('link', { name: 'Create VM' }).last().click()
    await expect(page).toHaveURL('/templates')
  })

  test('counts, and shows that it refreshes only while a VM is on its way', async ({
    page,
    project,
    makeVm,
  }) => {
    await makeVm('engine', 'running')
    await page.goto(listPath(project.id))
    const refreshing = page.getByText('Auto-refresh every 5 s')
    const card = page.getByRole('article', { name: 'engine' })
    await expect(card.getByText('Running', { exact: true })).toBeVisible()
    await expect(refreshing).toBeHidden()
    await expect(page.getByText('Last updated')).toHaveText(/\d\d:\d\d:\d\d/)
    const totals = async (...texts: string[]) => {
      await expect(page.getByRole('main').getByText(/^(Total|Running|Stopped|Provisioning)\d+$/)).toHaveText(
        texts,
      )
    }
    await totals('Total1', 'Running1', 'Stopped0')
    const stuck = await makeVm('fault-never-ready')
    await expect(refreshing).toBeVisible()
    await totals('Total2', 'Running1', 'Stopped0', 'Provisioning1')
    await page.getByRole('button', { name: `More actions for ${stuck.name}` }).click()
    await page.getByRole('menuitem', { name: 'Force stop' }).click()
    await totals('Total2', 'Running1', 'Stopped1')
    await expect(refreshing).toBeHidden()
  })

  test('asks for all VMs in one call, every 5 s while one is on its way, and keeps what it has when that fails', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const stuck = await makeVm('fault-never-ready', 'provisioning')
    await page.clock.install()
    const lists = callsOf(page, vmApi.list)
    const singles = callsOf(page, vmApi.get)
    await page.goto(listPath(project.id))
    const card = page.getByRole('article', { name: vm.name })
    await expect(card).toBeVisible()
    expect(lists).toHaveLength(1)
    await page.clock.fastForward(5_000)
    await expect.poll(() => lists.length).toBe(2)

    const { end } = await answer(page, vmApi.list, 500)
    await page.clock.fastForward(5_000)
    await expect.poll(() => lists.length).toBe(3)
    await expect(card).toBeVisible()
    await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('alert')).toHaveCount(0)
    await end()

    await page.getByRole('button', { name: `More actions for ${stuck.name}` }).click()
    await page.getByRole('menuitem', { name: 'Force stop' }).click()
    await expect(page.getByText('Auto-refresh every 5 s')).toBeHidden()
    const before = lists.length
    await page.clock.fastForward(20_000)
    await page.clock.runFor(1_000)
    expect(lists).toHaveLength(before)
    expect(singles).toEqual([])
  })

  test('is empty without a word when the first load fails', async ({ page, project, makeVm }) => {
    await makeVm('engine')
    await answer(page, vmApi.list, 500)
    await page.goto(listPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
  })

  test('shows of each VM what it is, with copies of the address and the command', async ({
    page,
    project,
    sshKey,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(listPath(project.id))
    const card = page.getByRole('article', { name: vm.name })
    await expect(card.getByText('Running', { exact: true })).toBeVisible()
    await expect(card.getByText('Starter Linux')).toBeVisible()
    const created = new Intl.DateTimeFormat('en-US', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'UTC',
    })
    await expect(card.getByRole('definition')).toHaveText([
      '1 core',
      '256 MB',
      'Active',
      vm.ip_address ?? '',
      sshKey.name,
      created.format(new Date(vm.created_at)),
    ])
    await card.getByRole('button', { name: 'Copy IP address' }).click()
    await expect(page.getByText('IP address copied to clipboard!')).toBeVisible()
    expect(await page.evaluate(clipboard)).toBe(vm.ip_address)
    await card.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    expect(await page.evaluate(clipboard)).toBe(`ssh root@${vm.ip_address}`)
    await expect(card.getByRole('button', { name: 'Console' })).toBeDisabled()
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'View Details' }).click()
    await expect(page).toHaveURL(vmPath(vm))
  })

  test('shows every status, whatever its case, and an unknown one as it is', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const words = [
      'RUNNING',
      'Stopped',
      'starting',
      'Provisioning',
      'creating',
      'STOPPING',
      'failed',
      'Error',
      'pending',
    ]
    await answer(
      page,
      vmApi.list,
      200,
      [...words, 'migrating'].map((status) => ({ ...vm, id: status, name: `vm ${status}`, status })),
    )
    await page.goto(listPath(project.id))
    for (const status of words) {
      await page.getByRole('searchbox', { name: 'Search VMs' }).fill(`vm ${status}`)
      const card = page.getByRole('article', { name: `vm ${status}`, exact: true })
      const shown = status.charAt(0).toUpperCase() + status.slice(1).toLowerCase()
      await expect(card.getByText(new RegExp(`^${shown}(\\d+:\\d\\d)?$`))).toBeVisible()
    }
    await page.getByRole('searchbox', { name: 'Search VMs' }).fill('migrating')
    await expect(page.getByText('migrating', { exact: true })).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'Showing' })).toHaveText('Showing 1 of 10 VMs')
    await page.getByRole('searchbox', { name: 'Search VMs' }).fill('nothing like it')
    await expect(page.getByText('No VM matches "nothing like it".')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(page.getByText('Showing 10 of 10 VMs')).toBeVisible()
  })

  test('stops and starts a VM from its card, and tells when that fails', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(listPath(project.id))
    const card = page.getByRole('article', { name: vm.name })
    const { end } = await answer(page, vmApi.stop, 409, { message: 'Not now' })
    await card.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText('Failed to stop VM. Please try again.Not now')
    await end()
    await card.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
    await expect(card.getByText('None while stopped')).toBeVisible()
    await expect(card.getByText('Inactive')).toBeVisible()
    await expect(card.getByRole('button', { name: 'Copy IP address' })).toHaveCount(0)
    await card.getByRole('button', { name: 'Start', exact: true }).click()
    await expect(card.getByText('Running', { exact: true })).toBeVisible()
  })
})

test.describe('the page of a VM', () => {
  test('shows the steps of the start as they happen, with the times the server saw', async ({
    page,
    makeVm,
  }) => {
    const vm = await makeVm('fault-flaky')
    await page.goto(vmPath(vm))
    await expect(page.getByRole('heading', { name: 'Starting up' })).toBeVisible()
    // The line has no height of its own, so it counts as hidden here.
    await expect(page.getByRole('progressbar', { name: `${vm.name}: ` })).toHaveAttribute(
      'aria-valuenow',
      /^\d+$/,
    )
    await expect(page.getByRole('listitem').filter({ hasText: 'Waiting for SSH, to come' })).toBeVisible()
    await expect(page.getByText('at the latest')).toBeVisible()
    await expect(page.getByRole('button', { name: 'SSH Connect', exact: true })).toBeDisabled()
    await expect(page.getByRole('heading', { name: 'Last start' })).toBeVisible()
    for (const step of ['Root disk cloned', 'Guest started', 'SSH answered']) {
      await expect(page.getByRole('listitem').filter({ hasText: step })).toHaveText(/, done.*\d/)
    }
    await expect(page.getByText('Running', { exact: true })).toBeVisible()
    await expect(page.getByText(`${vm.name} is running`)).toHaveAttribute('aria-live', 'polite')
  })

  test('says why a VM failed and what to do', async ({ page, project, makeVm }) => {
    const full = await makeVm('fault-no-space', 'failed')
    const crashed = await makeVm('fault-crash', 'failed')
    await page.goto(listPath(project.id))
    await expect(page.getByRole('article', { name: full.name })).toContainText(
      /Why.*no disk space left.*delete this VM and create it again/,
    )
    await page.getByRole('link', { name: crashed.name }).click()
    const why = page.getByRole('main').getByRole('alert')
    await expect(why).toContainText(/^Failed since \w{3} \d/)
    await expect(why).toContainText(
      'The guest crashed while it was booting (simulated). Delete this VM and create it again.',
    )
    await expect(page.getByRole('listitem').filter({ hasText: ', failed' })).toHaveCount(1)
    const start = page.getByRole('button', { name: 'Start', exact: true })
    await expect(start).toBeDisabled()
    await expect(start).toHaveAccessibleDescription('VM cannot be started while it is failed')
    await expect(page.getByText('A VM that failed has no address.')).toBeVisible()
  })

  test('restarts, stops and starts', async ({ page, makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    const facts = page.getByRole('region', { name: 'Facts' })
    const is = (word: string) => expect(facts.getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))).toBeVisible()
    await is('Running')
    await expect(facts).toContainText(`SSH Key${sshKey.name}`)
    await page.getByRole('button', { name: 'Restart' }).click()
    await is('Stopping')
    await expect(page.getByRole('button', { name: 'Restart' })).toHaveAccessibleDescription(
      'VM cannot be restarted while it is stopping',
    )
    await is('Running')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await is('Stopped')
    await expect(page.getByText('The VM is stopped. It has an address while it runs.')).toBeVisible()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await is('Running')
    await page.getByRole('button', { name: 'Copy ID' }).click()
    expect(await page.evaluate(clipboard)).toBe(vm.id)
  })

  test('cuts off a guest that ignores the power button', async ({ page, makeVm }) => {
    const vm = await makeVm('fault-deaf', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByText('Waiting for the guest to power down')).toBeVisible()
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    await page.getByRole('menuitem', { name: 'Force stop' }).click()
    await expect(
      page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }),
    ).toBeVisible()
  })

  test('gives the command that opens a shell', async ({ page, makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog).toContainText(`ssh root@${vm.ip_address}`)
    await expect(dialog).toContainText(`The key ${sshKey.name} is installed.`)
    await dialog.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    expect(await page.evaluate(clipboard)).toBe(`ssh root@${vm.ip_address}`)
    await expect(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'SSH Connect', exact: true })).toBeFocused()
  })

  test('deletes a VM after a question', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    const dialog = page.getByRole('alertdialog', { name: 'Delete VM' })
    const ask = async () => {
      await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete VM' }).click()
      await expect(dialog).toContainText(
        'Are you sure you want to delete VM "engine"? Attached disks are kept. This action cannot be undone.',
      )
    }
    await ask()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await ask()
    const { end } = await answer(page, vmApi.delete, 500)
    await dialog.getByRole('button', { name: 'Delete VM' }).click()
    await expect(page.getByRole('alert')).toHaveText('Failed to delete VM. Please try again.')
    await end()
    await ask()
    await dialog.getByRole('button', { name: 'Delete VM' }).click()
    await expect(page.getByText('VM "engine" deleted successfully')).toBeVisible()
    await expect(page).toHaveURL(listPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toEqual([])
    await page.goto(vmPath(vm))
    await expect(page.getByRole('heading', { level: 1, name: 'VM not found' })).toBeVisible()
    await page.getByRole('link', { name: 'View Virtual Machines' }).click()
    await expect(page).toHaveURL(listPath(project.id))
  })

  test('that does not load can be tried again', async ({ page, makeVm }) => {
    const vm = await makeVm('engine')
    const { end } = await answer(page, vmApi.get, 500)
    await page.goto(vmPath(vm))
    await expect(page.getByRole('alert')).toContainText('Failed to load the VM. Please try again.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: vm.name })).toBeVisible()
  })
})

test('what one page does, every other page shows without asking', async ({
  page,
  context,
  project,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const list = await context.newPage()
  const card = list.getByRole('article', { name: vm.name })
  const streaming = list.waitForResponse((response) => response.url().endsWith('/events'))
  await list.goto(listPath(project.id))
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  await streaming
  // From here on only the event stream can tell.
  await answer(list, vmApi.list, null)

  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
  const other = await makeVm('loom')
  await expect(list.getByRole('article', { name: other.name })).toBeVisible()
  await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete VM' }).click()
  await expect(card).toHaveCount(0)
})

test('the poll alone is enough when the event stream is dead', async ({ page, project, makeVm }) => {
  const vm = await makeVm('fault-never-ready', 'provisioning')
  await page.route('**/events', (route) => route.abort())
  await page.goto(listPath(project.id))
  const card = page.getByRole('article', { name: vm.name })
  await expect(card.getByText(/^Provisioning/)).toBeVisible()
  await page.request.post(`/api${vmPath(vm)}/stop`, { data: { force: true } })
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
})
