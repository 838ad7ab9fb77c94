import { type VmSet, vmSetApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmSet } from '@slipway/e2e/objects'
import { vmSetListPath } from '@slipway/e2e/paths'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectRefused, expectText, expectTexts, expectToast } from '../../screen/shown.test-kit.ts'
import { cardOf } from '../vm-group/vm-group.test-kit.ts'

describe('the card of a VM set', () => {
  test('shows how many VMs it has, and why it waits or failed', async ({ project }) => {
    const set = makeVmSet('web', { project_id: project.id, vm_stats: { total_vms: 2, running_vms: 1 } })
    answer(vmSetApi.list, 200, [
      set,
      makeVmSet('coming', { status: 'creating', status_message: 'One VM is to come.' }),
      makeVmSet('broken', { status: 'error' }),
      makeVmSet('odd', { status: 'resting' as VmSet['status'] }),
    ])
    await visit(vmSetListPath(project.id))
    const card = cardOf('web')
    await expect.element(card.getByRole('img', { name: '1 of 2 VMs run, 2 exist' })).toBeVisible()
    await expectTexts(card.getByRole('term'), [
      'Replicas',
      'VMs',
      'Running',
      'Persistent',
      'SSH Key',
      'Created',
    ])
    await expectTexts(card.getByRole('definition'), [
      '2',
      '2',
      '1',
      'Yes',
      'Laptop',
      shownMoment(set.created_at),
    ])
    await expectText(cardOf('coming'), 'WhyOne VM is to come.')
    await expectText(cardOf('broken'), 'WhyThe server gave no reason.')
    for (const [name, status] of [
      ['web', 'Active'],
      ['coming', 'Creating'],
      ['broken', 'Error'],
      ['odd', 'resting'],
    ] as const)
      await expect.element(cardOf(name).getByText(status, { exact: false })).toBeVisible()
  })

  test('is changed in its place; Cancel brings back what was', async ({ project }) => {
    const set = makeVmSet('web', { project_id: project.id })
    answer(vmSetApi.list, 200, [set])
    await visit(vmSetListPath(project.id))
    const card = cardOf('web')
    const edit = card.getByRole('button', { name: 'Edit web' })
    const save = card.getByRole('button', { name: 'Save' })
    const replicas = card.getByLabelText('Number of replicas')
    await edit.click()
    await expect.element(replicas).toHaveFocus()
    await expect.element(replicas).toHaveAttribute('min', '1')
    await expect.element(replicas).toHaveAttribute('max', '20')
    for (const [value, text] of [
      ['0', 'Number of replicas must be at least 1'],
      ['21', 'Number of replicas cannot be greater than 20'],
    ] as const) {
      await replicas.fill(value)
      await expect.element(card.getByRole('status')).toHaveTextContent(text)
      await expect.element(save).toBeDisabled()
    }
    await replicas.fill('')
    await expect.element(replicas).toHaveValue(1)
    await expectText(card, 'One VM will be deleted with the disks created for it')
    await userEvent.keyboard('{Escape}')
    await expect.element(edit).toHaveFocus()
    await edit.click()
    await expect.element(replicas).toHaveValue(2)
    await replicas.fill('5')
    await expectRefused(vmSetApi.update, () => save.click(), 'Failed to update VMSet. Please try again.')
    answer(vmSetApi.update, 200, { ...set, replicas: 5 })
    const calls = callsOf(vmSetApi.update)
    await save.click()
    await expectToast('VM Set updated successfully')
    expect(calls.map(({ body }) => body)).toEqual([{ replicas: 5 }])
  })

  test('keeps what is typed and the focus when another set appears above', async ({ project }) => {
    await page.viewport(390, 800)
    const set = makeVmSet('web', { project_id: project.id })
    const { end } = answer(vmSetApi.list, 200, [set])
    await visit(vmSetListPath(project.id))
    await cardOf('web').getByRole('button', { name: 'Edit web' }).click()
    const replicas = cardOf('web').getByLabelText('Number of replicas')
    await replicas.fill('7')
    await end()
    answer(vmSetApi.list, 200, [makeVmSet('above', { project_id: project.id }), set])
    comeBackLater()
    await expect.element(cardOf('above')).toBeVisible()
    await expect.element(replicas).toHaveValue(7)
    await expect.element(replicas).toHaveFocus()
  })
})

/** As when one comes back to the tab; later, as what is fresh is not asked for again. */
function comeBackLater(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_100 })
  onTestFinished(() => void vi.useRealTimers())
  window.dispatchEvent(new Event('visibilitychange'))
}
