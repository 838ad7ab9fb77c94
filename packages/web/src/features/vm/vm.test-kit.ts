/** What tests of the screens of VMs share. */
import type { Vm } from '@slipway/contract'
import { type Locator, page } from 'vitest/browser'

export const cardOf = (name: string): Locator => page.getByRole('article', { name, exact: true })

/** The status on the card of a VM; beside it may stand for how long it has been on its way. */
export const statusOf = (name: string, word: string): Locator =>
  cardOf(name).getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))

/** Chooses an entry of the menu of a VM. */
export async function more({ name }: Pick<Vm, 'name'>, entry: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}
