import { expect, type Locator, type Page } from '@playwright/test'

/** What people do in the forms of pools and sets, and what these say. */

export const alertOf = (page: Page): Locator => page.getByRole('alertdialog')
export const submitOf = (page: Page): Locator =>
  page.getByRole('form').getByRole('button', { name: /^Create VM/ })

/** An alert says a text, and goes when one agrees. */
export async function agree(page: Page, text: string): Promise<void> {
  await expect(alertOf(page).getByText(text, { exact: true })).toBeVisible()
  await expect(alertOf(page).getByRole('button')).toHaveText(['OK'])
  await alertOf(page).getByRole('button').click()
  await expect(alertOf(page)).toBeHidden()
}

/** The form says a broken rule beside its button, which does nothing; Enter in a field says it in an alert. */
export async function expectRule(field: Locator, text: string): Promise<void> {
  const page = field.page()
  await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
  await expect(submitOf(page)).toBeDisabled()
  await expect(submitOf(page)).toHaveAccessibleDescription(text)
  await field.press('Enter')
  await agree(page, text)
}

/** Adds a disk to the form; it has 10Gi unless another size is named. */
export async function addDisk(page: Page, name: string, size?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Disk' }).click()
  await page.getByLabel('Disk name').fill(name)
  if (size !== undefined) await page.getByLabel('Disk size').fill(size)
}
