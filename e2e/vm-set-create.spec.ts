import type { Page } from '@playwright/test'
import { quotaApi, sshKeyApi, templateApi, vmSetApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, templateId, test } from './fixtures.ts'
import { addDisk, agree, alertOf, expectRule, submitOf } from './group-forms.ts'
import { answer, callsOf, hold, makeTemplate } from './network.ts'
import { vmSetCreatePath, vmSetListPath } from './paths.ts'
import { choose } from './sentences.ts'

const filled = (projectId: string) => `${vmSetCreatePath(projectId)}?template=${templateId}`
const failure = 'Failed to create VM Set. Please try again.'

const nameOf = (page: Page) => page.getByLabel('Name', { exact: true })
const replicasOf = (page: Page) => page.getByLabel('Number of replicas')
const panelOf = (page: Page) => page.getByRole('region', { name: 'Template details' })

test.describe('the form of a set', () => {
  test('needs no more than a name; an alert says that the set is there, then the list shows it', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const calls = callsOf(page, vmSetApi.create)
    const { letGo } = await hold(page, vmSetApi.create)
    await page.goto(filled(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Create VM Set' })).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveValue('')
    await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
    await expect(page.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
    await expect(replicasOf(page)).toHaveValue('2')
    await expect(page.getByRole('checkbox', { name: 'Persistent storage' })).toBeChecked()
    await nameOf(page).fill(' db ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(alertOf(page)).toBeVisible()
    await expect(page).toHaveURL(filled(project.id))
    await agree(page, 'VM Set "db" created successfully with SSH key configured!')
    await expect(page).toHaveURL(vmSetListPath(project.id))
    expect(calls.map((one) => one.postDataJSON())).toEqual([
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

  test('says one rule at a time beside the button, in their order', async ({ page, project, sshKey: _ }) => {
    const calls = callsOf(page, vmSetApi.create)
    const keyless = await answer(page, sshKeyApi.list, 200, [])
    await page.goto(vmSetCreatePath(project.id))
    await replicasOf(page).fill('0')
    await page.getByRole('button', { name: 'Add Disk' }).click()
    const told = (text: string) => expectRule(nameOf(page), text)
    await told('Please enter a VM Set name.')
    await nameOf(page).fill('db')
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    await told('Please select an SSH key for secure access.')
    await keyless.end()
    // What was typed is still there after a look at the keys.
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect(page).toHaveURL('/ssh-keys')
    await page.reload()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(nameOf(page)).toHaveValue('db')
    await expect(page.getByText('1 disk', { exact: true })).toBeVisible()
    await told('Please select a template.')
    await choose(page, 'Template', 'Starter Linux')
    await told('Number of replicas must be at least 1')
    await replicasOf(page).fill('21')
    await told('Number of replicas cannot be greater than 20')
    await replicasOf(page).fill('20')
    // Choosing the template has cleared the disks.
    await expect(page.getByText('1 disk', { exact: true })).toHaveCount(0)
    await page.getByRole('button', { name: 'Add Disk' }).click()
    await page.getByLabel('Disk size').fill('')
    await told('Please enter a name for disk #1')
    await expect(page.getByLabel('Disk name')).toHaveAccessibleDescription('Please enter a disk name')
    await expect(page.getByLabel('Disk size')).toHaveAccessibleDescription('Please enter a disk size')
    await page.getByLabel('Disk name').fill('data')
    await told('Please enter a size for disk #1')
    expect(calls).toEqual([])
    await page.getByLabel('Disk size').fill('20')
    await expect(submitOf(page)).toBeEnabled()
  })

  test('has from 1 to 20 replicas, and takes what is no number as 1', async ({ page, project, sshKey }) => {
    await answer(page, templateApi.list, 200, [
      makeTemplate('small', { default_cpu: 1, default_memory_mb: 512 }),
      makeTemplate('large'),
    ])
    await page.goto(`${vmSetCreatePath(project.id)}?template=small`)
    const panel = panelOf(page)
    await expect(panel).toContainText('All about small')
    await expect(panel.getByRole('definition')).toHaveText(['1 core', '512 MB'])
    await choose(page, 'Template', 'large')
    await expect(panel.getByRole('definition')).toHaveText(['2 cores', '2.0 GB'])
    await expect(panel).toContainText('Keeps 2 VMs')
    await expect(panel).toContainText(`Each answers SSH with the key "${sshKey.name}".`)
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expect(rows).toHaveText(['In total', 'VMs2', 'CPU4 cores', 'RAM4.0 GB', 'Data disksNone'])
    await expect(replicasOf(page)).toHaveAttribute('min', '1')
    await expect(replicasOf(page)).toHaveAttribute('max', '20')
    await replicasOf(page).fill('')
    await expect(replicasOf(page)).toHaveValue('1')
    // The 1 is selected: the next digit replaces it.
    await replicasOf(page).press('3')
    await expect(replicasOf(page)).toHaveValue('3')
    await replicasOf(page).press('ControlOrMeta+A')
    await replicasOf(page).press('e')
    await expect(replicasOf(page)).toHaveValue('1')
    await expect(panel).toContainText('Keeps 1 VM:')
  })

  test('lets one choose the size of each VM, and counts it for all of them', async ({
    page,
    project,
    sshKey: _,
    call,
  }) => {
    const quota = await call(quotaApi.ofProject, { params: { projectId: project.id } })
    const { end } = await answer(page, quotaApi.ofProject, 200, {
      ...quota,
      project: { ...quota.project, processors: { used: 1, limit: 8 } },
    })
    await page.goto(filled(project.id))
    await nameOf(page).fill('db')
    await expect(page.getByText('Left: 7 processors.')).toBeVisible()
    const cpus = page.getByLabel('CPUs')
    await expect(cpus).toHaveAttribute('placeholder', '1')
    await cpus.fill('4')
    const refusal = /uses 1 of its 8 processors, and 8 more are requested/
    await expect(page.getByRole('form').getByRole('status')).toHaveText(refusal)
    await expect(submitOf(page)).toBeDisabled()
    await expectAccessible(page)
    await cpus.fill('3')
    await page.getByLabel('Memory (MB)').fill('768')
    await expect(panelOf(page).getByRole('definition')).toHaveText(['3 cores', '768 MB'])
    await page.getByRole('button', { name: 'Show as Text' }).click()
    const dialog = page.getByRole('dialog', { name: 'Show as Text' })
    await expect(dialog.getByRole('code')).toContainText('cpu: 3\n    memory_mb: 768')
    await dialog.getByRole('button', { name: 'Command' }).click()
    await expect(dialog.getByRole('code')).toContainText('--cpu 3 \\\n  --memory_mb 768')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await end()
    await submitOf(page).click()
    await agree(page, 'VM Set "db" created successfully with SSH key configured!')
    const [set] = await call(vmSetApi.list, { params: { projectId: project.id } })
    expect(set).toMatchObject({ name: 'db', cpu: 3, memory_mb: 768 })
  })

  test('has disks in rows of which one is open, that go with another template', async ({
    page,
    project,
    sshKey: _,
    call,
  }) => {
    const { end } = await answer(page, templateApi.list, 200, [
      makeTemplate(templateId, { default_cpu: 1, default_memory_mb: 256 }),
      makeTemplate('large'),
    ])
    const calls = callsOf(page, vmSetApi.create)
    await page.goto(`${vmSetCreatePath(project.id)}?template=large`)
    await nameOf(page).fill('db')
    await expect(page.getByText('Changing the template removes the additional disks.')).toHaveCount(0)
    await addDisk(page, 'old')
    await addDisk(page, 'older')
    await choose(page, 'Template', 'large')
    await expect(page.getByText('2 disks')).toBeVisible()
    await expect(page.getByText('Changing the template removes the additional disks.')).toBeVisible()
    await choose(page, 'Template', templateId)
    await expect(page.getByRole('button', { name: /^Disk \d/ })).toHaveCount(0)
    await end()
    await addDisk(page, 'data', '20GB')
    await addDisk(page, 'logs', '2097152Ki')
    const disks = page.getByRole('button', { name: /^Disk \d/ })
    await expect(disks).toHaveText(['Disk 1data20Gi', 'Disk 2'])
    await disks.first().click()
    await expect(disks).toHaveText(['Disk 1', 'Disk 2logs2Gi'])
    await expect(page.getByLabel('Disk name')).toHaveValue('data')
    await page.getByRole('button', { name: 'Remove disk 1' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove disk' })
    await expect(question.getByText('Remove this disk?')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    await submitOf(page).click()
    await agree(page, 'VM Set "db" created successfully with SSH key configured!')
    expect(calls[0]?.postDataJSON()).toMatchObject({
      persistent: false,
      disks: [
        { name: 'data', size: '20Gi', source: 'EMPTY' },
        { name: 'logs', size: '2Gi', source: 'EMPTY' },
      ],
    })
    const [set] = await call(vmSetApi.list, { params: { projectId: project.id } })
    expect(set?.disks).toEqual(calls[0]?.postDataJSON().disks)
  })

  test('says in an alert why the set is not created, and is left by Cancel without one', async ({
    page,
    project,
    sshKey: _,
  }) => {
    await page.goto(filled(project.id))
    await nameOf(page).fill('db')
    const full = 'This project has reached its limit of 5 VMs'
    for (const [status, body, text] of [
      [500, {}, failure],
      [null, {}, failure],
      [409, { message: full }, full],
    ] as const) {
      const { end } = await answer(page, vmSetApi.create, status, body)
      await submitOf(page).click()
      await agree(page, text)
      await end()
    }
    await expect(page).toHaveURL(filled(project.id))
    await expect(nameOf(page)).toHaveValue('db')
    const calls = callsOf(page, vmSetApi.create)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page).toHaveURL(vmSetListPath(project.id))
    expect(calls).toEqual([])
  })
})
