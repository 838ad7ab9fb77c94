/** What tests of the screens of projects share. */
import { projectApi } from '@slipway/contract'
import { expect } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'

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

/** A deletion is refused, fails and gets no answer; each is told in a banner, and nowhere else. */
export async function failToDelete(): Promise<void> {
  for (const [status, body, text] of [
    [409, { message: 'Cannot delete (VMs exist)' }, 'Cannot delete (VMs exist)'],
    [500, {}, 'Failed to delete project'],
    [null, {}, 'Failed to delete project'],
  ] as const) {
    const { end } = answer(projectApi.delete, status, body)
    await page.getByRole('button', { name: 'Delete Project', exact: true }).click()
    await end()
    await expect.element(page.getByRole('alertdialog').getByRole('alert')).toHaveTextContent(text)
    await expect.poll(() => page.getByRole('alert').elements()).toHaveLength(1)
  }
}
