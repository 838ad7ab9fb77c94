import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'

/** What came of asking for a mail, in the words to show. */
export interface Outcome {
  sent: boolean
  text: string
}

/** Asks for a mail to an address; the outcome is a sentence either way. */
export interface MailRequest {
  ask: (email: string) => void
  asking: boolean
  outcome: Outcome | null
}

/** Success is known by the word "sent" in a successful answer (catalogue G-030). */
export function resendOutcome(message: string | undefined): Outcome {
  return /\bsent\b/i.test(message ?? '')
    ? { sent: true, text: 'Verification email sent! Please check your inbox.' }
    : { sent: false, text: message || 'Failed to resend verification email.' }
}

function resetOutcome(message: string | undefined): Outcome {
  return {
    sent: true,
    text: message || 'If an account exists for this address, a reset link is on its way.',
  }
}

/** A new link to verify an address. */
export function useResend(): MailRequest {
  return useMailRequest('account.resendVerification', resendOutcome, 'Failed to resend verification email.')
}

/** A link to choose a new password. */
export function useForgotPassword(): MailRequest {
  return useMailRequest('account.forgotPassword', resetOutcome, 'Failed to send the reset link.')
}

function useMailRequest(
  id: 'account.resendVerification' | 'account.forgotPassword',
  outcomeOf: (message: string | undefined) => Outcome,
  fallback: string,
): MailRequest {
  const { mutate, isPending, isSuccess, data, error } = useMutation({
    mutationFn: (email: string) => call(id, { body: { email } }),
  })
  return {
    ask: mutate,
    asking: isPending,
    outcome: isSuccess
      ? outcomeOf(data?.message)
      : error && { sent: false, text: errorText(error, fallback) },
  }
}
