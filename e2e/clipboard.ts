import type { Page } from '@playwright/test'

/** What the pages copy, and browsers that do not let them. */

/** What the clipboard holds. */
export const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

/** From its next load on the page lacks what browsers offer on https and localhost only. */
export async function browseWithoutClipboard(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
}
