/** What tests of the screens of projects share. */
import { type Locator, page } from 'vitest/browser'

export const question =
  'Are you sure you want to delete this project? This will also delete all VMs in this project. This action cannot be undone.'

/** The project that one works in, by the sidebar. */
export const selected = (name: string): Locator =>
  page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: `Project: ${name}` })

export async function manageProjects(): Promise<Locator> {
  await page.getByRole('button', { name: /^(Project: |No projects)/ }).click()
  await page.getByRole('menuitem', { name: 'Manage Projects' }).click()
  return page.getByRole('dialog', { name: 'Manage Projects' })
}
