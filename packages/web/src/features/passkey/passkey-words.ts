import { ApiError } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'

/** What browsers say by the name of the error alone (Web Authentication, level 3). */
const byName: Record<string, string> = {
  NotAllowedError: 'The request was cancelled, or took too long.',
  AbortError: 'The request was cancelled.',
  InvalidStateError: 'This device has a passkey of your account already.',
  SecurityError: 'The browser does not allow passkeys at this URL.',
  NotSupportedError: 'This device cannot make such a passkey.',
}

/** Why a passkey could not be made or used. */
export function passkeyErrorText(error: unknown, failed: string): string {
  if (error instanceof ApiError) return errorText(error, failed)
  const why = error instanceof Error ? byName[error.name] : undefined
  return why ? `${failed} ${why}` : failed
}
