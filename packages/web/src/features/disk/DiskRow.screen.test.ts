import { diskApi, vmApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk } from '@slipway/e2e/objects'
import { diskListPath, vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { call, follow, test, visit } from '../../screen/screen.test-kit.ts'
import {
  expectBusy,
  expectCount,
  expectDisabled,
  expectRefused,
  expectText,
  expectTexts,
  expectToast,
} from '../../screen/shown.test-kit.ts'
import { attached, cardOf } from './disk.test-kit.ts'

describe('the card of a disk', () => {
  test('shows name, status, size, source, VM and date', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger', { size: '20GB', description: 'What came in and went out' })
    const vm = await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    const card = cardOf('ledger')
    await expect.element(card.getByText('What came in and went out')).toBeVisible()
    await expect.element(card.getByText('Attached', { exact: true })).toBeVisible()
    await expectTexts(card.getByRole('term'), ['Size', 'Source', 'Attached VM', 'Created'])
    await expectTexts(card.getByRole('definition'), [
      '20Gi',
      'Blank',
      `engine${vm.id}`,
      shownMoment(disk.created_at),
    ])
    await follow(card.getByRole('link', { name: 'engine' }), vmPath(vm))
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
      await expectCount(buttons, actions.length)
      for (const action of actions)
        await expect.element(cardOf(name).getByRole('button', { name: action, exact: true })).toBeVisible()
    }
    const remove = page.getByRole('button', { name: 'Delete creating' })
    await expectDisabled(remove, 'Disk is being created. Please try again later.')
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
    await expectText(cardOf('tiles'), '64%')
    await expectText(
      cardOf('refused'),
      'The server answered 404 Not Found. Delete this disk and create it again.',
    )
    await expectText(cardOf('broken'), 'The server gave no reason.')
  })

  test('takes its disk off a running VM after a question', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('engine', 'running', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Detach' }).click()
    const question = page.getByRole('alertdialog', { name: 'Detach disk' })
    await expectText(question, 'Detach disk "ledger" from its VM?')
    const agree = () => question.getByRole('button', { name: 'Detach' }).click()
    const why = question.getByRole('alert')
    await expectRefused(diskApi.detach, agree, 'Failed to detach disk. Please try again.', why)
    const calls = callsOf(diskApi.detach)
    await expectBusy(diskApi.detach, agree, 'Detaching...')
    await expectToast('Disk "ledger" detached successfully')
    await expect.element(cardOf('ledger').getByText('Available', { exact: true })).toBeVisible()
    await expect.element(cardOf('ledger').getByText('None')).toBeVisible()
    await expect.element(cardOf('ledger').getByRole('button', { name: 'Attach' })).toHaveFocus()
    expect(calls.map((one) => [one.body, one.headers.get('content-type')])).toEqual([[undefined, null]])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ status: 'available', vm_id: null }])
  })

  test('says why its disk stays on a VM that comes up', async ({ project, makeVm, addDisk }) => {
    const disk = await addDisk('ledger')
    await makeVm('fault-never-ready', 'provisioning', { disks: [{ disk_id: disk.id }] })
    await visit(diskListPath(project.id))
    const detach = cardOf('ledger').getByRole('button', { name: 'Detach' })
    await expectDisabled(detach, /^Disk cannot be detached while its VM is \w+$/)
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
    await expectTexts(page.getByRole('option'), [
      expect.stringMatching(/^engine/),
      expect.stringMatching(/^sieve/),
    ])
    await field.fill('none such')
    await expect.element(page.getByText('No VM that can take a disk has this name.')).toBeVisible()
    await field.fill('ENG')
    await expectCount(page.getByRole('option'), 1)
    await userEvent.keyboard('{ArrowDown}')
    await userEvent.keyboard('{Enter}')
    await expect.element(field).toHaveValue('engine')
    const calls = callsOf(diskApi.attach)
    await submit.click()
    await expectToast('Disk "ledger" attached successfully')
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
    const attach = () => dialog.getByRole('button', { name: 'Attach', exact: true }).click()
    await expectRefused(diskApi.attach, attach, 'Failed to attach disk. Please try again.', dialog)
  })

  test('says that no VM can take its disk, and leads to them', async ({ project, addDisk }) => {
    await addDisk('ledger')
    const { end } = answer(vmApi.list, 500)
    await visit(diskListPath(project.id))
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    await expectText(page.getByRole('dialog').getByRole('alert'), 'Failed to load VMs')
    await end()
    await page.getByRole('dialog').getByRole('button', { name: 'Try Again' }).click()
    await expectText(page.getByRole('dialog'), 'No VM in this project can take a disk now.')
    await userEvent.keyboard('{Escape}')
    await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
    await expectText(page.getByRole('dialog'), 'No VM in this project can take a disk now.')
    await follow(page.getByRole('dialog').getByRole('link', { name: 'View VMs' }), vmListPath(project.id))
  })
})
