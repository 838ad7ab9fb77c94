import { describe, expect, it } from 'vitest'
import { resendOutcome, verificationMail } from './mailed-link.ts'

/** What is shown for an answer: of a success, or of a failure. */
function shown(message: string | undefined) {
  try {
    return { sent: true, text: resendOutcome(message) }
  } catch (error) {
    return { sent: false, text: verificationMail.failureText(error) }
  }
}

const success = { sent: true, text: 'Verification email sent! Please check your inbox.' }

describe('resendOutcome', () => {
  it.each(['Verification email sent! Please check your inbox.', 'Sent.', 'It was SENT'])(
    'knows success by the word in "%s"',
    (message) => expect(shown(message)).toEqual(success),
  )
  it.each(['Consent is missing', 'The address is absent', 'Presented too late'])(
    'does not take "%s" for success',
    (message) => expect(shown(message)).toEqual({ sent: false, text: message }),
  )
  it.each([undefined, ''])('has a text of its own where the server has none (%j)', (message) => {
    expect(shown(message)).toEqual({
      sent: false,
      text: 'Failed to resend verification email.',
    })
  })
})
