import type { Page } from '@playwright/test'
import { expect, templateId, test } from './fixtures.ts'

/** What every form does, shown on one of each kind: a page and a dialog. */

const createPath = `/create?template=${templateId}`
const nameOf = (page: Page) => page.getByLabel('Name', { exact: true })

test('a new version of the console waits for a half-filled form', async ({ page, user: _ }) => {
  await page.goto(createPath)
  await nameOf(page).fill('engine')
  await page.evaluate(() => window.dispatchEvent(new Event('vite:preloadError')))
  await expect(page.getByText('A new version of the console is ready.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible()
  await expect(nameOf(page)).toHaveValue('engine')
})
