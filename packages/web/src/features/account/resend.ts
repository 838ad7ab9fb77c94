import { accountApi } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'

const failed = 'Failed to resend verification email.'

/** The outcome of asking for a new verification link, in the words to show. */
export interface ResendResult {
  sent: boolean
  text: string
}

/** Success is known by the word "sent" in a successful answer (catalogue G-030). */
export function resendResult(message: string | undefined): ResendResult {
  return /\bsent\b/i.test(message ?? '')
    ? { sent: true, text: 'Verification email sent! Please check your inbox.' }
    : { sent: false, text: message || failed }
}

/** Mails a new verification link; the result is a sentence either way. */
export function useResend() {
  const mutation = useMutation({
    mutationFn: (email: string) => call(accountApi.resendVerification, { body: { email } }),
  })
  const result: ResendResult | null = mutation.isSuccess
    ? resendResult(mutation.data?.message)
    : mutation.isError
      ? { sent: false, text: errorText(mutation.error, failed) }
      : null
  return { resend: mutation.mutate, sending: mutation.isPending, result }
}
