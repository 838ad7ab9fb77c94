import type { Page } from '@playwright/test'
import {
  type CallOutput,
  diskApi,
  scalingDefaults,
  type VmPool,
  type VmPoolCreate,
  vmApi,
  vmPoolApi,
} from '@slipway/contract'
import { shownMoment } from './dates.ts'
import { type Call, expect, often, templateId, test } from './fixtures.ts'
import { agree } from './group-forms.ts'
import { answer, callsOf, hold, makeVmPool, withoutStream } from './network.ts'
import { diskListPath, vmListPath, vmPath, vmPoolCreatePath, vmPoolListPath, vmPoolPath } from './paths.ts'
import { toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const linesOf = (page: Page) => toasts(page).getByRole('alert').first().getByRole('paragraph')
const questionOf = (page: Page) => page.getByRole('alertdialog', { name: 'Delete VM Pool' })

/** A failure in the server's words, and in none. */
const failures = (text: string) =>
  [
    [409, { message: 'The server says why' }, [text, 'The server says why']],
    [500, {}, [text]],
  ] as const

/** Creates a pool and waits until it has as many VMs as it wants. */
async function makePool(call: Call, projectId: string, body: VmPoolCreate): Promise<VmPool> {
  const { id } = await call(vmPoolApi.create, { params: { projectId }, body })
  let pool: VmPool | undefined
  await expect
    .poll(async () => {
      pool = await call(vmPoolApi.get, { params: { projectId, poolId: id } })
      return pool.status
    }, often)
    .toBe('active')
  if (!pool) throw new Error(`The pool ${body.name} is gone`)
  return pool
}

test.describe('the list of VM pools', () => {
  test('is empty at first and leads to the form of a pool', async ({ page, project }) => {
    const { letGo } = await hold(page, vmPoolApi.list)
    await page.goto(vmPoolListPath(project.id))
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading VM Pools...')
    letGo()
    await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    await expect(page.getByLabel('VM pools in numbers')).toBeHidden()
    for (const link of ['Create Pool', 'Create VM Pool']) {
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
      await expect(page).toHaveURL(vmPoolCreatePath(project.id))
      await page.goBack()
    }
  })

  test('sums up its pools, refreshes on request, and says why it does not load', async ({
    page,
    project,
  }) => {
    const answered = await answer(page, vmPoolApi.list, 200, [
      makeVmPool('web', { current_size: 2, max_size: 6 }),
      makeVmPool('ci', { status: 'scaling', current_size: 0 }),
      makeVmPool('broken', { status: 'error', current_size: 1, max_size: 4 }),
    ])
    await page.goto(vmPoolListPath(project.id))
    const stats = page.getByLabel('VM pools in numbers')
    await expect(stats.getByRole('term')).toHaveText([
      'Total Pools',
      'Active Pools',
      'Current VMs',
      'Max Capacity',
    ])
    await expect(stats.getByRole('definition')).toHaveText(['3', '1', '3', '13'])
    await answered.end()
    const calls = callsOf(page, vmPoolApi.list)
    const { letGo } = await hold(page, vmPoolApi.list)
    await page.getByRole('button', { name: 'Refresh' }).dblclick()
    await expect(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    expect(calls).toHaveLength(1)
    for (const [status, body, text] of [
      [403, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to load VM Pools. Please try again.'],
    ] as const) {
      const { end } = await answer(page, vmPoolApi.list, status, body)
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByRole('main').getByRole('alert')).toContainText(text)
      await end()
      await page.getByRole('button', { name: 'Try Again' }).click()
      await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    }
  })
})

test('a list of many is searched in the URL: a reload, Back and a link show what was found', async ({
  page,
  project,
}) => {
  const pools = Array.from({ length: 12 }, (_, i) => makeVmPool(`web-${i}`))
  await answer(page, vmPoolApi.list, 200, [...pools, makeVmPool('ci', { status: 'error' })])
  await page.goto(vmPoolListPath(project.id))
  const search = page.getByRole('searchbox', { name: 'Search VM pools' })
  await search.pressSequentially('err')
  await expect(page).toHaveURL(`${vmPoolListPath(project.id)}?search=err`)
  await expect(page.getByRole('search').getByRole('status')).toHaveText('Showing 1 of 13 VM pools')
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await expect(page).toHaveURL('/templates')
  await page.goBack()
  await expect(search).toHaveValue('err')
  await expect(page.getByRole('article')).toHaveCount(1)
  await page.goto(`${vmPoolListPath(project.id)}?search=none+such`)
  await expect(page.getByText('No VM pool matches "none such".')).toBeVisible()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect(page).toHaveURL(vmPoolListPath(project.id))
  await expect(page.getByText('Showing 13 of 13 VM pools')).toBeVisible()
})

test.describe('the card of a VM pool', () => {
  test('shows its sizes, how much of the maximum is used, and why it waits or failed', async ({
    page,
    project,
  }) => {
    const pool = makeVmPool('web', {
      project_id: project.id,
      description: 'Shop front',
      auto_scaling: false,
      persistent: false,
    })
    await answer(page, vmPoolApi.list, 200, [
      pool,
      makeVmPool('shrinking', {
        status: 'scaling',
        current_size: 5,
        desired_size: 2,
        max_size: 4,
        status_message: 'Waiting for a snapshot of "shrinking-5".',
      }),
      makeVmPool('broken', { status: 'error', current_size: 0, desired_size: 2 }),
      makeVmPool('odd', { status: 'resting' as VmPool['status'] }),
    ])
    await page.goto(vmPoolListPath(project.id))
    const card = cardOf(page, 'web')
    await expect(card).toContainText('Shop front')
    await expect(card).toContainText('33.3% utilization')
    await expect(card.getByRole('meter', { name: 'Utilization' })).toHaveAttribute('aria-valuenow', '33.3')
    await expect(card.getByRole('term')).toHaveText([
      'Min',
      'Desired',
      'Max',
      'Auto scaling',
      'Persistent',
      'SSH Key',
      'Created',
    ])
    await expect(card.getByRole('definition')).toHaveText([
      '1',
      '1',
      '3',
      'Off',
      'No',
      'Laptop',
      shownMoment(pool.created_at),
    ])
    const shrinking = cardOf(page, 'shrinking')
    await expect(shrinking).toContainText('5 VMs, 3 to go')
    await expect(shrinking).toContainText('125.0% utilization')
    await expect(shrinking.getByRole('meter')).toHaveAttribute('aria-valuenow', '100')
    await expect(shrinking).toContainText('WhyWaiting for a snapshot of "shrinking-5".')
    await expect(cardOf(page, 'broken')).toContainText('WhyThe server gave no reason.')
    for (const [name, status] of [
      ['web', 'Active'],
      ['shrinking', 'Scaling'],
      ['broken', 'Error'],
      ['odd', 'resting'],
    ] as const)
      await expect(cardOf(page, name).getByText(status).first()).toBeVisible()
    for (const link of ['web', 'View VMs of web']) {
      await card.getByRole('link', { name: link, exact: true }).click()
      await expect(page).toHaveURL(vmPoolPath(pool))
      await page.goBack()
    }
  })

  test('is changed in its place; Cancel brings back what was', async ({ page, project }) => {
    const pool = makeVmPool('web', { project_id: project.id })
    await answer(page, vmPoolApi.list, 200, [pool])
    await page.goto(vmPoolListPath(project.id))
    const card = cardOf(page, 'web')
    const edit = card.getByRole('button', { name: 'Edit web' })
    const save = card.getByRole('button', { name: 'Save' })
    const [min, desired, max] = ['Min size', 'Desired size', 'Max size'].map((label) =>
      card.getByLabel(label),
    )
    if (!min || !desired || !max) throw new Error('Three sizes are changed')
    const scales = card.getByRole('checkbox', { name: 'Auto scaling' })
    await edit.click()
    await expect(min).toBeFocused()
    // What is no number is the least there can be.
    for (const [field, least] of [
      [min, '0'],
      [desired, '1'],
      [max, '1'],
    ] as const) {
      await field.fill('')
      await expect(field).toHaveValue(least)
      await expect(field).toHaveAttribute('min', least)
    }
    for (const [sizes, text] of [
      [['5', '5', '4'], 'Minimum size cannot be greater than maximum size.'],
      [['1', '5', '4'], 'Desired size must be between minimum and maximum size.'],
      [['1', '1', '1001'], 'Maximum size cannot be greater than 1000.'],
    ] as const) {
      for (const [i, field] of [min, desired, max].entries()) await field.fill(sizes[i] ?? '')
      await expect(card.getByRole('status')).toHaveText(text)
      await expect(save).toBeDisabled()
      await expect(save).toHaveAccessibleDescription(text)
    }
    await scales.uncheck()
    await card.getByRole('button', { name: 'Cancel' }).click()
    await expect(edit).toBeFocused()
    await edit.click()
    for (const [field, value] of [
      [min, '1'],
      [desired, '1'],
      [max, '3'],
    ] as const)
      await expect(field).toHaveValue(value)
    await expect(scales).toBeChecked()

    await desired.fill('2')
    await scales.uncheck()
    for (const [status, body, lines] of failures('Failed to update VMPool. Please try again.')) {
      const { end } = await answer(page, vmPoolApi.update, status, body)
      await save.click()
      await expect(linesOf(page)).toHaveText([...lines])
      await expect(desired).toHaveValue('2')
      await end()
    }
    await answer(page, vmPoolApi.update, 200, { ...pool, desired_size: 2, auto_scaling: false })
    const calls = callsOf(page, vmPoolApi.update)
    const { letGo } = await hold(page, vmPoolApi.update)
    await desired.press('Enter')
    await expect(card.getByRole('button', { name: 'Saving...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Pool updated successfully')
    await expect(edit).toBeFocused()
    expect(calls.map((call) => call.postDataJSON())).toEqual([
      { min_size: 1, max_size: 3, desired_size: 2, auto_scaling: false },
    ])
  })

  test('deletes its pool after a question', async ({ page, project }) => {
    const { end } = await answer(page, vmPoolApi.list, 200, [makeVmPool('web', { project_id: project.id })])
    await page.goto(vmPoolListPath(project.id))
    const remove = cardOf(page, 'web').getByRole('button', { name: 'Delete web' })
    await remove.click()
    const question = questionOf(page)
    await expect(question).toContainText(
      'Are you sure you want to delete VM pool "web"? All its VMs will be deleted. This action cannot be undone',
    )
    await expect(question).toContainText('Disks that were created for its VMs are deleted with them.')
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(remove).toBeFocused()
    await remove.click()
    for (const [status, body, lines] of failures('Failed to delete VMPool. Please try again.')) {
      const { end } = await answer(page, vmPoolApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete VM Pool' }).click()
      await expect(linesOf(page)).toHaveText([...lines])
      await expect(question.getByRole('alert')).toHaveText(lines.at(-1) ?? '')
      await end()
    }
    await answer(page, vmPoolApi.delete, 204)
    const calls = callsOf(page, vmPoolApi.delete)
    const { letGo } = await hold(page, vmPoolApi.delete)
    await question.getByRole('button', { name: 'Delete VM Pool' }).dblclick()
    await expect(question.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    await end()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Pool deleted successfully')
    await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    expect(calls).toHaveLength(1)
  })
})

test.describe('the page of a VM pool', () => {
  test('shows the pool with its VMs, lets it be resized, and follows it', { tag: '@cluster' }, async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const pool = await makePool(call, project.id, {
      name: 'web',
      description: 'Shop front',
      template_id: templateId,
      ssh_key_id: sshKey.id,
      desired_size: 1,
      auto_scaling: false,
    })
    await page.goto(vmPoolPath(pool))
    await expect(page.getByRole('heading', { level: 1, name: 'web' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText('Shop front')
    const facts = page.getByRole('region', { name: 'Information' })
    for (const fact of ['TemplateStarter Linux', `SSH Key${sshKey.name}`, 'PersistentYes', `ID${pool.id}`])
      await expect(facts).toContainText(fact)
    const stats = page.getByLabel('VM pool in numbers')
    await expect(stats.getByRole('term')).toHaveText([
      'Current VMs',
      'Running VMs',
      'Desired Size',
      'CPU Load',
    ])
    await expect(stats.getByRole('definition').nth(1)).toHaveText('1')
    const size = page.getByRole('region', { name: 'Size', exact: true })
    await expect(size).toContainText('33.3% utilization')
    await expect(size.getByRole('meter')).toHaveAttribute(
      'aria-valuetext',
      '33.3%: 1 of 3 VMs, desired 1, minimum 1',
    )
    await expect(cardOf(page, 'web-1').getByRole('button', { name: 'Stop' })).toBeVisible()
    // What a pool is there for begins on the first screen, before its charts.
    await expect(page.getByRole('heading', { level: 2, name: 'Virtual Machines' })).toBeInViewport()

    await page.getByRole('button', { name: 'Edit' }).click()
    await size.getByLabel('Desired size').fill('2')
    await size.getByRole('button', { name: 'Save' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Pool updated successfully')
    // The page follows by itself what comes of it.
    await expect(cardOf(page, 'web-2').getByText('Running', { exact: true })).toBeVisible()
    await expect(stats.getByRole('definition')).toHaveText([/^2/, '2', '2', /./])
    await expect(page.getByRole('row', { name: /"web-2" was added/ })).toContainText('1 to 2')
    await expect(size.getByText('Active')).toBeVisible()
    await expect(page.getByRole('main')).toContainText('The size changes only when somebody changes it.')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('button', { name: 'Refresh', exact: true })).toBeEnabled()

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await questionOf(page).getByRole('button', { name: 'Delete VM Pool' }).click()
    await expect(page).toHaveURL(vmPoolListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    await expect.poll(() => call(vmApi.list, { params: { projectId: project.id } })).toEqual([])
  })

  test('draws the last hour, and tells what the autoscaler goes by and thinks', async ({ page, project }) => {
    const pool = makeVmPool('web', { project_id: project.id, status: 'scaling', desired_size: 3 })
    const drawn: string[] = []
    page.on('request', (request) => {
      if (/\/Plot-.*js$/.test(request.url())) drawn.push(request.url())
    })
    await answer(page, vmPoolApi.list, 200, [pool])
    await answer(page, vmPoolApi.get, 200, { ...pool, vms: [] })
    await answer(page, vmPoolApi.history, 200, historyOf())
    await page.goto(vmPoolListPath(project.id))
    await expect(cardOf(page, 'web')).toBeVisible()
    expect(drawn).toEqual([])
    await cardOf(page, 'web').getByRole('link', { name: 'web', exact: true }).click()
    await expect(
      page.getByRole('img', { name: 'Size over the last hour: from 1 to 2 VMs, now 2, desired 3.' }),
    ).toBeVisible()
    await expect(
      page
        .getByRole('img', { name: 'CPU load over the last hour: from 40% to 82%, now 82%.' })
        .locator('canvas'),
    ).toBeVisible()
    expect(drawn).toHaveLength(1)
    await expect(page.getByRole('main')).toContainText('2 VMs to come. Scaling since')
    await expect(page.getByText('CPU 82 % over 15 s: it waits.')).toBeVisible()
    await expect(page.getByRole('main')).toContainText(
      'Adds a VM when the mean CPU load stays above 75% for 60 s, and removes one when it stays below 20% for 5 min.',
    )
    const rows = page.getByRole('table').getByRole('row')
    await expect(rows).toHaveCount(6)
    await expect(rows.nth(1)).toContainText('CPU 82 % over 60 s, above 75 %: 2 to 3')
    await page.getByRole('button', { name: 'Show 2 more' }).click()
    await expect(rows).toHaveCount(8)
    await expect(page.getByText('The pool has no VMs yet.')).toBeVisible()
  })

  test('says why a pool is in error and what comes', async ({ page, project }) => {
    const pool = makeVmPool('web', {
      project_id: project.id,
      status: 'error',
      status_message: 'Needs 2.0 GB of memory, the host has 1.2 GB',
    })
    await answer(page, vmPoolApi.get, 200, { ...pool, vms: [] })
    await page.goto(vmPoolPath(pool))
    const why = page.getByRole('main').getByRole('alert')
    await expect(why).toContainText(`Error since ${shownMoment(pool.status_since)}`)
    await expect(why).toContainText(
      'Needs 2.0 GB of memory, the host has 1.2 GB. The pool recovers automatically once that is fixed.',
    )
  })

  test('says why a roll-out is paused, which VMs have which settings, and lets it continue or stop', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const made = await makePool(call, project.id, {
      name: 'web',
      template_id: templateId,
      ssh_key_id: sshKey.id,
      desired_size: 2,
      auto_scaling: false,
    })
    const params = { projectId: project.id, poolId: made.id }
    const pool = await call(vmPoolApi.get, { params })
    const paused = {
      ...pool,
      status: 'error' as const,
      status_message:
        'The roll-out is paused, and no VM is created. No space. Continue or stop the roll-out.',
      roll_out: { revision: 2, state: 'paused' as const, message: 'No space.', renewed_vms: 1, total_vms: 2 },
      revisions: pool.vms.map(({ id }, i) => ({ vm_id: id, revision: 2 - i })),
    }
    await withoutStream(page)
    await answer(page, vmPoolApi.get, 200, paused)
    await page.goto(vmPoolPath(pool))
    const why = page.getByRole('main').getByRole('alert')
    await expect(why).toContainText('The roll-out is paused, and no VM is created. No space.')
    await expect(why).not.toContainText('recovers automatically')
    const settings = page.getByRole('region', { name: 'Settings of the VMs' })
    await expect(settings.getByRole('status')).toContainText('1 of 2 VMs has the new settings')
    await expect(settings.getByRole('term')).toHaveText(['Revision 2', 'Revision 1'])
    await expect(settings.getByRole('definition')).toHaveText(['web-1', 'web-2'])
    const resume = settings.getByRole('button', { name: 'Continue Roll-Out' })
    const stop = settings.getByRole('button', { name: 'Stop Roll-Out' })
    for (const [button, endpoint, text] of [
      [resume, vmPoolApi.continueRollOut, 'Failed to continue the roll-out.'],
      [stop, vmPoolApi.stopRollOut, 'Failed to stop the roll-out.'],
    ] as const) {
      const { end } = await answer(page, endpoint, 409, { message: 'The server says why' })
      await button.click()
      await expect(linesOf(page)).toHaveText([text, 'The server says why'])
      await end()
      const calls = callsOf(page, endpoint)
      const accepted = await answer(page, endpoint, 200, paused)
      await button.click()
      await expect.poll(() => calls.length).toBe(1)
      await accepted.end()
    }
  })

  test('alerts when a pool does not load; then there is none, and a way back', async ({ page, project }) => {
    const path = vmPoolPath({ project_id: project.id, id: 'some' })
    const alert = 'Failed to load VM Pool data. Please try again.'
    const notFound = page.getByRole('heading', { level: 1, name: 'VM Pool not found' })
    await page.goto(path)
    await agree(page, alert)
    await expect(notFound).toBeVisible()
    for (const [status, body] of [
      [500, {}],
      [503, { message: 'The server says why' }],
      [null, {}],
    ] as const) {
      const { end } = await answer(page, vmPoolApi.get, status, body)
      await page.reload()
      if ('message' in body) await expect(page.getByRole('alertdialog')).toContainText(body.message)
      await agree(page, alert)
      await expect(notFound).toBeVisible()
      await end()
    }
    const pool = makeVmPool('some', { project_id: project.id })
    await answer(page, vmPoolApi.get, 200, { ...pool, vms: [] })
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'some' })).toBeVisible()
    await page.getByRole('link', { name: 'Back to VM Pools' }).click()
    await expect(page).toHaveURL(vmPoolListPath(project.id))
  })
})

test('a VM of a pool names its pool, and is replaced with the disks that were made for it', async ({
  page,
  project,
  sshKey,
  makeVm,
  call,
}) => {
  const pool = await makePool(call, project.id, {
    name: 'web',
    template_id: templateId,
    ssh_key_id: sshKey.id,
    auto_scaling: false,
    disks: [{ name: 'data', size: '1Gi' }],
  })
  await makeVm('alone', 'running')
  await page.goto(diskListPath(project.id))
  await expect(cardOf(page, 'data-1')).toContainText('Deleted with this VM')

  await page.goto(vmListPath(project.id))
  await expect(cardOf(page, 'alone')).not.toContainText('Part of')
  await page.getByRole('button', { name: 'More actions for alone' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete VM' })
  await expect(question.getByText(/^Are you sure/)).toHaveText(
    'Are you sure you want to delete VM "alone"? Attached disks are kept. This action cannot be undone.',
  )
  await question.getByRole('button', { name: 'Cancel' }).click()
  await cardOf(page, 'web-1').getByRole('link', { name: 'web', exact: true }).click()
  await expect(page).toHaveURL(vmPoolPath(pool))

  const [first] = await call(vmApi.list, { params: { projectId: project.id } })
  if (!first) throw new Error('The pool has no VM')
  await page.goto(vmPath(first))
  await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Part ofpool web')
  await expect(page.getByRole('main')).toContainText('Data disk, deleted with this VM')
  await page.getByRole('button', { name: 'More actions for web-1' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  await expect(question).toContainText(
    'It is part of a VM pool, "web": disks that were made for it are deleted with it, and a new VM takes its place.',
  )
  await question.getByRole('button', { name: 'Delete VM' }).click()
  await expect(page).toHaveURL(vmListPath(project.id))
  await expect
    .poll(async () => {
      const vms = await call(vmApi.list, { params: { projectId: project.id } })
      const disks = await call(diskApi.list, { params: { projectId: project.id }, query: {} })
      const other = vms.find((vm) => vm.vmpool_id === pool.id)
      return [other?.id !== first.id, other?.status, disks.map((disk) => disk.vm_id === other?.id)]
    }, often)
    .toEqual([true, 'running', [true]])
  await expect(cardOf(page, 'web-1').getByText('Running', { exact: true })).toBeVisible()
})

function historyOf(): CallOutput<typeof vmPoolApi.history> {
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString()
  return {
    samples: [
      { at: at(120), cpu: 40, current_size: 1, desired_size: 1 },
      { at: at(60), cpu: null, current_size: 1, desired_size: 2 },
      { at: at(0), cpu: 82, current_size: 2, desired_size: 3 },
    ],
    events: Array.from({ length: 7 }, (_, i) => ({
      id: String(i),
      at: at(i),
      kind: 'scaled' as const,
      message: `CPU 82 % over 60 s, above 75 %: ${2 - i} to ${3 - i}`,
      from_size: 2,
      to_size: 3,
    })),
    policy: scalingDefaults,
    verdict: 'CPU 82 % over 15 s: it waits.',
  }
}
