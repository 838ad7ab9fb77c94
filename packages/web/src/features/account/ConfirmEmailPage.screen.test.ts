import { accountTexts } from '@slipway/contract'
import { page } from 'vitest/browser'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'

test('a link without its token, and one that has expired, say so', async () => {
  await visit('/confirm-email')
  await expectText(page.getByRole('alert'), 'its token is missing')
  await visit('/confirm-email?token=old')
  await expectText(page.getByRole('alert'), accountTexts.emailChangeExpired)
})
