import { templateApi, vmChangeTexts, vmPoolApi } from '@slipway/contract'
import { makeTemplate } from '@slipway/e2e/objects'
import { vmPoolCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, choose, press, templateId, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectText, expectTexts, said, toasts } from '../../screen/shown.test-kit.ts'
import { addDisk, agree, expectRule, lookAtKeys, panelOf, submitOf } from '../vm-group/vm-group.test-kit.ts'

const filled = (projectId: string) => `${vmPoolCreatePath(projectId)}?template=${templateId}`
const templates = [makeTemplate('small', { default_cpu: 1, default_memory_mb: 512 }), makeTemplate('large')]

const nameOf = () => page.getByLabelText('Pool name')
const minimumOf = () => page.getByLabelText('Min size')
const desiredOf = () => page.getByLabelText('Desired size')
const maximumOf = () => page.getByLabelText('Max size')
const checkboxOf = (name: string) => page.getByRole('checkbox', { name, exact: false })

describe('the form of a pool', () => {
  test('sends all that was typed and chosen, sizes of disks in whole Gi', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmPoolApi.create)
    await visit(filled(project.id))
    await expect.element(page.getByLabelText('Project ID')).toHaveValue(project.id)
    await expect.element(page.getByLabelText('Project ID')).toHaveAttribute('readonly')
    await nameOf().fill('web')
    await page.getByLabelText('Description', { exact: false }).fill(' Nodes of the shop ')
    await minimumOf().fill('0')
    await desiredOf().fill('2')
    await maximumOf().fill('4')
    await tick(checkboxOf('Auto scaling'), false)
    await tick(checkboxOf('Persistent storage'), false)
    await expect.element(said('All data on the root disk of a VM is lost')).toBeVisible()
    const cpus = page.getByLabelText('CPUs', { exact: false })
    const memory = page.getByLabelText('Memory (MB)', { exact: false })
    await expect.element(cpus).toHaveAttribute('placeholder', '1')
    await cpus.fill('two')
    await expect.element(cpus).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await expect.element(submitOf()).toHaveAccessibleDescription(vmChangeTexts.cpu)
    await cpus.fill('2')
    await memory.fill(' 1024 ')
    await expectTexts(panelOf().getByRole('definition'), ['2 cores', '1.0 GB'])
    const rootDisk = page.getByLabelText('Root disk (GB)', { exact: false })
    await expect.element(rootDisk).toHaveAccessibleDescription('Left empty, it has the 4 GB of the template.')
    await rootDisk.fill('30 GB')
    await addDisk(' data ')
    await expect.element(page.getByLabelText('Disk size')).toHaveValue('10Gi')
    await expect.element(said('data-1 for the first VM, data-2 for the second.')).toBeVisible()
    await expect.element(said('The disks are deleted with their VM')).toBeVisible()
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
    expect(pool).toMatchObject({
      min_size: 0,
      auto_scaling: false,
      persistent: false,
      cpu: 2,
      root_disk_gb: 30,
    })
  })

  test('says one rule at a time beside the button, in their order', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmPoolApi.create)
    await visit(`${vmPoolCreatePath(project.id)}?template=none-such`)
    await minimumOf().fill('5')
    await expectRule(nameOf(), 'Please enter a VM Pool name.')
    // What was typed is still there after a look at the keys.
    await nameOf().fill('web')
    await lookAtKeys()
    await expect.element(nameOf()).toHaveValue('web')
    await expect
      .element(page.getByRole('combobox', { name: 'Template' }))
      .toHaveTextContent('Choose a template')
    await choose('Template', /^Starter Linux/)
    await expectRule(nameOf(), 'Minimum size cannot be greater than maximum size.')
    expect(calls).toEqual([])
    await minimumOf().fill('1')
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
    await expect.element(said('Please enter a disk name')).not.toBeInTheDocument()
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
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    await page.getByRole('button', { name: 'Remove disk 2' }).click()
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
    await expectText(panel, 'Select a template to see what the VMs will contain.')
    await choose('Template', /^small/)
    await expectText(panel, 'All about small')
    await expectTexts(panel.getByRole('definition'), ['1 core', '512 MB'])
    await choose('Template', /^large/)
    await expectTexts(panel.getByRole('definition'), ['2 cores', '2.0 GB'])
    await desiredOf().fill('2')
    await maximumOf().fill('4')
    await addDisk('data')
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expectTexts(rows, [
      'DesiredMaximum',
      'VMs24',
      'CPU4 cores8 cores',
      'RAM4.0 GB8.0 GB',
      'Data disks20Gi40Gi',
    ])
    await expectText(panel, 'Starts with 2 VMs and scales automatically between 1 and 4.')
    await expectText(panel, `Each answers SSH with the key "${sshKey.name}".`)
    await tick(checkboxOf('Auto scaling'), false)
    await expectText(panel, 'Starts with 2 VMs and keeps that number until you change it.')
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

  test('tells what came of it although one has gone elsewhere', async ({ project, sshKey: _ }) => {
    const { letGo } = hold(vmPoolApi.create)
    await visit(filled(project.id))
    await nameOf().fill('web')
    await submitOf().click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expectText(toasts(), 'VM Pool "web" created successfully with SSH key configured!')
    expect(address()).toBe('/templates')
  })
})
