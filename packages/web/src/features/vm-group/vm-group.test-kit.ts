/** What tests of the screens of pools and sets share. */
import { expect } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import { address, press, reload } from '../../screen/screen.test-kit.ts'
import { expectDisabled, expectTexts } from '../../screen/shown.test-kit.ts'

export const cardOf = (name: string): Locator => page.getByRole('article', { name, exact: true })

export const alertOf = (): Locator => page.getByRole('alertdialog')
export const submitOf = (): Locator => page.getByRole('form').getByRole('button', { name: /^Create VM/ })
export const panelOf = (): Locator => page.getByRole('region', { name: 'Template details' })

/** An alert says a text, and goes when one agrees. */
export async function agree(text: string): Promise<void> {
  await expect.element(alertOf().getByText(text, { exact: true })).toBeVisible()
  await expectTexts(alertOf().getByRole('button'), ['OK'])
  await alertOf().getByRole('button').click()
  await expect.element(alertOf()).not.toBeInTheDocument()
}

/** The form says a broken rule beside its button, which does nothing; Enter in a field says it in an alert. */
export async function expectRule(field: Locator, text: string): Promise<void> {
  await expect.element(page.getByRole('form').getByRole('status')).toHaveTextContent(text)
  await expectDisabled(submitOf(), text)
  await press(field, '{Enter}')
  await agree(text)
}

/** Adds a disk to the form; it has 10Gi unless another size is named. */
export async function addDisk(name: string, size?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Disk' }).click()
  await page.getByLabelText('Disk name').fill(name)
  if (size !== undefined) await page.getByLabelText('Disk size').fill(size)
}

/** Leaves the form for the keys, loads that page anew and comes back. */
export async function lookAtKeys(): Promise<void> {
  const isStored = () => Object.values(sessionStorage).some((text: string) => text.includes('"form"'))
  await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
  await expect.poll(address).toBe('/ssh-keys')
  // A browser that loads a page anew has forgotten all the rest.
  expect(isStored()).toBe(true)
  await reload()
  await page.getByRole('button', { name: 'Back' }).click()
}
