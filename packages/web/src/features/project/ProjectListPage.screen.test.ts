import {
  diskApi,
  diskSnapshotApi,
  projectApi,
  type Vm,
  type VmCreate,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk, makeDiskSnapshot, makeVmPool, makeVmSet, makeVmSnapshot } from '@slipway/e2e/objects'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, hold, type SeenCall } from '../../screen/network.test-kit.ts'
import { address, call, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectFailures, expectText, expectTexts, texts } from '../../screen/shown.test-kit.ts'
import { manageProjects, question, selected } from './project.test-kit.ts'

/** The names of cards lead to their projects; deleted ones are rows below them, which lead nowhere. */
const cards = page
  .getByRole('article')
  .getByRole('heading')
  .filter({ has: page.getByRole('link') })
const cardOf = (name: string) => page.getByRole('article').getByRole('link', { name, exact: true })

/** Creates a VM in some project, and waits until it runs. */
async function makeVmIn(projectId: string, body: VmCreate): Promise<Vm> {
  const { id } = await call(vmApi.create, { params: { projectId }, body })
  const get = () => call(vmApi.get, { params: { projectId, vmId: id } })
  await expect.poll(async () => (await get()).status).toBe('running')
  return get()
}

describe('the page of the projects', () => {
  test('is empty at first, and a dialog creates the first one', async ({ user: _ }) => {
    await visit('/projects')
    await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await page.getByRole('button', { name: 'Create Project' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'New Project' })
    await expect.element(dialog.getByLabelText('Project Name')).toHaveFocus()
    await dialog.getByLabelText('Project Name').fill('Engines')
    await dialog.getByRole('button', { name: 'Create Project' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Engines' })).toBeVisible()
    await expect.poll(address).toBe('/')
  })

  test('shows each project as the API has it', async ({ project }) => {
    await call(projectApi.create, { body: { name: 'مشروع' } })
    await call(projectApi.create, { body: { name: '🚀 Looms' } })
    const projects = await call(projectApi.list, {})
    expect(projects[0]).toEqual(project)
    await visit('/projects')
    const articles = page.getByRole('article')
    await expectCount(articles, 3)
    for (const [index, { name, description, created_at }] of projects.entries()) {
      const card = articles.nth(index)
      await expect.element(card.getByRole('heading', { name })).toBeVisible()
      await expectText(card, `${description}Created ${shownMoment(created_at)}`)
      await expectCount(card.getByText('Active', { exact: true }), index === 0 ? 1 : 0)
    }
  })

  test('counts the VMs of each and names the newest three', async ({ project, makeVm }) => {
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    const vm = await makeVm('one')
    const vms = (...all: [name: string, status: Vm['status']][]) =>
      all.map(([name, status], i) => ({
        ...vm,
        id: name,
        name,
        status,
        created_at: new Date(1_700_000_000_000 + i * 1000).toISOString(),
      }))
    const some = vms(
      ['one', 'stopped'],
      ['two', 'running'],
      ['three', 'running'],
      ['four', 'provisioning'],
      ['five', 'running'],
    )
    const three = vms(['a', 'running'], ['b', 'running'], ['c', 'running'])
    answer(vmApi.list, 200, ({ path }: SeenCall) => (path.includes(looms.id) ? three : some))
    await visit('/projects')
    const card = page.getByRole('article', { name: project.name })
    await expectTexts(card.getByRole('term'), ['Total', 'Running', 'Stopped', 'Starting'])
    await expectTexts(card.getByRole('definition'), ['5', '3', '1', '1'])
    await expectTexts(card.getByRole('list', { name: 'Recent VMs' }).getByRole('listitem'), [
      'five, running',
      'four, provisioning',
      'three, running',
      '+2 more',
    ])
    const other = page.getByRole('article', { name: 'Looms' })
    await expectTexts(other.getByRole('definition'), ['3', '3', '0', '0'])
    await expectTexts(other.getByRole('list', { name: 'Recent VMs' }).getByRole('listitem'), [
      'c, running',
      'b, running',
      'a, running',
    ])
  })

  test('follows VMs that are starting in a project that is not selected', async ({ project: _, sshKey }) => {
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    const vm = await makeVmIn(looms.id, { name: 'one', template_id: templateId, ssh_key_id: sshKey.id })
    const { end } = answer(vmApi.list, 200, [{ ...vm, status: 'starting' }])
    await stopClock()
    holdClock()
    await visit('/projects')
    const counts = () => texts(page.getByRole('article', { name: 'Looms' }).getByRole('definition'))
    await expect.poll(counts).toEqual(['1', '0', '0', '1'])
    await end()
    await passTime(4_000)
    await expect.poll(counts).toEqual(['1', '0', '0', '1'])
    await passTime(2_000)
    await expect.poll(counts).toEqual(['1', '1', '0', '0'])
  })

  test('says that the VMs of a project could not be counted, and counts them on request', async ({
    project,
    makeVm,
  }) => {
    await makeVm('engine', 'running')
    const text = 'The VMs of this project could not be counted.'
    const { end } = answer(vmApi.list, 500)
    await visit('/projects')
    const card = page.getByRole('article', { name: project.name })
    const counts = () => texts(card.getByRole('definition'))
    await expect.poll(counts).toEqual(['Unknown', 'Unknown', 'Unknown', 'Unknown'])
    await expect.element(card.getByRole('paragraph').filter({ hasText: text })).toBeVisible()
    const remove = card.getByRole('button', { name: `Delete ${project.name}` })
    await expect.element(remove).toBeDisabled()
    await expect.element(remove).toHaveAccessibleDescription(text)
    await expect.element(page.getByRole('link', { name: /VMs Unknown/ })).toBeVisible()
    const dialog = await manageProjects()
    await expectText(dialog.getByRole('listitem'), text)
    await expect.element(dialog.getByRole('button', { name: `Delete ${project.name}` })).toBeDisabled()
    await end()
    await dialog.getByRole('button', { name: `Try Again: ${project.name}` }).click()
    await expectText(dialog.getByRole('listitem'), '1 VM, 1 running')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.poll(counts).toEqual(['1', '1', '0', '0'])
  })

  test('offers to delete only what has no VMs', async ({ project, makeVm }) => {
    await makeVm('engine')
    await call(projectApi.create, { body: { name: 'Looms' } })
    await visit('/projects')
    const kept = page.getByRole('article', { name: project.name })
    await expect.element(kept.getByText('Has VMs', { exact: true })).toBeVisible()
    expect(kept.getByRole('button').elements()).toEqual([])
    const empty = page.getByRole('article', { name: 'Looms' })
    await expect.element(empty.getByText('No VMs')).toBeVisible()
    await expect.element(empty.getByRole('button', { name: 'Delete Looms' })).toBeVisible()
    await expect.element(empty.getByText('Has VMs', { exact: false })).not.toBeInTheDocument()
  })

  test('selects the project whose card is clicked, wherever it is clicked', async ({ project: _ }) => {
    await call(projectApi.create, { body: { name: 'Looms', description: 'Jacquard and others' } })
    await visit('/projects')
    const card = page.getByRole('article', { name: 'Looms' })
    // The text is beneath the link that covers the card, so it is the place that is clicked.
    await card.getByText('Jacquard and others').click({ force: true })
    await expect.poll(address).toBe('/')
    await expect.element(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    await expect.element(selected('Looms')).toBeVisible()
  })

  test('says before the deletion what else goes with a project', async ({ project, addDisk }) => {
    const { id } = await addDisk('gone')
    await call(diskApi.delete, { params: { projectId: project.id, diskId: id } })
    answer(diskApi.list, 200, [makeDisk('d')])
    answer(vmSnapshotApi.list, 200, [makeVmSnapshot('s')])
    answer(diskSnapshotApi.list, 200, [makeDiskSnapshot('s')])
    answer(vmPoolApi.list, 200, [makeVmPool('a'), makeVmPool('b')])
    answer(vmSetApi.list, 200, [makeVmSet('c')])
    await visit('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    await expect
      .element(
        dialog.getByText(
          'Its 2 VM pools, 1 VM set, 1 disk, 1 VM snapshot, 1 disk snapshot, and 1 object in the bin are deleted, too.',
          { exact: false },
        ),
      )
      .toBeVisible()
    await dialog.getByRole('button', { name: 'Delete Project' }).click()
    await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  })

  test('deletes no project before all that goes with it was counted', async ({ project: _ }) => {
    const disks = hold(diskApi.list)
    const sets = answer(vmSetApi.list, 500)
    await visit('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    const confirm = dialog.getByRole('button', { name: 'Delete Project' })
    const counted = dialog.getByRole('status').first()
    await expect.element(counted).toHaveTextContent('Counting what will be deleted with the project...')
    await expect.element(confirm).toBeDisabled()
    disks.letGo()
    await expect.element(counted).toHaveTextContent('The contents of this project could not be counted.')
    await expect.element(confirm).toBeDisabled()
    await sets.end()
    await dialog.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(confirm).toBeEnabled()
  })

  test('keeps the focus on the button that waited until all was counted', async ({ project: _ }) => {
    await call(projectApi.create, { body: { name: 'Looms' } })
    const counting = hold(diskApi.list)
    await visit('/projects')
    await page.getByRole('button', { name: 'Delete Looms' }).click()
    const button = page.getByRole('alertdialog').getByRole('button', { name: 'Delete Project' })
    ;((await button.findElement()) as HTMLElement).focus()
    await expect.element(button).toBeDisabled()
    counting.letGo()
    await expect.element(button).toBeEnabled()
    await expect.element(button).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(cardOf('Looms')).not.toBeInTheDocument()
  })

  test('deletes a project after a question, and selects the first of the others', async ({ project: _ }) => {
    for (const name of ['Looms', 'Mills']) await call(projectApi.create, { body: { name } })
    await visit('/projects')
    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Project Engines' })
    await expect.element(dialog.getByText(question, { exact: true })).toBeVisible()
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog).not.toBeInTheDocument()
    await expectCount(page.getByRole('article'), 3)
    expect(await call(projectApi.list, {})).toHaveLength(3)

    await page.getByRole('button', { name: 'Delete Engines' }).click()
    const agree = () => dialog.getByRole('button', { name: 'Delete Project' }).click()
    // In a banner, and nowhere else.
    await expectFailures(projectApi.delete, agree, 'Failed to delete project', async (text) => {
      await expect.element(dialog.getByRole('alert')).toHaveTextContent(text)
      await expectCount(page.getByRole('alert'), 1)
    })
    const { letGo } = hold(projectApi.delete)
    await agree()
    await expect.element(dialog.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expectTexts(cards, ['Looms', 'Mills'])
    await expect.element(selected('Looms')).toBeVisible()

    // One that is not selected takes nothing with it; after the last one nothing is selected.
    for (const name of ['Mills', 'Looms']) {
      await expect.element(selected('Looms')).toBeVisible()
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await page.getByRole('button', { name: 'Delete Project' }).click()
      await expect.element(cardOf(name)).not.toBeInTheDocument()
    }
    await expect.element(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'No projects', exact: true })).toBeVisible()
    expect(await call(projectApi.list, {})).toEqual([])
  })
})
