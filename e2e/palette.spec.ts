import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { vmPath } from './paths.ts'

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Find anything' })

test('its keys stay out of other dialogs and of what is typed into a guest', async ({ page, makeVm }) => {
  const vm = await makeVm('engine', 'running')
  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'SSH Connect', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'SSH Connect' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeHidden()
  await page.keyboard.press('Escape')
  await page.goto(`${vmPath(vm)}/console`)
  const terminal = page.locator('.xterm textarea')
  await terminal.focus()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeHidden()
  await page.getByRole('link', { name: 'Slipway' }).first().focus()
  await page.keyboard.press('Control+k')
  await expect(paletteOf(page)).toBeVisible()
})
