import { accountApi, messages } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { clickOn, expectSaid, expectTimeOut } from './account.test-kit.ts'

const resetSent = 'If an account exists for this address, a reset link is on its way.'
const failed = 'Failed to send the reset link.'

const email = page.getByLabelText('Email')

describe('asking for a reset link', () => {
  test('is open to any address, and keeps it on the way back', async () => {
    await visit('/reset-password')
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('This link is incomplete: its token is missing. Request a new link.')
    await page.getByRole('link', { name: 'Send a new reset link' }).click()
    await clickOn('Send Reset Link')
    await expect.element(email).toHaveAccessibleDescription('Please enter your email address')
    await email.fill('nobody@example.com')
    await clickOn('Send Reset Link')
    await expect.element(page.getByRole('status')).toHaveTextContent(resetSent)
    await page.getByRole('link', { name: 'Back to Sign In' }).click()
    await expect.element(email).toHaveValue('nobody@example.com')
  })

  test('tells each failure in words, and gives up after 15 s', async () => {
    await visit('/forgot-password')
    await email.fill('nobody@example.com')
    const send = () => clickOn('Send Reset Link')
    await expectSaid(accountApi.forgotPassword, send, [
      [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
      [500, {}, failed],
      [200, {}, resetSent],
    ])
    await expectTimeOut(accountApi.forgotPassword, send, ['Sending...', failed])
  })
})
