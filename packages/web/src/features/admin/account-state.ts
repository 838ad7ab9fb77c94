import type { AdminAccount } from '@slipway/contract'

/** What there is to know of an account at a glance; empty for an ordinary one. */
export function accountStateText({
  delete_at,
  disabled_at,
  email_verified,
  is_admin,
}: Pick<AdminAccount, 'delete_at' | 'disabled_at' | 'email_verified' | 'is_admin'>): string {
  if (delete_at !== null) return 'Being deleted'
  if (disabled_at !== null) return 'Disabled'
  if (!email_verified) return 'Email not verified'
  return is_admin ? 'Administrator' : ''
}
