import { describe, expect, it } from 'vitest'
import { resendOutcome } from './mailed-link.ts'

const success = { sent: true, text: 'Verification email sent! Please check your inbox.' }

describe('resendOutcome', () => {
  it.each(['Verification email sent! Please check your inbox.', 'Sent.', 'It was SENT'])(
    'knows success by the word in "%s"',
    (message) => expect(resendOutcome(message)).toEqual(success),
  )
  it.each(['Consent is missing', 'The address is absent', 'Presented too late'])(
    'does not take "%s" for success',
    (message) => expect(resendOutcome(message)).toEqual({ sent: false, text: message }),
  )
  it.each([undefined, ''])('has a text of its own where the server has none (%j)', (message) => {
    expect(resendOutcome(message)).toEqual({
      sent: false,
      text: 'Failed to resend verification email.',
    })
  })
})
