import { sshKeyApi, templateApi, vmChangeTexts, vmPoolApi } from '@slipway/contract'
import { makeTemplate } from '@slipway/e2e/objects'
import { vmPoolCreatePath, vmPoolListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import {
  address,
  call,
  choose,
  press,
  templateId,
  test,
  texts,
  toasts,
  visit,
} from '../../screen/screen.test-kit.ts'
import {
  addDisk,
  agree,
  alertOf,
  expectRule,
  lookAtKeys,
  panelOf,
  submitOf,
} from '../vm-group/vm-group.test-kit.ts'

const filled = (projectId: string) => `${vmPoolCreatePath(projectId)}?template=${templateId}`
const templates = [makeTemplate('small', { default_cpu: 1, default_memory_mb: 512 }), makeTemplate('large')]
const failure = 'Failed to create VM Pool. Please try again.'

const nameOf = () => page.getByLabelText('Pool name')
const minimumOf = () => page.getByLabelText('Min size')
const desiredOf = () => page.getByLabelText('Desired size')
const maximumOf = () => page.getByLabelText('Max size')
const checkboxOf = (name: string) => page.getByRole('checkbox', { name, exact: false })

describe('the form of a pool', () => {
  test('needs no more than a name; an alert says that the pool is there, then the list shows it', async ({
    project,
    sshKey,
  }) => {
    const calls = callsOf(vmPoolApi.create)
    const { letGo } = hold(vmPoolApi.create)
    await visit(filled(project.id))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Create VM Pool' })).toBeVisible()
    await expect.element(page.getByLabelText('Project ID')).toHaveValue(project.id)
    await expect.element(page.getByLabelText('Project ID')).toHaveAttribute('readonly')
    await expect.element(page.getByLabelText('Description', { exact: false })).toHaveValue('')
    await expect.element(page.getByRole('combobox', { name: 'Template' })).toMatchTextContent('Starter Linux')
    await expect.element(page.getByRole('combobox', { name: 'SSH Key' })).toMatchTextContent(sshKey.name)
    await expect.element(minimumOf()).toHaveValue(1)
    await expect.element(desiredOf()).toHaveValue(1)
    await expect.element(maximumOf()).toHaveValue(3)
    await expect.element(checkboxOf('Auto scaling')).toBeChecked()
    await expect.element(checkboxOf('Persistent storage')).toBeChecked()
    await nameOf().fill(' web ')
    await submitOf().dblClick()
    await expect.element(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect.element(alertOf()).toBeVisible()
    expect(address()).toBe(filled(project.id))
    await agree('VM Pool "web" created successfully with SSH key configured!')
    await expect.poll(address).toBe(vmPoolListPath(project.id))
    expect(calls.map(({ body }) => body)).toEqual([
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

  test('sends all that was typed and chosen, sizes of disks in whole Gi', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmPoolApi.create)
    await visit(filled(project.id))
    await nameOf().fill('web')
    await page.getByLabelText('Description', { exact: false }).fill(' Nodes of the shop ')
    await minimumOf().fill('0')
    await desiredOf().fill('2')
    await maximumOf().fill('4')
    await checkboxOf('Auto scaling').click()
    await expect.element(checkboxOf('Auto scaling')).not.toBeChecked()
    await checkboxOf('Persistent storage').click()
    await expect.element(checkboxOf('Persistent storage')).not.toBeChecked()
    await expect
      .element(page.getByText('All data on the root disk of a VM is lost', { exact: false }))
      .toBeVisible()
    const cpus = page.getByLabelText('CPUs', { exact: false })
    const memory = page.getByLabelText('Memory (MB)', { exact: false })
    await expect.element(cpus).toHaveAttribute('placeholder', '1')
    await memory.fill('64')
    await expect.element(memory).toHaveAccessibleDescription(vmChangeTexts.memory)
    await cpus.fill('two')
    await expect.element(cpus).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await expect.element(submitOf()).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await cpus.fill('2')
    await memory.fill(' 1024 ')
    await expect.poll(() => texts(panelOf().getByRole('definition'))).toEqual(['2 cores', '1.0 GB'])
    const rows = panelOf().getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect
      .poll(() => texts(rows))
      .toEqual(['DesiredMaximum', 'VMs24', 'CPU4 cores8 cores', 'RAM2.0 GB4.0 GB', 'Data disksNoneNone'])
    const rootDisk = page.getByLabelText('Root disk (GB)', { exact: false })
    await expect.element(rootDisk).toHaveAccessibleDescription('Left empty, it has the 4 GB of the template.')
    await rootDisk.fill('large')
    await expect.element(rootDisk).toHaveAccessibleDescription(vmChangeTexts.rootDisk)
    await expectAccessible()
    await rootDisk.fill('30 GB')
    await addDisk(' data ')
    await expect.element(page.getByLabelText('Disk size')).toHaveValue('10Gi')
    await expect
      .element(page.getByText('data-1 for the first VM, data-2 for the second.', { exact: false }))
      .toBeVisible()
    await expect
      .element(page.getByText('The disks are deleted with their VM', { exact: false }))
      .toBeVisible()
    await addDisk('logs', '2048 MB')
    await press(desiredOf(), '{Enter}')
    await agree('VM Pool "web" created successfully with SSH key configured!')
    expect(calls[0]?.body).toMatchObject({
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

  test('says one rule at a time beside the button, in their order', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmPoolApi.create)
    const keyless = answer(sshKeyApi.list, 200, [])
    await visit(`${vmPoolCreatePath(project.id)}?template=none-such`)
    await minimumOf().fill('5')
    await desiredOf().fill('9')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    const told = (text: string) => expectRule(nameOf(), text)
    await told('Please enter a VM Pool name.')
    await nameOf().fill('   ')
    await told('Please enter a VM Pool name.')
    await nameOf().fill('web')
    await expect.element(page.getByText('No SSH keys yet', { exact: false })).toBeVisible()
    await told('Please select an SSH key for secure access.')
    await keyless.end()
    // What was typed is still there after a look at the keys.
    await lookAtKeys()
    await expect.element(nameOf()).toHaveValue('web')
    await expect
      .element(page.getByRole('combobox', { name: 'Template' }))
      .toHaveTextContent('Choose a template')
    await told('Please select a template.')
    await choose('Template', /^Starter Linux/)
    await told('Minimum size cannot be greater than maximum size.')
    await minimumOf().fill('2')
    await told('Desired size must be between minimum and maximum size.')
    await desiredOf().fill('1')
    await told('Desired size must be between minimum and maximum size.')
    await desiredOf().fill('2')
    await told('Please enter a name for disk #1')
    expect(calls).toEqual([])
    await page.getByLabelText('Disk name').fill('data')
    await expect.element(submitOf()).toBeEnabled()
  })

  test('has disks that need a name and a size, and go after a question', async ({ project, sshKey: _ }) => {
    answer(templateApi.list, 200, templates)
    await visit(`${vmPoolCreatePath(project.id)}?template=small`)
    await nameOf().fill('web')
    await addDisk('data')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await expect.element(page.getByLabelText('Disk name')).toHaveFocus()
    await expect.element(page.getByLabelText('Disk name')).toHaveValue('')
    // A fresh row does not complain before somebody was in it.
    await expect.element(page.getByText('Please enter a disk name', { exact: false })).not.toBeInTheDocument()
    await page.getByLabelText('Disk size').fill('')
    await expect
      .element(page.getByLabelText('Disk name'))
      .toHaveAccessibleDescription('Please enter a disk name')
    await expect
      .element(page.getByLabelText('Disk size'))
      .toHaveAccessibleDescription('Please enter a disk size')
    await expectRule(nameOf(), 'Please enter a name for disk #2')
    await page.getByLabelText('Disk name').fill('logs')
    await expectRule(nameOf(), 'Please enter a size for disk #2')
    await page.getByLabelText('Disk size').fill('much')
    await expectRule(nameOf(), 'Please enter a valid disk size')
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    const remove = page.getByRole('button', { name: 'Remove disk 2' })
    await remove.click()
    await expect.element(question.getByText('Remove this disk?')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(page.getByText('2 disks')).toBeVisible()
    await remove.click()
    await question.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect.element(page.getByText('1 disk', { exact: true })).toBeVisible()
    await expect.element(submitOf()).toBeEnabled()
    // The pool keeps its disks when the template changes.
    await choose('Template', /^large/)
    await expect.element(page.getByText('1 disk', { exact: true })).toBeVisible()
  })

  test('takes what is no number as the least size, and says what the sizes come to', async ({
    project,
    sshKey,
  }) => {
    answer(templateApi.list, 200, templates)
    await visit(vmPoolCreatePath(project.id))
    const panel = panelOf()
    await expect.element(panel).toMatchTextContent('Select a template to see what the VMs will contain.')
    await choose('Template', /^small/)
    await expect.element(panel).toMatchTextContent('All about small')
    await expect.poll(() => texts(panel.getByRole('definition'))).toEqual(['1 core', '512 MB'])
    await choose('Template', /^large/)
    await expect.poll(() => texts(panel.getByRole('definition'))).toEqual(['2 cores', '2.0 GB'])
    await desiredOf().fill('2')
    await maximumOf().fill('4')
    await addDisk('data')
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect
      .poll(() => texts(rows))
      .toEqual(['DesiredMaximum', 'VMs24', 'CPU4 cores8 cores', 'RAM4.0 GB8.0 GB', 'Data disks20Gi40Gi'])
    await expect
      .element(panel)
      .toMatchTextContent('Starts with 2 VMs and scales automatically between 1 and 4.')
    await expect.element(panel).toMatchTextContent(`Each answers SSH with the key "${sshKey.name}".`)
    await checkboxOf('Auto scaling').click()
    await expect.element(checkboxOf('Auto scaling')).not.toBeChecked()
    await expect
      .element(panel)
      .toMatchTextContent('Starts with 2 VMs and keeps that number until you change it.')
    for (const [field, least] of [
      [minimumOf(), 0],
      [desiredOf(), 1],
      [maximumOf(), 1],
    ] as const) {
      await expect.element(field).toHaveAttribute('min', String(least))
      await field.fill('')
      await expect.element(field).toHaveValue(least)
      await field.fill('2')
      await press(field, '{ControlOrMeta>}a{/ControlOrMeta}')
      await press(field, 'e')
      await expect.element(field).toHaveValue(least)
    }
    await expect
      .element(minimumOf())
      .toHaveAccessibleDescription('No minimum is set, but the pool keeps at least 1 VM.')
  })

  test('says in an alert why the pool is not created, and is left by Cancel without one', async ({
    project,
    sshKey: _,
  }) => {
    await visit(filled(project.id))
    await nameOf().fill('web')
    for (const [status, body, text] of [
      [500, {}, failure],
      [null, {}, failure],
      [
        409,
        { message: 'This project has reached its limit of 5 VMs' },
        'This project has reached its limit of 5 VMs',
      ],
    ] as const) {
      const { end } = answer(vmPoolApi.create, status, body)
      await submitOf().click()
      await agree(text)
      await end()
    }
    expect(address()).toBe(filled(project.id))
    await expect.element(nameOf()).toHaveValue('web')
    await expect.element(submitOf()).toBeEnabled()
    const calls = callsOf(vmPoolApi.create)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect.poll(address).toBe(vmPoolListPath(project.id))
    expect(calls).toEqual([])
  })

  test('tells what came of it although one has gone elsewhere', async ({ project, sshKey: _ }) => {
    const { letGo } = hold(vmPoolApi.create)
    await visit(filled(project.id))
    await nameOf().fill('web')
    await submitOf().click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expect
      .element(toasts())
      .toMatchTextContent('VM Pool "web" created successfully with SSH key configured!')
    expect(address()).toBe('/templates')
  })
})
