import { expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { test, visit } from '../screen/screen.test-kit.ts'

const boxOf = (element: Locator) => element.element().getBoundingClientRect()

test('the privacy notice lies over no form, and comes after it', async () => {
  const notice = page.getByRole('region', { name: 'Privacy notice' })
  for (const width of [390, 900]) {
    await page.viewport(width, 844)
    for (const path of ['/signin', '/signup']) {
      await visit(path)
      const form = page.getByRole('main').getByRole('form')
      for (const end of [0, Number.MAX_SAFE_INTEGER]) {
        await expect.element(notice).toBeVisible()
        window.scrollTo(0, end)
        const [above, below] = [boxOf(form), boxOf(notice)]
        expect(below.y, `${path} at ${width}`).toBeGreaterThanOrEqual(above.y + above.height)
      }
    }
  }
  ;(page.getByRole('main').getByRole('button', { name: 'Sign Up' }).element() as HTMLElement).focus()
  await userEvent.keyboard('{Tab}')
  await expect.element(notice.getByRole('link', { name: 'Learn more' })).toHaveFocus()
  // Elsewhere it floats, so that it is seen at once.
  await visit('/')
  await expect.element(notice).toBeVisible()
  expect(boxOf(notice).y).toBeLessThan(844)
})
