import { type VmPool, vmPoolApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmPool } from '@slipway/e2e/objects'
import { vmPoolListPath, vmPoolPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { back, follow, press, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectRefused, expectText, expectTexts, expectToast } from '../../screen/shown.test-kit.ts'
import { cardOf } from '../vm-group/vm-group.test-kit.ts'

describe('the card of a VM pool', () => {
  test('shows its sizes, how much of the maximum is used, and why it waits or failed', async ({
    project,
  }) => {
    const pool = makeVmPool('web', {
      project_id: project.id,
      description: 'Shop front',
      auto_scaling: false,
      persistent: false,
    })
    answer(vmPoolApi.list, 200, [
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
    await visit(vmPoolListPath(project.id))
    const card = cardOf('web')
    await expectText(card, 'Shop front', '33.3% utilization')
    await expect
      .element(card.getByRole('meter', { name: 'Utilization' }))
      .toHaveAttribute('aria-valuenow', '33.3')
    await expectTexts(card.getByRole('term'), [
      'Min',
      'Desired',
      'Max',
      'Auto scaling',
      'Persistent',
      'SSH Key',
      'Created',
    ])
    await expectTexts(card.getByRole('definition'), [
      '1',
      '1',
      '3',
      'Off',
      'No',
      'Laptop',
      shownMoment(pool.created_at),
    ])
    const shrinking = cardOf('shrinking')
    await expectText(shrinking, '5 VMs, 3 to go', '125.0% utilization')
    await expect.element(shrinking.getByRole('meter')).toHaveAttribute('aria-valuenow', '100')
    await expectText(shrinking, 'WhyWaiting for a snapshot of "shrinking-5".')
    await expectText(cardOf('broken'), 'WhyThe server gave no reason.')
    for (const [name, status] of [
      ['web', 'Active'],
      ['shrinking', 'Scaling'],
      ['broken', 'Error'],
      ['odd', 'resting'],
    ] as const)
      await expect.element(cardOf(name).getByText(status, { exact: false }).first()).toBeVisible()
    for (const link of ['web', 'View VMs of web']) {
      await follow(card.getByRole('link', { name: link, exact: true }), vmPoolPath(pool))
      await back()
    }
  })

  test('is changed in its place; Cancel brings back what was', async ({ project }) => {
    const pool = makeVmPool('web', { project_id: project.id })
    answer(vmPoolApi.list, 200, [pool])
    await visit(vmPoolListPath(project.id))
    const card = cardOf('web')
    const edit = card.getByRole('button', { name: 'Edit web' })
    const save = card.getByRole('button', { name: 'Save' })
    const min = card.getByLabelText('Min size')
    const desired = card.getByLabelText('Desired size')
    const max = card.getByLabelText('Max size')
    const scales = card.getByRole('checkbox', { name: 'Auto scaling', exact: false })
    await edit.click()
    await expect.element(min).toHaveFocus()
    for (const [sizes, text] of [
      [['5', '5', '4'], 'Minimum size cannot be greater than maximum size.'],
      [['1', '5', '4'], 'Desired size must be between minimum and maximum size.'],
    ] as const) {
      for (const [i, field] of [min, desired, max].entries()) await field.fill(sizes[i] ?? '')
      await expect.element(card.getByRole('status')).toHaveTextContent(text)
      await expect.element(save).toBeDisabled()
      await expect.element(save).toHaveAccessibleDescription(text)
    }
    await tick(scales, false)
    await card.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(edit).toHaveFocus()
    await edit.click()
    for (const [field, value] of [
      [min, 1],
      [desired, 1],
      [max, 3],
    ] as const)
      await expect.element(field).toHaveValue(value)
    await expect.element(scales).toBeChecked()

    await desired.fill('2')
    await tick(scales, false)
    await expectRefused(vmPoolApi.update, () => save.click(), 'Failed to update VMPool. Please try again.')
    await expect.element(desired).toHaveValue(2)
    answer(vmPoolApi.update, 200, { ...pool, desired_size: 2, auto_scaling: false })
    const calls = callsOf(vmPoolApi.update)
    const { letGo } = hold(vmPoolApi.update)
    await press(desired, '{Enter}')
    await expect.element(card.getByRole('button', { name: 'Saving...' })).toBeDisabled()
    letGo()
    await expectToast('VM Pool updated successfully')
    await expect.element(edit).toHaveFocus()
    expect(calls.map(({ body }) => body)).toEqual([
      { min_size: 1, max_size: 3, desired_size: 2, auto_scaling: false },
    ])
  })
})
