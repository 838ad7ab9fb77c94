import { vmApi } from '@slipway/contract'
import { copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'
import { answer, callsOf } from './network.ts'
import { vmListPath, vmPath } from './paths.ts'

test.describe('the list', () => {
  test('is empty at first and leads to the templates', async ({ page, project }) => {
    await page.goto(vmListPath(project.id))
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
    await page.goto(vmListPath(project.id))
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
    await page.goto(vmListPath(project.id))
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
    await page.goto(vmListPath(project.id))
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
    await page.goto(vmListPath(project.id))
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
    expect(await copied(page)).toBe(vm.ip_address)
    await card.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    expect(await copied(page)).toBe(`ssh root@${vm.ip_address}`)
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
    await page.goto(vmListPath(project.id))
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
    await page.goto(vmListPath(project.id))
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
  await list.goto(vmListPath(project.id))
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
  await page.goto(vmListPath(project.id))
  const card = page.getByRole('article', { name: vm.name })
  await expect(card.getByText(/^Provisioning/)).toBeVisible()
  await page.request.post(`/api${vmPath(vm)}/stop`, { data: { force: true } })
  await expect(card.getByText('Stopped', { exact: true })).toBeVisible()
})
