import { vmApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../screen/clock.test-kit.ts'
import { answer } from '../screen/network.test-kit.ts'
import { press, test, visit } from '../screen/screen.test-kit.ts'
import { expectCount, expectToast, toasts } from '../screen/shown.test-kit.ts'

const title = () => page.getByRole('heading', { level: 1 })
const boxOf = (element: Locator) => element.element().getBoundingClientRect()

describe('toasts', () => {
  test('stack at the top right, speak by their kind, and go on request', async ({ sshKey, makeVm }) => {
    await makeVm('engine', 'running')
    await visit('/ssh-keys')
    const copy = page.getByRole('button', { name: `Copy ${sshKey.name}` })
    await expect.element(copy).toBeVisible()
    await stopClock()
    holdClock()
    await copy.click()
    await expectToast('Copied to clipboard!')

    await page.getByRole('link', { name: /^VMs/ }).click()
    answer(vmApi.stop, 409, { message: 'Not now' })
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const failure = toasts().getByRole('alert')
    await expect.element(failure).toHaveTextContent('Failed to stop VM. Please try again.Not now')

    const newer = boxOf(failure)
    const older = boxOf(toasts().getByRole('status'))
    for (const { x, width } of [newer, older]) expect(x + width).toBe(1280 - 16)
    // Above what the page offers to do if there is room, else below.
    const action = boxOf(page.getByRole('main').getByRole('link', { name: 'Create VM' }))
    for (const { y, height } of [newer, older])
      expect(y + height <= action.y || y >= action.y + action.height, 'covers no action').toBe(true)
    expect(older.y).toBeGreaterThan(newer.y + newer.height)

    await toasts().getByRole('button', { name: 'Dismiss' }).last().click()
    await expectCount(toasts().getByRole('status'), 0)
    await expect.element(failure).toBeVisible()
  })

  test('go after 5 s in which nobody reads them', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const copy = page.getByRole('button', { name: `Copy ${sshKey.name}` })
    await expect.element(copy).toBeVisible()
    await stopClock()
    holdClock()
    const toast = toasts().getByRole('status')
    await copy.click()
    await expect.element(toast).toBeVisible()
    await passTime(5_000)
    await expectCount(toast, 0)

    // The pointer and the focus stop its time; the rest runs afterwards.
    await copy.click()
    await expect.element(toast).toBeVisible()
    await passTime(2_000)
    await toast.hover()
    await passTime(60_000)
    ;(toast.getByRole('button', { name: 'Dismiss' }).element() as HTMLElement).focus()
    await title().hover()
    await passTime(60_000)
    await expect.element(toast).toBeVisible()
    ;(copy.element() as HTMLElement).focus()
    await passTime(2_999)
    await expect.element(toast).toBeVisible()
    await passTime(1)
    await expectCount(toast, 0)
  })

  test('go in time when they come up under a pointer that rests', async ({ sshKey }) => {
    await visit('/ssh-keys')
    const copy = page.getByRole('button', { name: `Copy ${sshKey.name}` })
    await expect.element(copy).toBeVisible()
    await userEvent.pointer({ coords: { x: 1280 - 100, y: 30 } })
    await stopClock()
    holdClock()
    const toast = toasts().getByRole('status')
    await press(copy, '{Enter}')
    await expect.element(toast).toBeVisible()
    // Browsers tell by themselves what came up under a pointer, but not at once: so they do now.
    await userEvent.pointer({ coords: { x: 1280 - 100, y: 30 } })
    await expect.poll(() => toast.element().matches(':hover')).toBe(true)
    await passTime(5_000)
    await expectCount(toast, 0)
  })
})
