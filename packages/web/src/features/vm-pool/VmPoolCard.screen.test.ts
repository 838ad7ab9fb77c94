import { type VmPool, vmPoolApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmPool } from '@slipway/e2e/objects'
import { vmPoolListPath, vmPoolPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, press, test, texts, toasts, visit } from '../../screen/screen.test-kit.ts'
import { cardOf, failures, linesOfAlert } from '../vm-group/vm-group.test-kit.ts'

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
    await expect.element(card).toMatchTextContent('Shop front')
    await expect.element(card).toMatchTextContent('33.3% utilization')
    await expect
      .element(card.getByRole('meter', { name: 'Utilization' }))
      .toHaveAttribute('aria-valuenow', '33.3')
    await expect
      .poll(() => texts(card.getByRole('term')))
      .toEqual(['Min', 'Desired', 'Max', 'Auto scaling', 'Persistent', 'SSH Key', 'Created'])
    await expect
      .poll(() => texts(card.getByRole('definition')))
      .toEqual(['1', '1', '3', 'Off', 'No', 'Laptop', shownMoment(pool.created_at)])
    const shrinking = cardOf('shrinking')
    await expect.element(shrinking).toMatchTextContent('5 VMs, 3 to go')
    await expect.element(shrinking).toMatchTextContent('125.0% utilization')
    await expect.element(shrinking.getByRole('meter')).toHaveAttribute('aria-valuenow', '100')
    await expect.element(shrinking).toMatchTextContent('WhyWaiting for a snapshot of "shrinking-5".')
    await expect.element(cardOf('broken')).toMatchTextContent('WhyThe server gave no reason.')
    for (const [name, status] of [
      ['web', 'Active'],
      ['shrinking', 'Scaling'],
      ['broken', 'Error'],
      ['odd', 'resting'],
    ] as const)
      await expect.element(cardOf(name).getByText(status, { exact: false }).first()).toBeVisible()
    for (const link of ['web', 'View VMs of web']) {
      await card.getByRole('link', { name: link, exact: true }).click()
      await expect.poll(address).toBe(vmPoolPath(pool))
      history.back()
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
    // What is no number is the least there can be.
    for (const [field, least] of [
      [min, 0],
      [desired, 1],
      [max, 1],
    ] as const) {
      await field.fill('')
      await expect.element(field).toHaveValue(least)
      await expect.element(field).toHaveAttribute('min', String(least))
    }
    for (const [sizes, text] of [
      [['5', '5', '4'], 'Minimum size cannot be greater than maximum size.'],
      [['1', '5', '4'], 'Desired size must be between minimum and maximum size.'],
      [['1', '1', '1001'], 'Maximum size cannot be greater than 1000.'],
    ] as const) {
      for (const [i, field] of [min, desired, max].entries()) await field.fill(sizes[i] ?? '')
      await expect.element(card.getByRole('status')).toHaveTextContent(text)
      await expect.element(save).toBeDisabled()
      await expect.element(save).toHaveAccessibleDescription(text)
    }
    await scales.click()
    await expect.element(scales).not.toBeChecked()
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
    await scales.click()
    await expect.element(scales).not.toBeChecked()
    for (const [status, body, lines] of failures('Failed to update VMPool. Please try again.')) {
      const { end } = answer(vmPoolApi.update, status, body)
      await save.click()
      await expect.poll(linesOfAlert).toEqual(lines)
      await expect.element(desired).toHaveValue(2)
      await end()
    }
    answer(vmPoolApi.update, 200, { ...pool, desired_size: 2, auto_scaling: false })
    const calls = callsOf(vmPoolApi.update)
    const { letGo } = hold(vmPoolApi.update)
    await press(desired, '{Enter}')
    await expect.element(card.getByRole('button', { name: 'Saving...' })).toBeDisabled()
    letGo()
    await expect.element(toasts().getByRole('status')).toHaveTextContent('VM Pool updated successfully')
    await expect.element(edit).toHaveFocus()
    expect(calls.map(({ body }) => body)).toEqual([
      { min_size: 1, max_size: 3, desired_size: 2, auto_scaling: false },
    ])
  })

  test('deletes its pool after a question', async ({ project }) => {
    const { end } = answer(vmPoolApi.list, 200, [makeVmPool('web', { project_id: project.id })])
    await visit(vmPoolListPath(project.id))
    const remove = cardOf('web').getByRole('button', { name: 'Delete web' })
    await remove.click()
    const question = page.getByRole('alertdialog', { name: 'Delete VM Pool' })
    await expect
      .element(question)
      .toMatchTextContent(
        'Are you sure you want to delete VM pool "web"? All its VMs will be deleted. This action cannot be undone',
      )
    await expect
      .element(question)
      .toMatchTextContent('Disks that were created for its VMs are deleted with them.')
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(remove).toHaveFocus()
    await remove.click()
    for (const [status, body, lines] of failures('Failed to delete VMPool. Please try again.')) {
      const { end } = answer(vmPoolApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete VM Pool' }).click()
      await expect.poll(linesOfAlert).toEqual(lines)
      await expect.element(question.getByRole('alert')).toHaveTextContent(lines.at(-1) ?? '')
      await end()
    }
    answer(vmPoolApi.delete, 204)
    const calls = callsOf(vmPoolApi.delete)
    const { letGo } = hold(vmPoolApi.delete)
    await question.getByRole('button', { name: 'Delete VM Pool' }).dblClick()
    await expect.element(question.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    await end()
    letGo()
    await expect.element(toasts().getByRole('status')).toHaveTextContent('VM Pool deleted successfully')
    await expect.element(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    expect(calls).toHaveLength(1)
  })
})
