import { totpTexts } from './totp.rules.ts'

export const adminAccountTexts = {
  refused: 'Only administrators (SLIPWAY_ADMINS) can view and change the accounts of others',
  notFound: 'Account not found',
  ownAccount: 'You cannot disable your own account. Ask another administrator.',
  alreadyDisabled: 'This account is disabled already',
  notDisabled: 'This account is not disabled',
  ownTotp: 'Turn off two-factor authentication of your own account on the page Your account.',
  limitInvalid: 'Enter a whole number from 0, or no limit',
} as const

/** How many accounts an answer has at most. */
export const accountPage = { default: 50, max: 200 } as const

/** Whether an administrator may disable an account now. */
export function mayDisable(
  account: { id: string; disabled_at: string | null },
  adminId: string,
): true | string {
  if (account.id === adminId) return adminAccountTexts.ownAccount
  return account.disabled_at === null || adminAccountTexts.alreadyDisabled
}

/** Whether an administrator may turn off the two-factor authentication of an account, whose owner has lost app and codes. */
export function mayRemoveTotp(
  account: { id: string; two_factor_since: string | null },
  adminId: string,
): true | string {
  if (account.id === adminId) return adminAccountTexts.ownTotp
  return account.two_factor_since !== null || totpTexts.notOn
}
