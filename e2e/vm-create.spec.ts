import type { Page } from '@playwright/test'
import { diskApi, keygenCommand, projectApi, sshKeyApi, templateApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied, refuseCopies } from './clipboard.ts'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold, makeDisk } from './network.ts'
import { vmListPath } from './paths.ts'
import { newPublicKey } from './person.ts'
import { addKey, choose, dismissToasts, toasts } from './sentences.ts'

const createPath = `/create?template=${templateId}`
const failure = 'Failed to create VM. Please try again.'

const nameOf = (page: Page) => page.getByLabel('Name', { exact: true })
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create VM' })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()

test.describe('the create form', () => {
  test('needs no more than a name, and the VM is on the dashboard at once', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    await addKey(page, 'Desktop')
    const calls = callsOf(page, vmApi.create)
    const { letGo } = await hold(page, vmApi.create)
    await page.goto(createPath)
    await expect(page.getByRole('combobox', { name: 'Project' })).toContainText(project.name)
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).toBeChecked()
    await expect(page.getByText('Password authentication is disabled on the VM.')).toBeVisible()
    await expect(page.getByRole('definition')).toHaveText(['1 core', '256 MB', project.name, 'None'])
    await nameOf(page).fill(' Difference engine ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText(
      'VM "Difference engine" created successfully with SSH key configured!',
    )
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('link', { name: 'View Details of Difference engine' })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      { name: 'Difference engine', template_id: templateId, ssh_key_id: sshKey.id, persistent: true },
    ])
    const vms = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vms).toMatchObject([{ name: 'Difference engine', ssh_key_name: sshKey.name, persistent: true }])
  })

  test('says one rule at a time beside the button, in the order of the form', async ({
    page,
    user: _,
    call,
  }) => {
    const calls = callsOf(page, vmApi.create)
    await page.goto('/create?template=none-such')
    const told = async (text: string) => {
      await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
      await expect(submitOf(page)).toBeDisabled()
      await expect(submitOf(page)).toHaveAccessibleDescription(text)
      await nameOf(page).press('Enter')
      await expect(alertOf(page)).toHaveText(text)
    }
    await told('Please enter a VM name')
    await nameOf(page).fill('   ')
    await told('Please enter a VM name')
    await nameOf(page).fill('engine')
    await told('Please select a project')
    await call(projectApi.create, { body: { name: 'Engines' } })
    await page.reload()
    await nameOf(page).fill('engine')
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    await told('Please select an SSH key for secure access')
    await call(sshKeyApi.create, { body: { key_name: 'Laptop', ssh_public_key: newPublicKey() } })
    await page.reload()
    await nameOf(page).fill('engine')
    await expect(page.getByRole('combobox', { name: 'Template' })).toHaveText('Choose a template')
    await told('Please select a template')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await told('Please select a template')
    await choose(page, 'Template', 'Starter Linux')
    await told('Please select an existing disk for all disk entries')
    expect(calls).toEqual([])
    await page.getByRole('button', { name: 'Remove disk 1' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(submitOf(page)).toBeEnabled()
    await nameOf(page).press('Enter')
    await expect(page).toHaveURL('/')
    expect(calls).toHaveLength(1)
  })

  test('lets one choose the size, which is shown beside the form and given to the VM', async ({
    page,
    project,
    sshKey: _,
    call,
  }) => {
    await page.goto(createPath)
    await nameOf(page).fill('wide')
    const [cpus, memory] = [page.getByLabel('CPUs'), page.getByLabel('Memory (MB)')]
    await expect(cpus).toHaveAttribute('placeholder', '1')
    await cpus.fill('two')
    await memory.fill('1024')
    await memory.press('Tab')
    const problem = 'Enter a whole number of processors from 1 to'
    await expect(cpus).toHaveAccessibleDescription(new RegExp(problem))
    await expect(submitOf(page)).toHaveAccessibleDescription(new RegExp(problem))
    await expectAccessible(page)
    await cpus.fill('2')
    await expect(page.getByRole('definition')).toHaveText(['2 cores', '1.0 GB', project.name, 'None'])
    await submitOf(page).click()
    await expect(page).toHaveURL('/')
    const vms = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vms).toMatchObject([{ name: 'wide', cpu: 2, memory_mb: 1024 }])
  })

  test('warns of a root disk that forgets', async ({ page, project, sshKey: _, call }) => {
    const calls = callsOf(page, vmApi.create)
    await page.goto(createPath)
    const warning = page.getByText('All data on the root disk is lost when the VM stops or restarts.')
    await expect(warning).toBeHidden()
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await expect(warning).toBeVisible()
    await nameOf(page).fill('sieve')
    await submitOf(page).click()
    await page.getByRole('link', { name: 'View Details of sieve' }).click()
    await expect(page.getByText('Starts from the template at every start')).toBeVisible()
    expect(calls[0]?.postDataJSON()).toMatchObject({ persistent: false })
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vm?.persistent).toBe(false)
  })

  test('keeps what was typed while one looks after the keys', async ({ page, project: _ }) => {
    await page.goto(createPath)
    await nameOf(page).fill('engine')
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
    await expect(nameOf(page)).toHaveValue('engine')
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).not.toBeChecked()
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText('Laptop')
    await expect(submitOf(page)).toBeEnabled()
    // Only this once.
    await page.reload()
    await expect(nameOf(page)).toHaveValue('')
  })

  test('leads to a new disk where there is none, and keeps what was typed', async ({
    page,
    project,
    sshKey: _,
  }) => {
    await page.goto(createPath)
    await nameOf(page).fill('engine')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await page.getByRole('link', { name: 'Create Disk' }).click()
    await expect(page).toHaveURL(`/projects/${project.id}/disks/create`)
    await page.goBack()
    await expect(nameOf(page)).toHaveValue('engine')
  })

  test('begins anew when one comes back by another way', async ({ page, project: _, sshKey: __ }) => {
    await page.goto('/create')
    await nameOf(page).fill('engine')
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(nameOf(page)).toHaveValue('')
  })

  test('stays as it is when the VM cannot be created', async ({ page, project: _, sshKey: __ }) => {
    await page.goto(createPath)
    await nameOf(page).fill('engine')
    for (const [status, body, lines] of [
      [409, { message: 'This project is full' }, [failure, 'This project is full']],
      [500, {}, [failure]],
      [null, {}, [failure]],
    ] as const) {
      const { end } = await answer(page, vmApi.create, status, body)
      await submitOf(page).click()
      await expect(alertOf(page).getByRole('paragraph')).toHaveText([...lines])
      await dismissToasts(page)
      await end()
    }
    await expect(page).toHaveURL(createPath)
    await expect(nameOf(page)).toHaveValue('engine')
    await submitOf(page).click()
    await expect(page).toHaveURL('/')
  })

  test('waits 15 s for an answer, and no longer', async ({ page, project: _, sshKey: __ }) => {
    await page.clock.install()
    const { letGo } = await hold(page, vmApi.create)
    await page.goto(createPath)
    await nameOf(page).fill('engine')
    // What the form still loads would be given up by the jump of the clock.
    await expect(submitOf(page)).toBeEnabled()
    await page.clock.pauseAt(Date.now() + 60_000)
    await submitOf(page).click()
    await page.clock.runFor(14_999)
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeVisible()
    await page.clock.runFor(1)
    await expect(alertOf(page)).toHaveText(failure)
    await expect(submitOf(page)).toBeEnabled()
    await expect(nameOf(page)).toHaveValue('engine')
    letGo()
  })

  test('tells what came of it although one has gone elsewhere', async ({ page, project: _, sshKey: __ }) => {
    const { letGo } = await hold(page, vmApi.create)
    await page.goto(createPath)
    await nameOf(page).fill('engine')
    await submitOf(page).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expect(toasts(page)).toContainText('VM "engine" created successfully with SSH key configured!')
    await expect(page).toHaveURL('/templates')
  })

  test('is calm about keys and disks that do not load, and calls neither missing', async ({
    page,
    project: _,
    sshKey,
  }) => {
    const keys = await answer(page, sshKeyApi.list, 500)
    const disks = await answer(page, diskApi.list, 500)
    await page.goto(createPath)
    const key = page.getByRole('combobox', { name: 'SSH Key' })
    await expect(key).toHaveAccessibleDescription('The SSH keys could not be loaded.')
    await expect(page.getByText('No SSH keys yet')).toHaveCount(0)
    await expect(page.getByText('No key yet?')).toHaveCount(0)
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect(page.getByText('The disks could not be loaded.')).toBeVisible()
    await expect(page.getByText('This project has no available disk.')).toHaveCount(0)
    await expect(toasts(page).getByRole('alert')).toHaveCount(0)
    await keys.end()
    await disks.end()
    await page.getByRole('button', { name: 'Try Again' }).first().click()
    await expect(key).toContainText(sshKey.name)
    // Whoever has a key needs no command that makes one.
    await expect(page.getByText('No key yet?')).toHaveCount(0)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByText('This project has no available disk.')).toBeVisible()
  })

  test('says that templates did not load, and loads them again', async ({ page, project: _, sshKey: __ }) => {
    const { end } = await answer(page, templateApi.list, 500)
    await page.goto(createPath)
    const template = page.getByRole('combobox', { name: 'Template' })
    await expect(template).toHaveAccessibleDescription('Failed to load templates. Please try again.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(template).toContainText('Starter Linux')
  })

  test('leads somebody without a project to the first one and back, and keeps what was typed', async ({
    page,
    user: _,
  }) => {
    await page.goto(createPath)
    await nameOf(page).fill('engine')
    await page.getByRole('link', { name: 'Create your first project' }).click()
    await expect(page).toHaveURL('/onboarding')
    await page.getByLabel('Project Name').fill('Engines')
    await page.getByRole('button', { name: 'Create Project' }).click()
    await expect(page).toHaveURL(createPath)
    await expect(nameOf(page)).toHaveValue('engine')
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(page.getByRole('combobox', { name: 'Project' })).toContainText('Engines')
  })

  test('offers the command that makes a key', async ({ page, project: _ }) => {
    await page.goto(createPath)
    const copy = page.getByRole('button', { name: 'Copy SSH key generation command' })
    await expect(page.getByRole('form').getByRole('code')).toHaveText(keygenCommand)
    await copy.click()
    await expect(toasts(page)).toHaveText('SSH key generation command copied to clipboard!')
    expect(await copied(page)).toBe(keygenCommand)
    await refuseCopies(page)
    await page.reload()
    await copy.click()
    await expect(alertOf(page)).toHaveText('Failed to copy command')
  })
})

for (const { kind, pathOf } of [
  { kind: 'the form', pathOf: (_: string) => '/create' },
  { kind: 'the form of a project', pathOf: (id: string) => `${vmListPath(id)}/create` },
]) {
  test.describe(kind, () => {
    test('knows the template of its address, and no unknown one', async ({ page, project, sshKey: _ }) => {
      const template = page.getByRole('combobox', { name: 'Template' })
      await page.goto(`${pathOf(project.id)}?template=${templateId}`)
      await expect(template).toContainText('Starter Linux')
      for (const query of ['?template=none-such', '?template=', '']) {
        await page.goto(`${pathOf(project.id)}${query}`)
        await expect(template).toHaveText('Choose a template')
      }
    })

    test('is left by Cancel without a VM', async ({ page, project, sshKey: _ }) => {
      const calls = callsOf(page, vmApi.create)
      await page.goto(`${pathOf(project.id)}?template=${templateId}`)
      await nameOf(page).fill('engine')
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page).toHaveURL('/')
      await expect(page.getByRole('heading', { name: 'What do you want to run?' })).toBeVisible()
      expect(calls).toEqual([])
    })
  })
}

test('the form of a project creates in that project', async ({ page, project: _, sshKey: __, call }) => {
  const other = await call(projectApi.create, { body: { name: 'Looms' } })
  const calls = callsOf(page, vmApi.create)
  await page.goto(`${vmListPath(other.id)}/create?template=${templateId}`)
  await expect(page.getByRole('combobox', { name: 'Project' })).toContainText('Looms')
  await expect(page.getByRole('combobox', { name: 'Project' })).toBeDisabled()
  await nameOf(page).fill('loom')
  await submitOf(page).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'View Details of loom' })).toBeVisible()
  expect(calls.map((one) => new URL(one.url()).pathname)).toEqual([`/api${vmListPath(other.id)}`])
})

test.describe('disks', () => {
  const add = (page: Page) => page.getByRole('button', { name: 'Add Disk' }).click()
  const rowsOf = (page: Page) => page.getByRole('button', { name: /^Disk \d/ })
  const openRows = (page: Page) =>
    rowsOf(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-expanded') === 'true'))

  test.beforeEach(async ({ page, project: _, sshKey: __ }) => {
    await answer(page, diskApi.list, 200, [
      makeDisk('ledger'),
      makeDisk('draft', 'creating'),
      makeDisk('journal'),
      makeDisk('attic', 'attached'),
      makeDisk('ruin', 'failed'),
      makeDisk('rust', 'error'),
      makeDisk('ash', 'deleting'),
    ])
    await page.goto(createPath)
    await nameOf(page).fill('engine')
  })

  test('have a row each, one open at a time, the first by default', async ({ page }) => {
    await expect(rowsOf(page)).toHaveCount(0)
    await add(page)
    expect(await openRows(page)).toEqual([true])
    await add(page)
    expect(await openRows(page)).toEqual([true, false])
    await rowsOf(page).nth(1).click()
    expect(await openRows(page)).toEqual([false, true])
    await expect(page.getByRole('combobox', { name: 'Existing disk' })).toHaveCount(1)
    await rowsOf(page).nth(1).click()
    expect(await openRows(page)).toEqual([false, false])
  })

  test('show the new row once the open one has its choice', async ({ page }) => {
    await add(page)
    await choose(page, 'Existing disk', 'ledger')
    await add(page)
    expect(await openRows(page)).toEqual([false, true])
    await expect(rowsOf(page).first()).toContainText(/ledger.*10Gi/)
  })

  test('are those that are available, each in one row only', async ({ page }) => {
    await add(page)
    await page.getByRole('combobox', { name: 'Existing disk' }).click()
    await expect(page.getByRole('option')).toHaveText([/^ledger/, /^journal/])
    await page.getByRole('option', { name: 'ledger' }).click()
    await add(page)
    await page.getByRole('combobox', { name: 'Existing disk' }).click()
    await expect(page.getByRole('option')).toHaveText([/^journal/])
  })

  test('must all be chosen', async ({ page }) => {
    const calls = callsOf(page, vmApi.create)
    await add(page)
    await choose(page, 'Existing disk', 'ledger')
    await add(page)
    await expect(page.getByRole('combobox', { name: 'Existing disk' })).toHaveAccessibleDescription(
      'Please select an existing disk.',
    )
    const rule = 'Please select an existing disk for all disk entries'
    await expect(page.getByRole('form').getByRole('status')).toHaveText(rule)
    await expect(submitOf(page)).toBeDisabled()
    await nameOf(page).press('Enter')
    await expect(alertOf(page)).toHaveText(rule)
    expect(calls).toEqual([])
    await choose(page, 'Existing disk', 'journal')
    await expect(page.getByText('Please select an existing disk.')).toHaveCount(0)
    // The server knows no such disks; what it is asked is what counts here.
    await answer(page, vmApi.create, 409, { message: 'Disk "ledger" is not available' })
    await submitOf(page).click()
    await expect(alertOf(page).getByRole('paragraph')).toHaveText([failure, 'Disk "ledger" is not available'])
    expect(calls[0]?.postDataJSON().disks).toEqual([{ disk_id: 'ledger' }, { disk_id: 'journal' }])
  })

  test('go after a question', async ({ page }) => {
    await add(page)
    await choose(page, 'Existing disk', 'ledger')
    await add(page)
    await choose(page, 'Existing disk', 'journal')
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    const remove = page.getByRole('button', { name: 'Remove disk 1' })
    await remove.click()
    await expect(question.getByText('Remove this disk?')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await remove.click()
    await page.keyboard.press('Escape')
    await expect(question).toBeHidden()
    await expect(page.getByText('2 disks')).toBeVisible()
    await remove.click()
    await question.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByText('1 disk', { exact: true })).toBeVisible()
    await expect(rowsOf(page)).toHaveText(['Disk 1'])
    await expect(page.getByRole('combobox', { name: 'Existing disk' })).toContainText('journal')
  })
})
