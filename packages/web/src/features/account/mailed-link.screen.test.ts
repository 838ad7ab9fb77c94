import { accountApi, messages } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'
import {
  type Case,
  clickOn,
  expectSaid,
  expectTimeOut,
  trySignIn,
  verificationSent,
} from './account.test-kit.ts'

const resendFailed = 'Failed to resend verification email.'

/** What either screen says when a new verification link was asked for. */
const resendCases: Case[] = [
  [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
  [500, {}, resendFailed],
  [200, { message: 'It could not leave.' }, 'It could not leave.'],
  [null, {}, resendFailed],
  [200, { message: 'Another one was sent.' }, verificationSent],
  [200, {}, resendFailed],
]

describe('asking for a new verification link', () => {
  /** Opens each of the two screens that offer it, with an address filled in. */
  const screens = {
    'the verification screen': async () => {
      await visit('/verify-email')
      await page.getByLabelText('Email').fill('ada@example.com')
    },
    'the sign-in screen': async () => {
      await visit('/signin')
      answer(accountApi.signIn, 403, { message: 'This address is UNVERIFIED' })
      await trySignIn({ email: 'ada@example.com', password: 'some' })
    },
  }
  const resend = 'Resend verification email'

  for (const [screen, open] of Object.entries(screens)) {
    test(`tells on ${screen} what came of it`, async () => {
      await open()
      await expectSaid(accountApi.resendVerification, () => clickOn(resend), resendCases)
    })

    test(`is busy on ${screen}, for 15 s at most`, async () => {
      await open()
      const button = page.getByRole('button', { name: resend })
      await expect.element(button).toBeVisible()
      const calls = callsOf(accountApi.resendVerification)
      await expectTimeOut(accountApi.resendVerification, () => button.dblClick(), [
        'Sending...',
        resendFailed,
      ])
      expect(calls).toHaveLength(1)
    })
  }
})
