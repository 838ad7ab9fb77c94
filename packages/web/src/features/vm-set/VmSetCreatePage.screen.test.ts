import { quotaApi, sshKeyApi, templateApi, type VmSetCreate, vmSetApi } from '@slipway/contract'
import { makeTemplate } from '@slipway/e2e/objects'
import { vmSetCreatePath, vmSetListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, choose, press, templateId, test, texts, visit } from '../../screen/screen.test-kit.ts'
import {
  addDisk,
  agree,
  alertOf,
  expectRule,
  lookAtKeys,
  panelOf,
  submitOf,
} from '../vm-group/vm-group.test-kit.ts'

const filled = (projectId: string) => `${vmSetCreatePath(projectId)}?template=${templateId}`
const failure = 'Failed to create VM Set. Please try again.'

const nameOf = () => page.getByLabelText('Name', { exact: true })
const replicasOf = () => page.getByLabelText('Number of replicas')
const persistentOf = () => page.getByRole('checkbox', { name: 'Persistent storage', exact: false })

describe('the form of a set', () => {
  test('needs no more than a name; an alert says that the set is there, then the list shows it', async ({
    project,
    sshKey,
  }) => {
    const calls = callsOf(vmSetApi.create)
    const { letGo } = hold(vmSetApi.create)
    await visit(filled(project.id))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Create VM Set' })).toBeVisible()
    await expect.element(page.getByLabelText('Description', { exact: false })).toHaveValue('')
    await expect.element(page.getByRole('combobox', { name: 'Template' })).toMatchTextContent('Starter Linux')
    await expect.element(page.getByRole('combobox', { name: 'SSH Key' })).toMatchTextContent(sshKey.name)
    await expect.element(replicasOf()).toHaveValue(2)
    await expect.element(persistentOf()).toBeChecked()
    await nameOf().fill(' db ')
    await submitOf().dblClick()
    await expect.element(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect.element(alertOf()).toBeVisible()
    expect(address()).toBe(filled(project.id))
    await agree('VM Set "db" created successfully with SSH key configured!')
    await expect.poll(address).toBe(vmSetListPath(project.id))
    expect(calls.map(({ body }) => body)).toEqual([
      {
        name: 'db',
        description: '',
        template_id: templateId,
        ssh_key_id: sshKey.id,
        replicas: 2,
        persistent: true,
        disks: [],
      },
    ])
    const sets = await call(vmSetApi.list, { params: { projectId: project.id } })
    expect(sets).toMatchObject([{ name: 'db', ssh_key_name: sshKey.name, replicas: 2 }])
  })

  test('says one rule at a time beside the button, in their order', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmSetApi.create)
    const keyless = answer(sshKeyApi.list, 200, [])
    await visit(vmSetCreatePath(project.id))
    await replicasOf().fill('0')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    const told = (text: string) => expectRule(nameOf(), text)
    await told('Please enter a VM Set name.')
    await nameOf().fill('db')
    await expect.element(page.getByText('No SSH keys yet', { exact: false })).toBeVisible()
    await told('Please select an SSH key for secure access.')
    await keyless.end()
    // What was typed is still there after a look at the keys.
    await lookAtKeys()
    await expect.element(nameOf()).toHaveValue('db')
    await expect.element(page.getByText('1 disk', { exact: true })).toBeVisible()
    await told('Please select a template.')
    await choose('Template', /^Starter Linux/)
    await told('Number of replicas must be at least 1')
    await replicasOf().fill('21')
    await told('Number of replicas cannot be greater than 20')
    await replicasOf().fill('20')
    // Choosing the template has cleared the disks.
    await expect.element(page.getByText('1 disk', { exact: true })).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await page.getByLabelText('Disk size').fill('')
    await told('Please enter a name for disk #1')
    await expect
      .element(page.getByLabelText('Disk name'))
      .toHaveAccessibleDescription('Please enter a disk name')
    await expect
      .element(page.getByLabelText('Disk size'))
      .toHaveAccessibleDescription('Please enter a disk size')
    await page.getByLabelText('Disk name').fill('data')
    await told('Please enter a size for disk #1')
    expect(calls).toEqual([])
    await page.getByLabelText('Disk size').fill('20')
    await expect.element(submitOf()).toBeEnabled()
  })

  test('has from 1 to 20 replicas, and takes what is no number as 1', async ({ project, sshKey }) => {
    answer(templateApi.list, 200, [
      makeTemplate('small', { default_cpu: 1, default_memory_mb: 512 }),
      makeTemplate('large'),
    ])
    await visit(`${vmSetCreatePath(project.id)}?template=small`)
    const panel = panelOf()
    await expect.element(panel).toMatchTextContent('All about small')
    await expect.poll(() => texts(panel.getByRole('definition'))).toEqual(['1 core', '512 MB'])
    await choose('Template', /^large/)
    await expect.poll(() => texts(panel.getByRole('definition'))).toEqual(['2 cores', '2.0 GB'])
    await expect.element(panel).toMatchTextContent('Keeps 2 VMs')
    await expect.element(panel).toMatchTextContent(`Each answers SSH with the key "${sshKey.name}".`)
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect
      .poll(() => texts(rows))
      .toEqual(['In total', 'VMs2', 'CPU4 cores', 'RAM4.0 GB', 'Data disksNone'])
    await expect.element(replicasOf()).toHaveAttribute('min', '1')
    await expect.element(replicasOf()).toHaveAttribute('max', '20')
    await replicasOf().fill('')
    await expect.element(replicasOf()).toHaveValue(1)
    // The 1 is selected: the next digit replaces it.
    await press(replicasOf(), '3')
    await expect.element(replicasOf()).toHaveValue(3)
    await press(replicasOf(), '{ControlOrMeta>}a{/ControlOrMeta}')
    await press(replicasOf(), 'e')
    await expect.element(replicasOf()).toHaveValue(1)
    await expect.element(panel).toMatchTextContent('Keeps 1 VM:')
  })

  test('lets one choose the size of each VM, and counts it for all of them', async ({
    project,
    sshKey: _,
  }) => {
    const quota = await call(quotaApi.ofProject, { params: { projectId: project.id } })
    const { end } = answer(quotaApi.ofProject, 200, {
      ...quota,
      project: { ...quota.project, processors: { used: 1, limit: 8 } },
    })
    await visit(filled(project.id))
    await nameOf().fill('db')
    await expect.element(page.getByText('Left: 7 processors.', { exact: false })).toBeVisible()
    const cpus = page.getByLabelText('CPUs', { exact: false })
    await expect.element(cpus).toHaveAttribute('placeholder', '1')
    await cpus.fill('4')
    await expect
      .element(page.getByRole('form').getByRole('status'))
      .toMatchTextContent(/uses 1 of its 8 processors, and 8 more are requested/)
    await expect.element(submitOf()).toBeDisabled()
    await expectAccessible()
    await cpus.fill('3')
    await page.getByLabelText('Memory (MB)', { exact: false }).fill('768')
    await expect.poll(() => texts(panelOf().getByRole('definition'))).toEqual(['3 cores', '768 MB'])
    await page.getByRole('button', { name: 'Show as Text' }).click()
    const dialog = page.getByRole('dialog', { name: 'Show as Text' })
    await expect.element(dialog.getByRole('code')).toMatchTextContent('cpu: 3 memory_mb: 768')
    await dialog.getByRole('button', { name: 'Command' }).click()
    await expect.element(dialog.getByRole('code')).toMatchTextContent('--cpu 3 \\ --memory_mb 768')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await end()
    await submitOf().click()
    await agree('VM Set "db" created successfully with SSH key configured!')
    const [set] = await call(vmSetApi.list, { params: { projectId: project.id } })
    expect(set).toMatchObject({ name: 'db', cpu: 3, memory_mb: 768 })
  })

  test('has disks in rows of which one is open, that go with another template', async ({
    project,
    sshKey: _,
  }) => {
    const { end } = answer(templateApi.list, 200, [
      makeTemplate(templateId, { default_cpu: 1, default_memory_mb: 256 }),
      makeTemplate('large'),
    ])
    const calls = callsOf(vmSetApi.create)
    await visit(`${vmSetCreatePath(project.id)}?template=large`)
    await nameOf().fill('db')
    const warning = page.getByText('Changing the template removes the additional disks.', { exact: false })
    await expect.element(warning).not.toBeInTheDocument()
    await addDisk('old')
    await addDisk('older')
    await choose('Template', /^large/)
    await expect.element(page.getByText('2 disks')).toBeVisible()
    await expect.element(warning).toBeVisible()
    await choose('Template', new RegExp(`^${templateId}`))
    const disks = page.getByRole('button', { name: /^Disk \d/ })
    await expect.poll(() => disks.elements()).toHaveLength(0)
    await end()
    await addDisk('data', '20GB')
    await addDisk('logs', '2097152Ki')
    await expect.poll(() => texts(disks)).toEqual(['Disk 1data20Gi', 'Disk 2'])
    await disks.first().click()
    await expect.poll(() => texts(disks)).toEqual(['Disk 1', 'Disk 2logs2Gi'])
    await expect.element(page.getByLabelText('Disk name')).toHaveValue('data')
    await page.getByRole('button', { name: 'Remove disk 1' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    await expect.element(question.getByText('Remove this disk?')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await persistentOf().click()
    await expect.element(persistentOf()).not.toBeChecked()
    await submitOf().click()
    await agree('VM Set "db" created successfully with SSH key configured!')
    const sent = calls[0]?.body as VmSetCreate
    expect(sent).toMatchObject({
      persistent: false,
      disks: [
        { name: 'data', size: '20Gi', source: 'EMPTY' },
        { name: 'logs', size: '2Gi', source: 'EMPTY' },
      ],
    })
    const [set] = await call(vmSetApi.list, { params: { projectId: project.id } })
    expect(set?.disks).toEqual(sent.disks)
  })

  test('says in an alert why the set is not created, and is left by Cancel without one', async ({
    project,
    sshKey: _,
  }) => {
    await visit(filled(project.id))
    await nameOf().fill('db')
    const full = 'This project has reached its limit of 5 VMs'
    for (const [status, body, text] of [
      [500, {}, failure],
      [null, {}, failure],
      [409, { message: full }, full],
    ] as const) {
      const { end } = answer(vmSetApi.create, status, body)
      await submitOf().click()
      await agree(text)
      await end()
    }
    expect(address()).toBe(filled(project.id))
    await expect.element(nameOf()).toHaveValue('db')
    const calls = callsOf(vmSetApi.create)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect.poll(address).toBe(vmSetListPath(project.id))
    expect(calls).toEqual([])
  })
})
