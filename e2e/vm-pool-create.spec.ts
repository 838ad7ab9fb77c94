import type { Page } from '@playwright/test'
import { sshKeyApi, templateApi, vmChangeTexts, vmPoolApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, templateId, test } from './fixtures.ts'
import { addDisk, agree, alertOf, expectRule, submitOf } from './group-forms.ts'
import { answer, callsOf, hold, makeTemplate } from './network.ts'
import { vmPoolCreatePath, vmPoolListPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const filled = (projectId: string) => `${vmPoolCreatePath(projectId)}?template=${templateId}`
const templates = [makeTemplate('small', { default_cpu: 1, default_memory_mb: 512 }), makeTemplate('large')]
const failure = 'Failed to create VM Pool. Please try again.'

const nameOf = (page: Page) => page.getByLabel('Pool name')
const minimumOf = (page: Page) => page.getByLabel('Min size')
const desiredOf = (page: Page) => page.getByLabel('Desired size')
const maximumOf = (page: Page) => page.getByLabel('Max size')
const panelOf = (page: Page) => page.getByRole('region', { name: 'Template details' })

test.describe('the form of a pool', () => {
  test('needs no more than a name; an alert says that the pool is there, then the list shows it', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const calls = callsOf(page, vmPoolApi.create)
    const { letGo } = await hold(page, vmPoolApi.create)
    await page.goto(filled(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Create VM Pool' })).toBeVisible()
    await expect(page.getByLabel('Project ID')).toHaveValue(project.id)
    await expect(page.getByLabel('Project ID')).not.toBeEditable()
    await expect(page.getByLabel('Description')).toHaveValue('')
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
    await expect(minimumOf(page)).toHaveValue('1')
    await expect(desiredOf(page)).toHaveValue('1')
    await expect(maximumOf(page)).toHaveValue('3')
    await expect(page.getByRole('checkbox', { name: 'Auto scaling' })).toBeChecked()
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).toBeChecked()
    await nameOf(page).fill(' web ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(alertOf(page)).toBeVisible()
    await expect(page).toHaveURL(filled(project.id))
    await agree(page, 'VM Pool "web" created successfully with SSH key configured!')
    await expect(page).toHaveURL(vmPoolListPath(project.id))
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      {
        name: 'web',
        description: '',
        template_id: templateId,
        ssh_key_id: sshKey.id,
        min_size: 1,
        max_size: 3,
        desired_size: 1,
        persistent: true,
        auto_scaling: true,
        disks: [],
      },
    ])
    const pools = await call(vmPoolApi.list, { params: { projectId: project.id } })
    expect(pools).toMatchObject([{ name: 'web', ssh_key_name: sshKey.name, desired_size: 1 }])
  })

  test('sends all that was typed and chosen, sizes of disks in whole Gi', async ({
    page,
    project,
    sshKey: _,
    call,
  }) => {
    const calls = callsOf(page, vmPoolApi.create)
    await page.goto(filled(project.id))
    await nameOf(page).fill('web')
    await page.getByLabel('Description').fill(' Nodes of the shop ')
    await minimumOf(page).fill('0')
    await desiredOf(page).fill('2')
    await maximumOf(page).fill('4')
    await page.getByRole('checkbox', { name: 'Auto scaling' }).uncheck()
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await expect(page.getByText('All data on the root disk of a VM is lost')).toBeVisible()
    const [cpus, memory] = [page.getByLabel('CPUs'), page.getByLabel('Memory (MB)')]
    await expect(cpus).toHaveAttribute('placeholder', '1')
    await memory.fill('64')
    await expect(memory).toHaveAccessibleDescription(vmChangeTexts.memory)
    await cpus.fill('two')
    await expect(cpus).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await expect(submitOf(page)).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await cpus.fill('2')
    await memory.fill(' 1024 ')
    await expect(panelOf(page).getByRole('definition')).toHaveText(['2 cores', '1.0 GB'])
    const rows = panelOf(page).getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect(rows).toContainText(['VMs24', 'CPU4 cores8 cores', 'RAM2.0 GB4.0 GB'])
    const rootDisk = page.getByLabel('Root disk (GB)')
    await expect(rootDisk).toHaveAccessibleDescription('Left empty, it has the 4 GB of the template.')
    await rootDisk.fill('large')
    await expect(rootDisk).toHaveAccessibleDescription(vmChangeTexts.rootDisk)
    await expectAccessible(page)
    await rootDisk.fill('30 GB')
    await addDisk(page, ' data ')
    await expect(page.getByLabel('Disk size')).toHaveValue('10Gi')
    await expect(page.getByText('data-1 for the first VM, data-2 for the second.')).toBeVisible()
    await expect(page.getByText('The disks are deleted with their VM')).toBeVisible()
    await addDisk(page, 'logs', '2048 MB')
    await desiredOf(page).press('Enter')
    await agree(page, 'VM Pool "web" created successfully with SSH key configured!')
    expect(calls[0]?.postDataJSON()).toMatchObject({
      description: 'Nodes of the shop',
      min_size: 0,
      desired_size: 2,
      max_size: 4,
      persistent: false,
      auto_scaling: false,
      cpu: 2,
      memory_mb: 1024,
      root_disk_gb: 30,
      disks: [
        { name: 'data', size: '10Gi', source: 'EMPTY' },
        { name: 'logs', size: '2Gi', source: 'EMPTY' },
      ],
    })
    const [pool] = await call(vmPoolApi.list, { params: { projectId: project.id } })
    expect(pool).toMatchObject({ min_size: 0, auto_scaling: false, persistent: false, root_disk_gb: 30 })
    expect(pool).toMatchObject({ cpu: 2, memory_mb: 1024 })
  })

  test('says one rule at a time beside the button, in their order', async ({ page, project, sshKey: _ }) => {
    const calls = callsOf(page, vmPoolApi.create)
    const keyless = await answer(page, sshKeyApi.list, 200, [])
    await page.goto(`${vmPoolCreatePath(project.id)}?template=none-such`)
    await minimumOf(page).fill('5')
    await desiredOf(page).fill('9')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    const told = (text: string) => expectRule(nameOf(page), text)
    await told('Please enter a VM Pool name.')
    await nameOf(page).fill('   ')
    await told('Please enter a VM Pool name.')
    await nameOf(page).fill('web')
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    await told('Please select an SSH key for secure access.')
    await keyless.end()
    // What was typed is still there after a look at the keys.
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect(page).toHaveURL('/ssh-keys')
    await page.reload()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(nameOf(page)).toHaveValue('web')
    await expect(page.getByRole('combobox', { name: 'Template' })).toHaveText('Choose a template')
    await told('Please select a template.')
    await choose(page, 'Template', 'Starter Linux')
    await told('Minimum size cannot be greater than maximum size.')
    await minimumOf(page).fill('2')
    await told('Desired size must be between minimum and maximum size.')
    await desiredOf(page).fill('1')
    await told('Desired size must be between minimum and maximum size.')
    await desiredOf(page).fill('2')
    await told('Please enter a name for disk #1')
    expect(calls).toEqual([])
    await page.getByLabel('Disk name').fill('data')
    await expect(submitOf(page)).toBeEnabled()
  })

  test('has disks that need a name and a size, and go after a question', async ({
    page,
    project,
    sshKey: _,
  }) => {
    await answer(page, templateApi.list, 200, templates)
    await page.goto(`${vmPoolCreatePath(project.id)}?template=small`)
    await nameOf(page).fill('web')
    await addDisk(page, 'data')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    // A fresh row does not complain before somebody was in it.
    await expect(page.getByText('Please enter a disk name')).toHaveCount(0)
    await expect(page.getByLabel('Disk name')).toBeFocused()
    await page.getByLabel('Disk size').fill('')
    await expect(page.getByLabel('Disk name')).toHaveAccessibleDescription('Please enter a disk name')
    await expect(page.getByLabel('Disk size')).toHaveAccessibleDescription('Please enter a disk size')
    await expectRule(nameOf(page), 'Please enter a name for disk #2')
    await page.getByLabel('Disk name').fill('logs')
    await expectRule(nameOf(page), 'Please enter a size for disk #2')
    await page.getByLabel('Disk size').fill('much')
    await expectRule(nameOf(page), 'Please enter a valid disk size')
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    const remove = page.getByRole('button', { name: 'Remove disk 2' })
    await remove.click()
    await expect(question.getByText('Remove this disk?')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('2 disks')).toBeVisible()
    await remove.click()
    await question.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByText('1 disk', { exact: true })).toBeVisible()
    await expect(submitOf(page)).toBeEnabled()
    // The pool keeps its disks when the template changes.
    await choose(page, 'Template', 'large')
    await expect(page.getByText('1 disk', { exact: true })).toBeVisible()
  })

  test('takes what is no number as the least size, and says what the sizes come to', async ({
    page,
    project,
    sshKey,
  }) => {
    await answer(page, templateApi.list, 200, templates)
    await page.goto(vmPoolCreatePath(project.id))
    const panel = panelOf(page)
    await expect(panel).toContainText('Select a template to see what the VMs will contain.')
    await choose(page, 'Template', 'small')
    await expect(panel).toContainText('All about small')
    await expect(panel.getByRole('definition')).toHaveText(['1 core', '512 MB'])
    await choose(page, 'Template', 'large')
    await expect(panel.getByRole('definition')).toHaveText(['2 cores', '2.0 GB'])
    await desiredOf(page).fill('2')
    await maximumOf(page).fill('4')
    await addDisk(page, 'data')
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect(rows).toHaveText([
      'DesiredMaximum',
      'VMs24',
      'CPU4 cores8 cores',
      'RAM4.0 GB8.0 GB',
      'Data disks20Gi40Gi',
    ])
    await expect(panel).toContainText('Starts with 2 VMs and scales automatically between 1 and 4.')
    await expect(panel).toContainText(`Each answers SSH with the key "${sshKey.name}".`)
    await page.getByRole('checkbox', { name: 'Auto scaling' }).uncheck()
    await expect(panel).toContainText('Starts with 2 VMs and keeps that number until you change it.')
    for (const [field, least] of [
      [minimumOf(page), '0'],
      [desiredOf(page), '1'],
      [maximumOf(page), '1'],
    ] as const) {
      await expect(field).toHaveAttribute('min', least)
      await field.fill('')
      await expect(field).toHaveValue(least)
      await field.fill('2')
      await field.press('ControlOrMeta+A')
      await field.press('e')
      await expect(field).toHaveValue(least)
    }
    await expect(minimumOf(page)).toHaveAccessibleDescription(
      'No minimum is set, but the pool keeps at least 1 VM.',
    )
  })

  test('says in an alert why the pool is not created, and is left by Cancel without one', async ({
    page,
    project,
    sshKey: _,
  }) => {
    await page.goto(filled(project.id))
    await nameOf(page).fill('web')
    for (const [status, body, text] of [
      [500, {}, failure],
      [null, {}, failure],
      [
        409,
        { message: 'This project has reached its limit of 5 VMs' },
        'This project has reached its limit of 5 VMs',
      ],
    ] as const) {
      const { end } = await answer(page, vmPoolApi.create, status, body)
      await submitOf(page).click()
      await agree(page, text)
      await end()
    }
    await expect(page).toHaveURL(filled(project.id))
    await expect(nameOf(page)).toHaveValue('web')
    await expect(submitOf(page)).toBeEnabled()
    const calls = callsOf(page, vmPoolApi.create)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page).toHaveURL(vmPoolListPath(project.id))
    expect(calls).toEqual([])
  })

  test('tells what came of it although one has gone elsewhere', async ({ page, project, sshKey: _ }) => {
    const { letGo } = await hold(page, vmPoolApi.create)
    await page.goto(filled(project.id))
    await nameOf(page).fill('web')
    await submitOf(page).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expect(toasts(page)).toContainText('VM Pool "web" created successfully with SSH key configured!')
    await expect(page).toHaveURL('/templates')
  })
})
