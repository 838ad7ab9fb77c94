import { type Disk, diskApi, vmApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk } from '@slipway/e2e/objects'
import { diskListPath, vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, dismissToasts, test, texts, toasts, visit } from '../../screen/screen.test-kit.ts'
import { attached, cardOf, failures, linesOf, newestAlert } from './disk.test-kit.ts'

describe('the card of a disk', () => {
  test('shows name, status, size, source, VM and date', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger', { size: '20GB', description: 'What came in and went out' })
    const vm = await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    const card = cardOf('ledger')
    await expect.element(card.getByText('What came in and went out')).toBeVisible()
    await expect.element(card.getByText('Attached', { exact: true })).toBeVisible()
    await expect
      .poll(() => texts(card.getByRole('term')))
      .toEqual(['Size', 'Source', 'Attached VM', 'Created'])
    await expect
      .poll(() => texts(card.getByRole('definition')))
      .toEqual(['20Gi', 'Blank', `engine${vm.id}`, shownMoment(disk.created_at)])
    await card.getByRole('link', { name: 'engine' }).click()
    await expect.poll(address).toBe(vmPath(vm))
  })

  test('reads the words and numbers of other servers', async ({ project }) => {
    answer(diskApi.list, 200, [
      makeDisk('ready', 'READY' as Disk['status'], { size: '5' }),
      attached('bound', 'web', { status: 'bound' as Disk['status'], size: String(10 * 1024 ** 3) }),
      makeDisk('odd', 'resizing' as Disk['status'], { size: String(512 * 1024 ** 2) }),
    ])
    await visit(diskListPath(project.id))
    for (const [name, status, size] of [
      ['ready', 'Available', '5Gi'],
      ['bound', 'Attached', '10Gi'],
      ['odd', 'resizing', '512Mi'],
    ] as const) {
      await expect.element(cardOf(name).getByText(status, { exact: true })).toBeVisible()
      await expect.element(cardOf(name).getByRole('definition').first()).toHaveTextContent(size)
    }
  })

  test('offers what can be done now, and nothing else', async ({ project }) => {
    answer(diskApi.list, 200, [
      makeDisk('available'),
      attached('attached', 'web'),
      makeDisk('creating', 'creating'),
      makeDisk('deleting', 'deleting'),
      makeDisk('failed', 'failed'),
      attached('broken', 'web', { status: 'error' }),
    ])
    await visit(diskListPath(project.id))
    for (const [name, actions] of [
      ['available', ['Attach', 'Create VM', 'Delete available']],
      ['attached', ['Detach', 'Delete attached']],
      ['creating', ['Cancel: Create disk creating', 'Delete creating']],
      ['deleting', []],
      ['failed', ['Delete failed']],
      ['broken', ['Detach', 'Delete broken']],
    ] as const) {
      const buttons = cardOf(name).getByRole('button')
      await expect.poll(() => buttons.elements()).toHaveLength(actions.length)
      for (const action of actions)
        await expect.element(cardOf(name).getByRole('button', { name: action, exact: true })).toBeVisible()
    }
    for (const [name, reason] of [
      ['attached', 'Disk is attached to a VM. Detach it first.'],
      ['creating', 'Disk is being created. Please try again later.'],
      ['broken', 'Disk is attached to a VM. Detach it first.'],
    ] as const) {
      const remove = page.getByRole('button', { name: `Delete ${name}` })
      await expect.element(remove).toBeDisabled()
      await expect.element(remove).toHaveAccessibleDescription(reason)
    }
  })

  test('says how far its creation is, and why it failed and what to do', async ({ project }) => {
    answer(diskApi.list, 200, [
      makeDisk('tiles', 'creating', { source: 'image', progress: 0.641 }),
      makeDisk('refused', 'failed', {
        source: 'image',
        status_message: 'The server answered 404 Not Found.',
      }),
      makeDisk('broken', 'error'),
    ])
    await visit(diskListPath(project.id))
    await expect
      .element(page.getByRole('progressbar', { name: 'tiles: creating' }))
      .toHaveAttribute('aria-valuenow', '64')
    await expect.element(cardOf('tiles')).toMatchTextContent('64%')
    await expect
      .element(cardOf('refused'))
      .toMatchTextContent('The server answered 404 Not Found. Delete this disk and create it again.')
    await expect.element(cardOf('broken')).toMatchTextContent('The server gave no reason.')
  })

  test('deletes its disk after a question', async ({ project, addDisk }) => {
    await addDisk('ledger')
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Delete ledger' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete disk' })
    await expect.element(question).toMatchTextContent('Are you sure you want to delete disk "ledger"?')
    await expect.element(question).toMatchTextContent('This action cannot be undone.')
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(question).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: 'Delete ledger' })).toHaveFocus()

    await page.getByRole('button', { name: 'Delete ledger' }).click()
    const { letGo } = hold(diskApi.delete)
    const calls = callsOf(diskApi.delete)
    await question.getByRole('button', { name: 'Delete' }).dblClick()
    await expect.element(question.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    letGo()
    await expect
      .element(toasts().getByRole('status'))
      .toMatchTextContent('Disk "ledger" deleted successfully')
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect.element(page.getByRole('heading', { level: 1, name: 'Disks' })).toHaveFocus()
    expect(calls.map((one) => one.body)).toEqual([undefined])
    expect(await call(diskApi.list, { params: { projectId: project.id } })).toEqual([])
  })

  test('tells that its disk is not deleted, and why', async ({ project, addDisk }) => {
    await addDisk('ledger')
    await visit(diskListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Delete disk' })
    await page.getByRole('button', { name: 'Delete ledger' }).click()
    for (const [status, body, lines] of failures('Failed to delete disk. Please try again.')) {
      const { end } = answer(diskApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete' }).click()
      await expect.poll(() => texts(linesOf(newestAlert()))).toEqual([...lines])
      // It stays with the reason in it, and is tried again from there.
      await expect.element(question.getByRole('alert')).toHaveTextContent(lines.at(-1) ?? '')
      await dismissToasts()
      await end()
    }
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
  })

  test('takes its disk off a running VM after a question', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Detach' }).click()
    const question = page.getByRole('alertdialog', { name: 'Detach disk' })
    await expect.element(question).toMatchTextContent('Detach disk "ledger" from its VM?')
    const { letGo } = hold(diskApi.detach)
    const calls = callsOf(diskApi.detach)
    await question.getByRole('button', { name: 'Detach' }).click()
    await expect.element(question.getByRole('button', { name: 'Detaching...' })).toBeDisabled()
    letGo()
    await expect
      .element(toasts().getByRole('status'))
      .toHaveTextContent('Disk "ledger" detached successfully')
    await expect.element(cardOf('ledger').getByText('Available', { exact: true })).toBeVisible()
    await expect.element(cardOf('ledger').getByText('None')).toBeVisible()
    await expect.element(cardOf('ledger').getByRole('button', { name: 'Attach' })).toHaveFocus()
    expect(calls.map((one) => [one.body, one.headers.get('content-type')])).toEqual([[undefined, null]])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'available', vm_id: null }])
  })

  test('tells that its disk is not detached, and why', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Detach disk' })
    await cardOf('ledger').getByRole('button', { name: 'Detach' }).click()
    for (const [status, body, lines] of failures('Failed to detach disk. Please try again.')) {
      const { end } = answer(diskApi.detach, status, body)
      await question.getByRole('button', { name: 'Detach' }).click()
      await expect.poll(() => texts(linesOf(newestAlert()))).toEqual([...lines])
      await expect.element(question.getByRole('alert')).toHaveTextContent(lines.at(-1) ?? '')
      await dismissToasts()
      await end()
    }
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(cardOf('ledger').getByText('Attached', { exact: true })).toBeVisible()
  })

  test('says why its disk stays on a VM that comes up', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('fault-never-ready', 'provisioning', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    const detach = cardOf('ledger').getByRole('button', { name: 'Detach' })
    await expect.element(detach).toBeDisabled()
    await expect.element(detach).toHaveAccessibleDescription(/^Disk cannot be detached while its VM is \w+$/)
  })

  test('puts its disk on a VM that can be searched for', async ({ project, makeVm, addDisk }) => {
    await addDisk('ledger')
    const engine = await makeVm('engine', 'running')
    await makeVm('sieve', 'running')
    await makeVm('fault-crash', 'failed')
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    const submit = dialog.getByRole('button', { name: 'Attach', exact: true })
    await expect.element(submit).toHaveAccessibleDescription('Please select a VM')
    await expect.element(dialog.getByRole('status')).toHaveTextContent('Please select a VM')
    const field = dialog.getByRole('combobox', { name: 'VM' })
    await field.click()
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual([expect.stringMatching(/^engine/), expect.stringMatching(/^sieve/)])
    await field.fill('none such')
    await expect.element(page.getByText('No VM that can take a disk has this name.')).toBeVisible()
    await field.fill('ENG')
    await expect.poll(() => page.getByRole('option').elements()).toHaveLength(1)
    await userEvent.keyboard('{ArrowDown}')
    await userEvent.keyboard('{Enter}')
    await expect.element(field).toHaveValue('engine')
    const calls = callsOf(diskApi.attach)
    await submit.click()
    await expect
      .element(toasts().getByRole('status'))
      .toHaveTextContent('Disk "ledger" attached successfully')
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(cardOf('ledger').getByRole('link', { name: 'engine' })).toBeVisible()
    await expect.element(cardOf('ledger').getByRole('button', { name: 'Detach' })).toHaveFocus()
    expect(calls.map((one) => one.body)).toEqual([{ vm_id: engine.id }])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'attached', vm_id: engine.id }])
  })

  test('tells that its disk is not attached, and why', async ({ project, makeVm, addDisk }) => {
    await addDisk('ledger')
    await makeVm('engine', 'running')
    await visit(diskListPath(project.id))
    const dialog = page.getByRole('dialog', { name: 'Attach disk' })
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    // The only VM is chosen already.
    await expect.element(dialog.getByRole('combobox', { name: 'VM' })).toHaveValue('engine')
    for (const [status, body, lines] of failures('Failed to attach disk. Please try again.')) {
      const { end } = answer(diskApi.attach, status, body)
      await dialog.getByRole('button', { name: 'Attach', exact: true }).click()
      await expect.poll(() => texts(linesOf(newestAlert()))).toEqual([...lines])
      await expect.element(dialog).toMatchTextContent(lines.at(-1) ?? '')
      await dismissToasts()
      await end()
    }
  })

  test('says that no VM can take its disk, and leads to them', async ({ project, addDisk }) => {
    await addDisk('ledger')
    const { end } = answer(vmApi.list, 500)
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    await expect.element(page.getByRole('dialog').getByRole('alert')).toMatchTextContent('Failed to load VMs')
    await end()
    await page.getByRole('dialog').getByRole('button', { name: 'Try Again' }).click()
    await expect
      .element(page.getByRole('dialog'))
      .toMatchTextContent('No VM in this project can take a disk now.')
    await userEvent.keyboard('{Escape}')
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    await expect
      .element(page.getByRole('dialog'))
      .toMatchTextContent('No VM in this project can take a disk now.')
    await page.getByRole('dialog').getByRole('link', { name: 'View VMs' }).click()
    await expect.poll(address).toBe(vmListPath(project.id))
  })
})
