/** What tests of the form of a template do. */
import { page } from 'vitest/browser'
import { choose, visit } from '../../screen/screen.test-kit.ts'

/** Fills everything that is required. */
export async function describeTemplate(name: string): Promise<void> {
  await visit('/admin/templates')
  await page.getByLabelText('Name').fill(name)
  await page.getByLabelText('Description').fill('Compiler and cargo')
  await choose('Default CPU', '4 cores')
  await choose('Default memory', '2.0 GB')
}

export const submit = () => page.getByRole('button', { name: 'Create Template' })
