import type { Page } from '@playwright/test'
import {
  rootDiskTooSmall,
  startScriptApi,
  startScriptTexts,
  type VmSet,
  vmApi,
  vmSetApi,
} from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { shownMoment } from './dates.ts'
import { expect, templateId, test } from './fixtures.ts'
import { agree } from './group-forms.ts'
import { answer, callsOf, hold, makeVmSet } from './network.ts'
import { vmListPath, vmSetCreatePath, vmSetListPath, vmSetPath } from './paths.ts'
import { toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const linesOf = (page: Page) => toasts(page).getByRole('alert').first().getByRole('paragraph')

/** A failure in the server's words, and in none. */
const failures = (text: string) =>
  [
    [409, { message: 'The server says why' }, [text, 'The server says why']],
    [500, {}, [text]],
  ] as const

test.describe('the list of VM sets', () => {
  test('is empty at first, sums up its sets, and says why it does not load', async ({ page, project }) => {
    const { letGo } = await hold(page, vmSetApi.list)
    await page.goto(vmSetListPath(project.id))
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading VM Sets...')
    letGo()
    await expect(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
    const stats = page.getByLabel('VM sets in numbers')
    await expect(stats).toBeHidden()
    for (const link of ['Create Set', 'Create VM Set']) {
      await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
      await expect(page).toHaveURL(vmSetCreatePath(project.id))
      await page.goBack()
    }
    const sets = [
      makeVmSet('web', { vm_stats: { total_vms: 3, running_vms: 1 } }),
      makeVmSet('broken', { status: 'error' }),
    ]
    const settled = await answer(page, vmSetApi.list, 200, sets)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(stats.getByRole('term')).toHaveText(['Total Sets', 'Active Sets', 'Total VMs'])
    await expect(stats.getByRole('definition')).toHaveText(['2', '1', '5'])
    await settled.end()
    const creating = await answer(page, vmSetApi.list, 200, [
      ...sets,
      makeVmSet('ci', { status: 'creating', vm_stats: { total_vms: 0, running_vms: 0 } }),
    ])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(stats.getByRole('term')).toHaveText(['Total Sets', 'Active Sets', 'Total VMs', 'Creating'])
    await expect(stats.getByRole('definition')).toHaveText(['3', '1', '5', '1'])
    await creating.end()
    const failed = await answer(page, vmSetApi.list, 500)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toContainText(
      'Failed to load VM Sets. Please try again.',
    )
    await failed.end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
  })
})

test.describe('the card of a VM set', () => {
  test('shows how many VMs it has, and why it waits or failed', async ({ page, project }) => {
    const set = makeVmSet('web', { project_id: project.id, vm_stats: { total_vms: 2, running_vms: 1 } })
    await answer(page, vmSetApi.list, 200, [
      set,
      makeVmSet('coming', { status: 'creating', status_message: 'One VM is to come.' }),
      makeVmSet('broken', { status: 'error' }),
      makeVmSet('odd', { status: 'resting' as VmSet['status'] }),
    ])
    await page.goto(vmSetListPath(project.id))
    const card = cardOf(page, 'web')
    await expect(card.getByRole('img', { name: '1 of 2 VMs run, 2 exist' })).toBeVisible()
    await expect(card.getByRole('term')).toHaveText([
      'Replicas',
      'VMs',
      'Running',
      'Persistent',
      'SSH Key',
      'Created',
    ])
    await expect(card.getByRole('definition')).toHaveText([
      '2',
      '2',
      '1',
      'Yes',
      'Laptop',
      shownMoment(set.created_at),
    ])
    await expect(cardOf(page, 'coming')).toContainText('WhyOne VM is to come.')
    await expect(cardOf(page, 'broken')).toContainText('WhyThe server gave no reason.')
    for (const [name, status] of [
      ['web', 'Active'],
      ['coming', 'Creating'],
      ['broken', 'Error'],
      ['odd', 'resting'],
    ] as const)
      await expect(cardOf(page, name).getByText(status)).toBeVisible()
  })

  test('is changed in its place; Cancel brings back what was', async ({ page, project }) => {
    const set = makeVmSet('web', { project_id: project.id })
    await answer(page, vmSetApi.list, 200, [set])
    await page.goto(vmSetListPath(project.id))
    const card = cardOf(page, 'web')
    const edit = card.getByRole('button', { name: 'Edit web' })
    const save = card.getByRole('button', { name: 'Save' })
    const replicas = card.getByLabel('Number of replicas')
    await edit.click()
    await expect(replicas).toBeFocused()
    await expect(replicas).toHaveAttribute('min', '1')
    await expect(replicas).toHaveAttribute('max', '20')
    for (const [value, text] of [
      ['0', 'Number of replicas must be at least 1'],
      ['21', 'Number of replicas cannot be greater than 20'],
    ] as const) {
      await replicas.fill(value)
      await expect(card.getByRole('status')).toHaveText(text)
      await expect(save).toBeDisabled()
    }
    await replicas.fill('')
    await expect(replicas).toHaveValue('1')
    await expect(card).toContainText('One VM will be deleted with the disks created for it')
    await page.keyboard.press('Escape')
    await expect(edit).toBeFocused()
    await edit.click()
    await expect(replicas).toHaveValue('2')
    await replicas.fill('5')
    for (const [status, body, lines] of failures('Failed to update VMSet. Please try again.')) {
      const { end } = await answer(page, vmSetApi.update, status, body)
      await save.click()
      await expect(linesOf(page)).toHaveText([...lines])
      await end()
    }
    await answer(page, vmSetApi.update, 200, { ...set, replicas: 5 })
    const calls = callsOf(page, vmSetApi.update)
    await save.click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Set updated successfully')
    expect(calls.map((call) => call.postDataJSON())).toEqual([{ replicas: 5 }])
  })

  test('keeps what is typed and the focus when another set appears above', async ({ page, project }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    const set = makeVmSet('web', { project_id: project.id })
    const { end } = await answer(page, vmSetApi.list, 200, [set])
    await page.goto(vmSetListPath(project.id))
    await cardOf(page, 'web').getByRole('button', { name: 'Edit web' }).click()
    const replicas = cardOf(page, 'web').getByLabel('Number of replicas')
    await replicas.fill('7')
    await end()
    await answer(page, vmSetApi.list, 200, [makeVmSet('above', { project_id: project.id }), set])
    // As when one comes back to the tab; what is fresh is not asked for again.
    await page.waitForTimeout(1_100)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await expect(cardOf(page, 'above')).toBeVisible()
    await expect(replicas).toHaveValue('7')
    await expect(replicas).toBeFocused()
  })

  test('deletes its set after a question', async ({ page, project }) => {
    const { end } = await answer(page, vmSetApi.list, 200, [makeVmSet('web', { project_id: project.id })])
    await page.goto(vmSetListPath(project.id))
    const remove = cardOf(page, 'web').getByRole('button', { name: 'Delete web' })
    const question = page.getByRole('alertdialog', { name: 'Delete VM Set' })
    await remove.click()
    for (const [status, body, lines] of failures('Failed to delete VMSet. Please try again.')) {
      const { end } = await answer(page, vmSetApi.delete, status, body)
      await expect(question).toContainText(
        'Are you sure you want to delete VM set "web"? All its VMs will be deleted. This action cannot be undone',
      )
      await question.getByRole('button', { name: 'Delete VM Set' }).click()
      await expect(linesOf(page)).toHaveText([...lines])
      await expect(question.getByRole('alert')).toHaveText(lines.at(-1) ?? '')
      await end()
    }
    await answer(page, vmSetApi.delete, 204)
    await end()
    await question.getByRole('button', { name: 'Delete VM Set' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Set deleted successfully')
    await expect(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
  })
})

test.describe('the page of a VM set', () => {
  test('shows the set with its VMs, lets it be resized, and follows it', { tag: '@cluster' }, async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const params = { projectId: project.id }
    const body = { name: 'web', template_id: templateId, ssh_key_id: sshKey.id, replicas: 1 }
    const set = await call(vmSetApi.create, { params, body })
    await page.goto(vmSetPath(set))
    await expect(page.getByRole('heading', { level: 1, name: 'web' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Information' })).toContainText('TemplateStarter Linux')
    const stats = page.getByLabel('VM set in numbers')
    await expect(stats.getByRole('term')).toHaveText(['Total VMs', 'Running VMs', 'CPU Load'])
    await expect(stats.getByRole('definition')).toHaveText(['1of 1', '1', /./])
    await expect(cardOf(page, 'web-1').getByRole('button', { name: 'Stop' })).toBeVisible()
    // What a set is there for comes before its charts.
    const [members, charts] = await Promise.all([
      page.getByRole('heading', { level: 2, name: 'Virtual Machines' }).boundingBox(),
      page.getByRole('region', { name: 'The last hour' }).boundingBox(),
    ])
    expect(members?.y).toBeLessThan(charts?.y ?? 0)
    await expect(cardOf(page, 'web-1')).toContainText('Part ofset web')

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Number of replicas').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Set updated successfully')
    await expect(cardOf(page, 'web-2').getByText('Running', { exact: true })).toBeVisible()
    await expect(stats.getByRole('definition')).toHaveText(['2of 2', '2', /./])
    await expect(page.getByRole('img', { name: '2 of 2 VMs run, 2 exist' })).toBeVisible()
    await expect(page.getByRole('row', { name: /"web-2" was added/ })).toContainText('1 to 2')

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete VM Set' }).click()
    await expect(page).toHaveURL(vmSetListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
    await page.goto(vmListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    expect(await call(vmApi.list, { params })).toEqual([])
  })

  test('rolls other settings out VM by VM, and says how far it is', async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const params = { projectId: project.id }
    const body = { name: 'web', template_id: templateId, ssh_key_id: sshKey.id, replicas: 2 }
    const set = await call(vmSetApi.create, { params, body })
    await page.goto(vmSetPath(set))
    await expect(cardOf(page, 'web-2').getByText('Running', { exact: true })).toBeVisible()
    const settings = page.getByRole('region', { name: 'Settings of the VMs' })
    await expect(settings.getByRole('status')).toContainText('Every VM has the current settings: 1 core')
    await settings.getByRole('button', { name: 'Roll Out Changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll Out Changes' })
    const send = dialog.getByRole('button', { name: 'Roll Out', exact: true })
    await expect(send).toHaveAccessibleDescription(/^All VMs have these settings already\./)
    await dialog.getByLabel('CPUs').fill('2')
    const rootDisk = dialog.getByLabel('Root disk (GB)')
    await expect(rootDisk).toHaveAccessibleDescription('Left empty, it has the 4 GB of the template.')
    await rootDisk.fill('2')
    await dialog.getByRole('combobox', { name: 'Start script' }).click()
    await page.getByRole('option', { name: 'Replace' }).click()
    const script = dialog.getByLabel('Script', { exact: true })
    await script.fill('echo')
    await expect(script).toHaveAccessibleDescription(startScriptTexts.form)
    await expectAccessible(page)
    await script.fill('#!/bin/sh\necho Rolled out\n')
    await expect(send).toHaveAccessibleDescription('Accept that the disks of replaced VMs are deleted.')
    await dialog.getByLabel('Delete the disks of replaced VMs').check()
    await send.click()
    await expect(rootDisk).toHaveAccessibleDescription(rootDiskTooSmall(4))
    await expect(toasts(page).getByRole('alert')).toContainText('Failed to begin the roll-out.')
    await rootDisk.fill('30')
    await send.click()
    await expect(toasts(page).getByRole('status')).toHaveText('The roll-out has begun')
    await expect(dialog).toBeHidden()
    await expect(settings.getByRole('status')).toContainText(
      /^Every VM has the current settings: 2 cores, .* of memory and a root disk of 30Gi,/,
    )
    await expect(page.getByText('30Gi', { exact: true })).toBeVisible()
    await expect(settings.getByRole('button', { name: 'Stop Roll-Out' })).toBeHidden()
    await expect(page.getByRole('row', { name: /All VMs have the new settings/ })).toBeVisible()
    const { vms } = await call(vmSetApi.get, { params: { ...params, setId: set.id } })
    expect(vms.map(({ name, cpu, root_disk_gb }) => `${name} ${cpu} ${root_disk_gb}`).sort()).toEqual([
      'web-1 2 30',
      'web-2 2 30',
    ])
    for (const { id: vmId } of vms)
      expect((await call(startScriptApi.get, { params: { ...params, vmId } })).script).toContain('Rolled out')
  })

  test('alerts when a set does not load; then there is none, and a way back', async ({ page, project }) => {
    const alert = 'Failed to load VM Set data. Please try again.'
    const notFound = page.getByRole('heading', { level: 1, name: 'VM Set not found' })
    await page.goto(vmSetPath({ project_id: project.id, id: 'some' }))
    await agree(page, alert)
    await expect(notFound).toBeVisible()
    await answer(page, vmSetApi.get, 500)
    await page.reload()
    await agree(page, alert)
    await expect(notFound).toBeVisible()
    await page.getByRole('link', { name: 'Back to VM Sets' }).click()
    await expect(page).toHaveURL(vmSetListPath(project.id))
  })
})
