import { activityPath } from '@slipway/e2e/paths'
import { expect, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { test, visit } from '../screen/screen.test-kit.ts'

test('a list takes no click before it has its place', async ({ project }) => {
  await visit(activityPath(project.id))
  const box = page.getByRole('combobox', { name: 'Kind' })
  await expect.element(box).toBeVisible()
  const before: string[] = []
  const watch = new MutationObserver(() => {
    for (const option of document.querySelectorAll('[style*="opacity: 0"] [role=option]'))
      before.push(getComputedStyle(option).pointerEvents)
  })
  watch.observe(document.body, { childList: true, subtree: true })
  onTestFinished(() => watch.disconnect())
  await box.click()
  await page.getByRole('option', { name: 'Failure' }).click()
  await expect.element(box).toHaveTextContent('Failure')
  expect(new Set(before)).toEqual(new Set(['none']))
})
