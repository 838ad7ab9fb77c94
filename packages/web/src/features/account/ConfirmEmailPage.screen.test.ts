import { accountTexts } from '@slipway/contract'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'

test('a link without its token, and one that has expired, say so', async () => {
  await visit('/confirm-email')
  await expect.element(page.getByRole('alert')).toMatchTextContent('its token is missing')
  await visit('/confirm-email?token=old')
  await expect.element(page.getByRole('alert')).toMatchTextContent(accountTexts.emailChangeExpired)
  await expectAccessible()
})
