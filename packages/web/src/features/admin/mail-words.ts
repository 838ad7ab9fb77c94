import type { AdminMail } from '@slipway/contract'
import { formatDateTime } from '../../time.ts'

const purposes: Readonly<Record<string, string>> = {
  verify: 'Verification link',
  reset: 'Password reset link',
  'email-change': 'Link to a new email address',
  'email-change-asked': 'A new email address was requested',
  'email-changed': 'The email address was changed',
  'password-changed': 'The password was changed',
  factor: 'Ways to sign in were changed',
  'identity-linked': 'A sign-in provider was linked',
  'identity-unlinked': 'A sign-in provider was unlinked',
  invitation: 'Invitation to a project',
  'hand-over': 'Request to take over a project',
  'deletion-requested': 'The deletion of the account was requested',
  'account-kept': 'The account is kept',
  'account-deleted': 'The account was deleted',
}

/** What a mail is for; a newer server may have more kinds. */
export const purposeText = ({ purpose }: Pick<AdminMail, 'purpose'>): string => purposes[purpose] ?? purpose

const triesText = (tries: number) => (tries === 1 ? 'one try' : `${tries} tries`)

/** Where it is on its way. */
export function mailStateText({ state, tries, tried_at, next_try_at, is_being_sent }: AdminMail): string {
  if (state === 'sent') return `Sent ${formatDateTime(tried_at ?? '')}`
  if (state === 'failed') return `Not sent after ${triesText(tries)}`
  if (is_being_sent) return 'Is being sent'
  if (tries === 0 || next_try_at === null) return 'Waits to be sent'
  return `Waits after ${triesText(tries)}; the next is ${formatDateTime(next_try_at)}`
}
