import { accountApi, messages } from '@slipway/contract'
import { page } from 'vitest/browser'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { clickOn, expectSaid, expectTimeOut } from './account.test-kit.ts'

const failed = 'Failed to change the password.'

async function tryReset(password: string): Promise<void> {
  await page.getByLabelText('New password', { exact: true }).fill(password)
  await page.getByLabelText('Confirm password').fill(password)
  await clickOn('Change Password')
}

test('a new password that cannot be set says why, and gives up after 15 s', async () => {
  await visit('/reset-password?token=some')
  const send = () => tryReset('Difference-Engine-1822')
  await expectSaid(accountApi.resetPassword, send, [
    [400, { message: 'Not this one' }, 'Not this one'],
    [500, {}, failed],
    [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
  ])
  await expectTimeOut(accountApi.resetPassword, send, ['Saving...', failed])
})
