import { templateApi, type VmSetCreate, vmSetApi } from '@slipway/contract'
import { makeTemplate } from '@slipway/e2e/objects'
import { vmSetCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { call, choose, press, templateId, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts, said } from '../../screen/shown.test-kit.ts'
import { addDisk, agree, expectRule, panelOf, submitOf } from '../vm-group/vm-group.test-kit.ts'

const filled = (projectId: string) => `${vmSetCreatePath(projectId)}?template=${templateId}`

const nameOf = () => page.getByLabelText('Name', { exact: true })
const replicasOf = () => page.getByLabelText('Number of replicas')
const persistentOf = () => page.getByRole('checkbox', { name: 'Persistent storage', exact: false })

describe('the form of a set', () => {
  test('says one rule at a time beside the button, in their order', async ({ project, sshKey: _ }) => {
    const calls = callsOf(vmSetApi.create)
    await visit(filled(project.id))
    await replicasOf().fill('0')
    await expectRule(nameOf(), 'Please enter a VM Set name.')
    await nameOf().fill('db')
    await expectRule(nameOf(), 'Number of replicas must be at least 1')
    expect(calls).toEqual([])
    await replicasOf().fill('20')
    await expect.element(submitOf()).toBeEnabled()
  })

  test('has from 1 to 20 replicas, and takes what is no number as 1', async ({ project, sshKey }) => {
    answer(templateApi.list, 200, [makeTemplate('large')])
    await visit(`${vmSetCreatePath(project.id)}?template=large`)
    const panel = panelOf()
    await expectText(panel, 'Keeps 2 VMs', `Each answers SSH with the key "${sshKey.name}".`)
    const rows = panel.getByRole('table', { name: 'All VMs together' }).getByRole('row')
    await expectTexts(rows, ['In total', 'VMs2', 'CPU4 cores', 'RAM4.0 GB', 'Data disksNone'])
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
    await expectText(panel, 'Keeps 1 VM:')
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
    const warning = said('Changing the template removes the additional disks.')
    await expect.element(warning).not.toBeInTheDocument()
    await addDisk('old')
    await addDisk('older')
    await choose('Template', /^large/)
    await expect.element(page.getByText('2 disks')).toBeVisible()
    await expect.element(warning).toBeVisible()
    await choose('Template', new RegExp(`^${templateId}`))
    const disks = page.getByRole('button', { name: /^Disk \d/ })
    await expectCount(disks, 0)
    await end()
    await addDisk('data', '20GB')
    await addDisk('logs', '2097152Ki')
    await expectTexts(disks, ['Disk 1data20Gi', 'Disk 2'])
    await disks.first().click()
    await expectTexts(disks, ['Disk 1', 'Disk 2logs2Gi'])
    await expect.element(page.getByLabelText('Disk name')).toHaveValue('data')
    await tick(persistentOf(), false)
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
})
