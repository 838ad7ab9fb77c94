import { ApiError, call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'

/** Asks for a mail to an address. */
export interface MailRequest {
  /** Answers with the sentence to show. */
  send: (email: string) => Promise<string>
  failureText: (error: unknown) => string
}

/** Success is known by the word "sent" in a successful answer (catalogue G-030). */
export function resendOutcome(message: string | undefined): string {
  if (/\bsent\b/i.test(message ?? '')) return 'Verification email sent! Please check your inbox.'
  throw new ApiError(200, message ?? null)
}

const resetOutcome = (message: string | undefined): string =>
  message || 'If an account exists for this address, a reset link is on its way.'

function mailRequest(
  id: 'account.resendVerification' | 'account.forgotPassword',
  outcomeOf: (message: string | undefined) => string,
  fallback: string,
): MailRequest {
  return {
    send: async (email) => outcomeOf((await call(id, { body: { email } }))?.message),
    failureText: (error) => errorText(error, fallback),
  }
}

/** A new link to verify an address. */
export const verificationMail = mailRequest(
  'account.resendVerification',
  resendOutcome,
  'Failed to resend verification email.',
)

/** A link to choose a new password. */
export const resetMail = mailRequest('account.forgotPassword', resetOutcome, 'Failed to send the reset link.')
