import type { Locator, Page } from '@playwright/test'
import { type Disk, diskApi, diskSnapshotApi, sshKeyApi, templateApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { shownMoment } from './dates.ts'
import { expect, test } from './fixtures.ts'
import { answer, callsOf, hold, makeDisk } from './network.ts'
import { diskCreatePath, diskListPath, diskPath, vmListPath, vmPath } from './paths.ts'
import { choose, dismissToasts, toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()
const linesOf = (toast: Locator) => toast.getByRole('paragraph')

/** A failure in the server's words, in none, and without an answer; with the lines of the toast. */
const failures = (text: string, status = 409) =>
  [
    [status, { message: 'The server says why' }, [text, 'The server says why']],
    [500, {}, [text]],
    [null, {}, [text]],
  ] as const

const attached = (name: string, vm: string, more: Partial<Disk> = {}) =>
  makeDisk(name, 'attached', { vm_id: `id-of-${vm}`, vm_name: vm, ...more })

test.describe('the list of disks', () => {
  test('is empty at first and leads to the form of a disk', async ({ page, project }) => {
    const { letGo } = await hold(page, diskApi.list)
    await page.goto(diskListPath(project.id))
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading disks...')
    letGo()
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect(page.getByText('Get started by creating your first disk')).toBeVisible()
    await expect(page.getByRole('searchbox')).toBeHidden()
    await page.getByRole('link', { name: 'Create Your First Disk' }).click()
    await expect(page).toHaveURL(diskCreatePath(project.id))
    await page.goBack()
    await page.getByRole('link', { name: 'Create Disk' }).click()
    await expect(page).toHaveURL(diskCreatePath(project.id))
  })

  test('has a button that creates a VM, which leads to the templates', async ({ page, project }) => {
    await page.goto(diskListPath(project.id))
    await page.getByRole('main').getByRole('link', { name: 'Create VM' }).click()
    await expect(page).toHaveURL('/templates')
  })

  test('counts its disks by status, and failed ones only when there are some', async ({ page, project }) => {
    const stats = page.getByLabel('Disks by status')
    const answered = await answer(page, diskApi.list, 200, [
      makeDisk('a'),
      makeDisk('b'),
      attached('c', 'web'),
      makeDisk('d', 'creating'),
      makeDisk('e', 'deleting'),
    ])
    await page.goto(diskListPath(project.id))
    await expect(stats.getByRole('term')).toHaveText(['Total', 'Available', 'Attached', 'Creating'])
    await expect(stats.getByRole('definition')).toHaveText(['5', '2', '1', '1'])
    await answered.end()
    await answer(page, diskApi.list, 200, [makeDisk('a', 'failed'), makeDisk('b', 'error')])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(stats.getByRole('term')).toHaveText(['Total', 'Available', 'Attached', 'Creating', 'Failed'])
    await expect(stats.getByRole('definition')).toHaveText(['2', '0', '0', '0', '2'])
  })

  test('refreshes on request, and is busy meanwhile', async ({ page, project, addDisk }) => {
    await addDisk('ledger')
    await page.goto(diskListPath(project.id))
    await expect(cardOf(page, 'ledger')).toBeVisible()
    const calls = callsOf(page, diskApi.list)
    const { letGo } = await hold(page, diskApi.list)
    await page.getByRole('button', { name: 'Refresh' }).dblclick()
    await expect(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect(page.getByRole('button', { name: 'Refresh', exact: true })).toBeEnabled()
    expect(calls).toHaveLength(1)
  })

  test('says why it does not load, shows nothing, and can be tried again', async ({
    page,
    project,
    addDisk,
  }) => {
    await addDisk('ledger')
    for (const [status, body, text] of [
      [403, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to load disks'],
      [null, {}, 'Failed to load disks'],
    ] as const) {
      const { end } = await answer(page, diskApi.list, status, body)
      await page.goto(diskListPath(project.id))
      const alert = page.getByRole('main').getByRole('alert')
      await expect(alert).toContainText(text)
      await expect(page.getByRole('article')).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await end()
      await page.getByRole('button', { name: 'Try Again' }).click()
      await expect(cardOf(page, 'ledger')).toBeVisible()
    }
    // A refresh that fails empties the list as well.
    await answer(page, diskApi.list, 500)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Failed to load disks')
    await expect(page.getByRole('article')).toHaveCount(0)
  })

  test('finds disks by name, source and VM, and by two filters', async ({ page, project }) => {
    await answer(page, diskApi.list, 200, [
      makeDisk('ledger', 'available'),
      attached('archive', 'web', { source: 'snapshot' }),
      makeDisk('tiles', 'creating', { source: 'image' }),
      makeDisk('broken', 'error'),
      makeDisk('never', 'failed', { source: 'image' }),
    ])
    await page.goto(diskListPath(project.id))
    const names = page.getByRole('article').getByRole('heading')
    const search = page.getByRole('searchbox', { name: 'Search disks' })
    const found = async (expected: string[]) => {
      await expect(names).toHaveText(expected)
      const filtered = expected.length < 5 ? [`Showing ${expected.length} of 5 disks`] : []
      await expect(page.getByRole('search').getByRole('status')).toHaveText(filtered)
    }
    // The newest first.
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
    for (const [text, expected] of [
      ['LEDG', ['ledger']],
      ['image', ['never', 'tiles']],
      ['id-of-web', ['archive']],
    ] as const) {
      await search.fill(text)
      await found([...expected])
    }
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(search).toBeFocused()
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
    await expect(page.getByRole('button', { name: 'Clear Filters' })).toBeHidden()

    await page.getByRole('combobox', { name: 'Status' }).click()
    await expect(page.getByRole('option')).toHaveText([
      'All Status',
      'Available',
      'Attached',
      'Creating',
      'Failed',
    ])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Source' }).click()
    await expect(page.getByRole('option')).toHaveText(['All Sources', 'Blank', 'Image', 'Snapshot', 'Upload'])
    await page.keyboard.press('Escape')
    for (const [status, expected] of [
      ['Available', ['ledger']],
      ['Attached', ['archive']],
      ['Creating', ['tiles']],
      ['Failed', ['never', 'broken']],
    ] as const) {
      await choose(page, 'Status', status)
      await found([...expected])
    }
    await choose(page, 'Source', 'Image')
    await found(['never'])
    await choose(page, 'Source', 'Snapshot')
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
  })

  test('draws of thousands those one sees', async ({ page, project }) => {
    const many = Array.from({ length: 3000 }, (_, i) => makeDisk(`disk-${i}`))
    await answer(page, diskApi.list, 200, many)
    await page.goto(diskListPath(project.id))
    await expect(cardOf(page, 'disk-2999').getByRole('button', { name: 'Attach' })).toBeVisible()
    expect(await page.getByRole('article').count()).toBeLessThan(40)
    await page.keyboard.press('End')
    await expect(cardOf(page, 'disk-0').getByRole('button', { name: 'Attach' })).toBeInViewport()
    await page.getByRole('searchbox').fill('disk-1234')
    await expect(page.getByRole('listitem').filter({ has: cardOf(page, 'disk-1234') })).toHaveAttribute(
      'aria-setsize',
      '1',
    )
  })

  test('shows a disk as soon as it is asked for, and asks until it is there', async ({
    page,
    project,
    addDisk,
  }) => {
    await page.goto(diskListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await addDisk('ledger')
    await expect(cardOf(page, 'ledger')).toBeVisible()

    const { end } = await answer(page, diskApi.list, 200, [makeDisk('tiles', 'creating')])
    await page.reload()
    await expect(page.getByRole('progressbar', { name: 'tiles: creating' })).toBeAttached()
    await expect(cardOf(page, 'tiles').getByText('Creating')).toBeVisible()
    await end()
    await answer(page, diskApi.list, 200, [makeDisk('tiles')])
    await expect(cardOf(page, 'tiles').getByText('Available')).toBeVisible()
    await expect(page.getByText('tiles is available')).toBeAttached()
    await expect(page.getByRole('progressbar')).toHaveCount(0)
  })
})

test.describe('the card of a disk', () => {
  test('shows name, status, size, source, VM and date', async ({ page, project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger', { size: '20GB', description: 'What came in and went out' })
    const vm = await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskListPath(project.id))
    const card = cardOf(page, 'ledger')
    await expect(card.getByText('What came in and went out')).toBeVisible()
    await expect(card.getByText('Attached', { exact: true })).toBeVisible()
    await expect(card.getByRole('term')).toHaveText(['Size', 'Source', 'Attached VM', 'Created'])
    await expect(card.getByRole('definition')).toHaveText([
      '20Gi',
      'Blank',
      `engine${vm.id}`,
      shownMoment(disk.created_at),
    ])
    await card.getByRole('link', { name: 'engine' }).click()
    await expect(page).toHaveURL(vmPath(vm))
  })

  test('reads the words and numbers of other servers', async ({ page, project }) => {
    await answer(page, diskApi.list, 200, [
      makeDisk('ready', 'READY' as Disk['status'], { size: '5' }),
      attached('bound', 'web', { status: 'bound' as Disk['status'], size: String(10 * 1024 ** 3) }),
      makeDisk('odd', 'resizing' as Disk['status'], { size: String(512 * 1024 ** 2) }),
    ])
    await page.goto(diskListPath(project.id))
    for (const [name, status, size] of [
      ['ready', 'Available', '5Gi'],
      ['bound', 'Attached', '10Gi'],
      ['odd', 'resizing', '512Mi'],
    ] as const) {
      await expect(cardOf(page, name).getByText(status, { exact: true })).toBeVisible()
      await expect(cardOf(page, name).getByRole('definition').first()).toHaveText(size)
    }
  })

  test('offers what can be done now, and nothing else', async ({ page, project }) => {
    await answer(page, diskApi.list, 200, [
      makeDisk('available'),
      attached('attached', 'web'),
      makeDisk('creating', 'creating'),
      makeDisk('deleting', 'deleting'),
      makeDisk('failed', 'failed'),
      attached('broken', 'web', { status: 'error' }),
    ])
    await page.goto(diskListPath(project.id))
    for (const [name, actions] of [
      ['available', ['Attach', 'Create VM', 'Delete available']],
      ['attached', ['Detach', 'Delete attached']],
      ['creating', ['Cancel: Create disk creating', 'Delete creating']],
      ['deleting', []],
      ['failed', ['Delete failed']],
      ['broken', ['Detach', 'Delete broken']],
    ] as const) {
      const buttons = cardOf(page, name).getByRole('button')
      await expect(buttons).toHaveCount(actions.length)
      for (const action of actions)
        await expect(cardOf(page, name).getByRole('button', { name: action, exact: true })).toBeVisible()
    }
    for (const [name, reason] of [
      ['attached', 'Disk is attached to a VM. Detach it first.'],
      ['creating', 'Disk is being created. Please try again later.'],
      ['broken', 'Disk is attached to a VM. Detach it first.'],
    ] as const) {
      const remove = page.getByRole('button', { name: `Delete ${name}` })
      await expect(remove).toBeDisabled()
      await expect(remove).toHaveAccessibleDescription(reason)
    }
  })

  test('says how far its creation is, and why it failed and what to do', async ({ page, project }) => {
    await answer(page, diskApi.list, 200, [
      makeDisk('tiles', 'creating', { source: 'image', progress: 0.641 }),
      makeDisk('refused', 'failed', {
        source: 'image',
        status_message: 'The server answered 404 Not Found.',
      }),
      makeDisk('broken', 'error'),
    ])
    await page.goto(diskListPath(project.id))
    await expect(page.getByRole('progressbar', { name: 'tiles: creating' })).toHaveAttribute(
      'aria-valuenow',
      '64',
    )
    await expect(cardOf(page, 'tiles')).toContainText('64%')
    await expect(cardOf(page, 'refused')).toContainText(
      'The server answered 404 Not Found. Delete this disk and create it again.',
    )
    await expect(cardOf(page, 'broken')).toContainText('The server gave no reason.')
  })

  test('deletes its disk after a question', async ({ page, project, addDisk, call }) => {
    await addDisk('ledger')
    await page.goto(diskListPath(project.id))
    await cardOf(page, 'ledger').getByRole('button', { name: 'Delete ledger' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete disk' })
    await expect(question).toContainText('Are you sure you want to delete disk "ledger"?')
    await expect(question).toContainText('This action cannot be undone.')
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(question).toBeHidden()
    await expect(page.getByRole('button', { name: 'Delete ledger' })).toBeFocused()

    await page.getByRole('button', { name: 'Delete ledger' }).click()
    const { letGo } = await hold(page, diskApi.delete)
    const calls = callsOf(page, diskApi.delete)
    await question.getByRole('button', { name: 'Delete' }).dblclick()
    await expect(question.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toContainText('Disk "ledger" deleted successfully')
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: 'Disks' })).toBeFocused()
    expect(calls.map((one) => one.postData())).toEqual([null])
    expect(await call(diskApi.list, { params: { projectId: project.id } })).toEqual([])
  })

  test('tells that its disk is not deleted, and why', async ({ page, project, addDisk }) => {
    await addDisk('ledger')
    await page.goto(diskListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Delete disk' })
    await page.getByRole('button', { name: 'Delete ledger' }).click()
    for (const [status, body, lines] of failures('Failed to delete disk. Please try again.')) {
      const { end } = await answer(page, diskApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete' }).click()
      await expect(linesOf(alertOf(page))).toHaveText([...lines])
      // It stays with the reason in it, and is tried again from there.
      await expect(question.getByRole('alert')).toHaveText(lines.at(-1) ?? '')
      await dismissToasts(page)
      await end()
    }
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
  })

  test('takes its disk off a running VM after a question', async ({
    page,
    project,
    makeVm,
    addDisk,
    call,
  }) => {
    const disk = await addDisk('ledger')
    await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskListPath(project.id))
    await cardOf(page, 'ledger').getByRole('button', { name: 'Detach' }).click()
    const question = page.getByRole('alertdialog', { name: 'Detach disk' })
    await expect(question).toContainText('Detach disk "ledger" from its VM?')
    const { letGo } = await hold(page, diskApi.detach)
    const calls = callsOf(page, diskApi.detach)
    await question.getByRole('button', { name: 'Detach' }).click()
    await expect(question.getByRole('button', { name: 'Detaching...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText('Disk "ledger" detached successfully')
    await expect(cardOf(page, 'ledger').getByText('Available', { exact: true })).toBeVisible()
    await expect(cardOf(page, 'ledger').getByText('None')).toBeVisible()
    await expect(cardOf(page, 'ledger').getByRole('button', { name: 'Attach' })).toBeFocused()
    expect(calls.map((one) => [one.postData(), one.headers()['content-type']])).toEqual([[null, undefined]])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'available', vm_id: null }])
  })

  test('tells that its disk is not detached, and why', async ({ page, project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Detach disk' })
    await cardOf(page, 'ledger').getByRole('button', { name: 'Detach' }).click()
    for (const [status, body, lines] of failures('Failed to detach disk. Please try again.')) {
      const { end } = await answer(page, diskApi.detach, status, body)
      await question.getByRole('button', { name: 'Detach' }).click()
      await expect(linesOf(alertOf(page))).toHaveText([...lines])
      await expect(question.getByRole('alert')).toHaveText(lines.at(-1) ?? '')
      await dismissToasts(page)
      await end()
    }
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(cardOf(page, 'ledger').getByText('Attached', { exact: true })).toBeVisible()
  })

  test('says why its disk stays on a VM that comes up', async ({ page, project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('fault-never-ready', 'provisioning', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskListPath(project.id))
    const detach = cardOf(page, 'ledger').getByRole('button', { name: 'Detach' })
    await expect(detach).toBeDisabled()
    await expect(detach).toHaveAccessibleDescription(/^Disk cannot be detached while its VM is \w+$/)
  })

  test('puts its disk on a VM that can be searched for', async ({ page, project, makeVm, addDisk, call }) => {
    await addDisk('ledger')
    const engine = await makeVm('engine', 'running')
    await makeVm('sieve', 'running')
    await makeVm('fault-crash', 'failed')
    await page.goto(diskListPath(project.id))
    await cardOf(page, 'ledger').getByRole('button', { name: 'Attach' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    const submit = dialog.getByRole('button', { name: 'Attach', exact: true })
    await expect(submit).toHaveAccessibleDescription('Please select a VM')
    await expect(dialog.getByRole('status')).toHaveText('Please select a VM')
    const field = dialog.getByRole('combobox', { name: 'VM' })
    await field.click()
    await expect(page.getByRole('option')).toHaveText([/^engine/, /^sieve/])
    await field.fill('none such')
    await expect(page.getByText('No VM that can take a disk has this name.')).toBeVisible()
    await field.fill('ENG')
    await expect(page.getByRole('option')).toHaveCount(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue('engine')
    const calls = callsOf(page, diskApi.attach)
    await submit.click()
    await expect(toasts(page).getByRole('status')).toHaveText('Disk "ledger" attached successfully')
    await expect(dialog).toBeHidden()
    await expect(cardOf(page, 'ledger').getByRole('link', { name: 'engine' })).toBeVisible()
    await expect(cardOf(page, 'ledger').getByRole('button', { name: 'Detach' })).toBeFocused()
    expect(calls.map((one) => one.postDataJSON())).toEqual([{ vm_id: engine.id }])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'attached', vm_id: engine.id }])
  })

  test('tells that its disk is not attached, and why', async ({ page, project, makeVm, addDisk }) => {
    await addDisk('ledger')
    await makeVm('engine', 'running')
    await page.goto(diskListPath(project.id))
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    await cardOf(page, 'ledger').getByRole('button', { name: 'Attach' }).click()
    // The only VM is chosen already.
    await expect(dialog.getByRole('combobox', { name: 'VM' })).toHaveValue('engine')
    for (const [status, body, lines] of failures('Failed to attach disk. Please try again.')) {
      const { end } = await answer(page, diskApi.attach, status, body)
      await dialog.getByRole('button', { name: 'Attach', exact: true }).click()
      await expect(linesOf(alertOf(page))).toHaveText([...lines])
      await expect(dialog).toContainText(lines.at(-1) ?? '')
      await dismissToasts(page)
      await end()
    }
  })

  test('says that no VM can take its disk, and leads to them', async ({ page, project, addDisk }) => {
    await addDisk('ledger')
    const { end } = await answer(page, vmApi.list, 500)
    await page.goto(diskListPath(project.id))
    await cardOf(page, 'ledger').getByRole('button', { name: 'Attach' }).click()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Failed to load VMs')
    await end()
    await page.getByRole('dialog').getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('dialog')).toContainText('No VM in this project can take a disk now.')
    await page.keyboard.press('Escape')
    await cardOf(page, 'ledger').getByRole('button', { name: 'Attach' }).click()
    await expect(page.getByRole('dialog')).toContainText('No VM in this project can take a disk now.')
    await page.getByRole('dialog').getByRole('link', { name: 'View VMs' }).click()
    await expect(page).toHaveURL(vmListPath(project.id))
  })
})

test.describe('the form that creates a VM from a disk', () => {
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Create VM from disk' })
  const submitOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Create VM' })
  const open = async (page: Page, projectId: string) => {
    await page.goto(diskListPath(projectId))
    await cardOf(page, 'ledger').getByRole('button', { name: 'Create VM' }).click()
  }

  test('needs no more than a click', async ({ page, project, sshKey, addDisk, call }) => {
    const disk = await addDisk('ledger')
    const templates = await call(templateApi.list, {})
    await open(page, project.id)
    const dialog = dialogOf(page)
    await expect(dialog.getByLabel('VM Name')).toHaveValue('ledger-vm')
    await expect(dialog.getByRole('combobox', { name: 'Template' })).toContainText(templates[0]?.name ?? '')
    await expect(dialog.getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
    await expect(dialog.getByRole('checkbox', { name: 'Persistent storage' })).toBeChecked()
    const calls = callsOf(page, vmApi.create)
    const { letGo } = await hold(page, vmApi.create)
    await submitOf(page).dblclick()
    await expect(dialog.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(toasts(page).getByRole('status')).toHaveText(
      'VM "ledger-vm" created successfully with disk attached!',
    )
    await expect(dialog).toBeHidden()
    await expect(cardOf(page, 'ledger').getByRole('link', { name: 'ledger-vm' })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      {
        name: 'ledger-vm',
        template_id: templates[0]?.id,
        ssh_key_id: sshKey.id,
        persistent: true,
        disks: [{ disk_id: disk.id }],
        project_id: project.id,
      },
    ])
    const [vm] = await call(vmApi.list, { params: { projectId: project.id } })
    expect(vm?.disks).toMatchObject([{ disk_id: disk.id, name: 'ledger' }])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'attached', vm_id: vm?.id }])
  })

  test('sends what was chosen', async ({ page, project, sshKey: _, addDisk, call }) => {
    const template = await call(templateApi.create, {
      body: { name: 'Sieve', description: 'For primes', default_cpu: 1, default_memory_mb: 512 },
    })
    await addDisk('ledger')
    await open(page, project.id)
    await dialogOf(page).getByLabel('VM Name').fill(' engine ')
    await choose(page, 'Template', 'Sieve')
    await dialogOf(page).getByRole('checkbox', { name: 'Persistent storage' }).uncheck()
    const calls = callsOf(page, vmApi.create)
    await dialogOf(page).getByLabel('VM Name').press('Enter')
    await expect(toasts(page)).toContainText('VM "engine" created successfully with disk attached!')
    expect(calls[0]?.postDataJSON()).toMatchObject({
      name: 'engine',
      template_id: template.id,
      persistent: false,
    })
  })

  test('says one rule at a time, in their order', async ({ page, project, addDisk }) => {
    await addDisk('ledger')
    const told = async (text: string) => {
      await expect(dialogOf(page).getByRole('status')).toHaveText(text)
      await expect(submitOf(page)).toBeDisabled()
      await expect(submitOf(page)).toHaveAccessibleDescription(text)
    }
    const { end } = await answer(page, templateApi.list, 200, [])
    await open(page, project.id)
    await dialogOf(page).getByLabel('VM Name').fill('  ')
    await told('Please enter a VM name')
    await dialogOf(page).getByLabel('VM Name').fill('engine')
    await told('Please select a template')
    await end()
    await open(page, project.id)
    await told('Please select an SSH key')
    await expect(dialogOf(page).getByRole('link', { name: 'Add an SSH key' })).toHaveAttribute(
      'href',
      '/ssh-keys',
    )
  })

  test('says that templates or keys did not load, and loads them again', async ({
    page,
    project,
    sshKey,
    addDisk,
  }) => {
    await addDisk('ledger')
    for (const endpoint of [templateApi.list, sshKeyApi.list]) {
      const { end } = await answer(page, endpoint, 500)
      await open(page, project.id)
      await expect(dialogOf(page).getByRole('alert')).toContainText('Failed to load templates or SSH keys')
      await expect(submitOf(page)).toBeDisabled()
      await end()
      await dialogOf(page).getByRole('button', { name: 'Try Again' }).click()
      await expect(dialogOf(page).getByRole('alert')).toBeHidden()
      await expect(dialogOf(page).getByRole('combobox', { name: 'SSH Key' })).toContainText(sshKey.name)
      await expect(submitOf(page)).toBeEnabled()
    }
  })

  test('stays as it is when the VM cannot be created', async ({ page, project, sshKey: _, addDisk }) => {
    await addDisk('ledger')
    await open(page, project.id)
    await dialogOf(page).getByLabel('VM Name').fill('engine')
    for (const [status, body, lines] of failures('Failed to create VM. Please try again.')) {
      const { end } = await answer(page, vmApi.create, status, body)
      await submitOf(page).click()
      await expect(linesOf(alertOf(page))).toHaveText([...lines])
      await dismissToasts(page)
      await end()
    }
    await expect(dialogOf(page).getByLabel('VM Name')).toHaveValue('engine')
    await submitOf(page).click()
    await expect(dialogOf(page)).toBeHidden()
  })
})

test.describe('the disks on the page of a VM', () => {
  test('come and go', async ({ page, makeVm, addDisk }) => {
    await addDisk('ledger')
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'Attach disk' }).click()
    await choose(page, 'Disk', 'ledger')
    await page.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click()
    await expect(toasts(page)).toContainText('Disk "ledger" attached successfully')
    const row = page.getByRole('listitem').filter({ hasText: 'Data disk' })
    await expect(row).toContainText('ledger')
    await expect(row).toContainText('10Gi')
    await row.getByRole('button', { name: 'Detach ledger' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Detach' }).click()
    await expect(toasts(page)).toContainText('Disk "ledger" detached successfully')
    await expect(row).toHaveCount(0)
  })

  test('lead to a new disk where there is none', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmPath(vm))
    await page.getByRole('button', { name: 'Attach disk' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    await expect(dialog).toContainText('No disk in this project is available.')
    await dialog.getByRole('link', { name: 'Create Disk' }).click()
    await expect(page).toHaveURL(diskCreatePath(project.id))
    await page.goto(vmPath(vm))
    await page.getByRole('main').getByRole('link', { name: 'Create Disk' }).click()
    await expect(page).toHaveURL(diskCreatePath(project.id))
  })

  test('wait for a VM that is running or stopped', async ({ page, makeVm }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await page.goto(vmPath(vm))
    const attach = page.getByRole('button', { name: 'Attach disk' })
    await expect(attach).toBeDisabled()
    await expect(attach).toHaveAccessibleDescription('VM must be running or stopped')
  })
})

test.describe('the page of a disk', () => {
  test('shows what there is to know about a disk, and does what its row does', async ({
    page,
    project,
    addDisk,
    call,
  }) => {
    const image_url = 'https://images.example.org/tiles.qcow2'
    const disk = await addDisk('tiles', { source: 'HTTP', image_url, description: 'Maps of the coast' })
    await call(diskSnapshotApi.create, {
      params: { projectId: project.id },
      body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30 },
    })
    await page.goto(diskListPath(project.id))
    await expect(cardOf(page, 'tiles')).toContainText('Maps of the coast')
    await cardOf(page, 'tiles').getByRole('link', { name: 'tiles' }).click()
    await expect(page).toHaveURL(diskPath(disk))
    await expect(page.getByRole('heading', { level: 1, name: 'tiles' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText('Maps of the coast')
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('StatusAvailable')
    const details = page.getByRole('region', { name: 'Details' })
    await expect(details).toContainText(image_url)
    await details.getByRole('button', { name: 'Copy SHA-256 of the image' }).click()
    await expect(toasts(page)).toHaveText('Copied to clipboard!')
    expect(await copied(page)).toBe(disk.image_sha256)
    await expect(page.getByRole('region', { name: 'Activity' })).toContainText('tiles')
    await expect(page.getByRole('button', { name: 'Attach' })).toBeEnabled()
    await page.getByRole('link', { name: 'nightly' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Ready')
    await page.goBack()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL(diskListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect(toasts(page)).toContainText('Disk "tiles" deleted successfully')
  })

  test('makes its disk larger while its VM runs', { tag: '@cluster' }, async ({ page, makeVm, addDisk }) => {
    const disk = await addDisk('ledger', { size: '2Gi' })
    await makeVm('till', 'running', { disks: [{ disk_id: disk.id }] })
    await page.goto(diskPath(disk))
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Disk' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(dialog.getByRole('status')).toHaveText('Nothing has changed.')
    await dialog.getByLabel('Size').fill('1GB')
    await expect(dialog.getByRole('status')).toHaveText('Disks can only be enlarged. Enter at least 2Gi.')
    await dialog.getByLabel('Size').fill('5GB')
    await dialog.getByLabel('Description').fill('Sales of the year')
    await expectAccessible(page)
    await save.click()
    await expect(toasts(page)).toContainText('Disk "ledger" is being enlarged to 5Gi')
    await expect(page.getByRole('main')).toContainText('Sales of the year')
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Size5Gi')
    await expect(page.getByRole('region', { name: 'Activity' })).toContainText(
      'Disk ledger has a size of 5Gi',
    )
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Attached')
  })

  test('says that there is no such disk, or that it did not load, and leads back', async ({
    page,
    project,
  }) => {
    const path = diskPath({ project_id: project.id, id: 'tiles' })
    const { end } = await answer(page, diskApi.list, 500)
    await page.goto(path)
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Failed to load the disk.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { name: 'This disk does not exist' })).toBeVisible()
    await answer(page, diskApi.list, 200, [
      makeDisk('tiles', 'creating', { project_id: project.id, progress: 0.5, source: 'image' }),
    ])
    await page.reload()
    await expect(page.getByRole('main')).toContainText('50% Writing the image to the disk.')
    await page.getByRole('button', { name: 'Cancel: Create disk tiles' }).click()
    await expect(page.getByRole('alertdialog', { name: 'Cancel operation' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Back to Disks' }).click()
    await expect(page).toHaveURL(diskListPath(project.id))
  })
})

test('a dialog stays with what was typed while disks appear above, and has a place in the URL', async ({
  page,
  project,
  sshKey: _,
  addDisk,
}) => {
  await addDisk('ledger')
  await page.goto(diskListPath(project.id))
  await cardOf(page, 'ledger').getByRole('button', { name: 'Create VM' }).click()
  const name = page.getByRole('dialog').getByLabel('VM Name')
  await name.fill('engine')
  await addDisk('journal')
  await expect(page.getByRole('article', { name: 'journal', includeHidden: true })).toBeAttached()
  await expect(name).toHaveValue('engine')
  await expect(name).toBeFocused()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(diskListPath(project.id))

  await page.getByRole('button', { name: 'Delete ledger' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await expect(question).toBeVisible()
  await expect(page).toHaveURL(/[?&]dialog=delete-disk&of=/)
  await page.reload()
  await expect(question).toContainText('ledger')
  await page.goBack()
  await expect(question).toHaveCount(0)
  await expect(page).toHaveURL(diskListPath(project.id))
})

test('the filters of the list are there again after a look at a disk', async ({ page, project }) => {
  const of = { project_id: project.id }
  await answer(page, diskApi.list, 200, [
    makeDisk('ledger', 'available', of),
    makeDisk('leaflet', 'failed', of),
    makeDisk('journal', 'available', of),
  ])
  await page.goto(diskListPath(project.id))
  await page.getByRole('searchbox', { name: 'Search disks' }).fill('le')
  await choose(page, 'Status', 'Available')
  await expect(page).toHaveURL(/\?search=le&status=available$/)
  await cardOf(page, 'ledger').getByRole('link', { name: 'ledger' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'ledger' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(page.getByRole('searchbox', { name: 'Search disks' })).toHaveValue('le')
})
