import { type SignUpRule, signUpCondition } from './sign-up.rules.ts'

export const oidcTexts = {
  unknownProvider: 'Sign-in provider not found. Reload the page and choose again.',
  away: 'The sign-in provider does not respond. Try again in a moment, or sign in another way.',
  identityNotFound: 'Linked identity not found',
  invalidLogoutToken: 'The logout token is not valid',
} as const

/**
 * How a visit to a provider can end without a session. The callback leads back to the console with one of these in the
 * URL, never with a sentence: anybody can write a link.
 */
export const oidcProblems = [
  'cancelled',
  'expired',
  'away',
  'failed',
  'no_email',
  'unverified_email',
  'unverified_account',
  'other_identity',
  'taken',
  'linked_before',
  'sign_up',
  'disabled',
] as const
export type OidcProblem = (typeof oidcProblems)[number]

export const isOidcProblem = (text: unknown): text is OidcProblem =>
  (oidcProblems as readonly unknown[]).includes(text)

/** The sentence for how a visit to a provider ended. `label` is what the provider is called on its button. */
export function oidcProblemText(problem: OidcProblem, label: string, rule: SignUpRule): string {
  switch (problem) {
    case 'cancelled':
      return `${label} did not sign you in: the request was cancelled or denied there.`
    case 'expired':
      return 'This sign-in took too long, was already used, or began in another browser. Try again.'
    case 'away':
      return `${label} does not respond. Try again in a moment, or sign in another way.`
    case 'failed':
      return `${label} sent a response that is not valid. Try again, or contact the operator of the server.`
    case 'no_email':
      return `${label} did not send your email address. Contact the operator of the server.`
    case 'unverified_email':
      return `${label} has not verified your email address. Verify it there, then try again.`
    case 'unverified_account':
      return 'There is an account with your email address, but the address was never verified here. Open the link in the verification email, then try again.'
    case 'other_identity':
      return `There is an account with your email address that belongs to another identity at ${label}. Contact the operator of the server.`
    case 'taken':
      return `This identity at ${label} is linked to another account.`
    case 'linked_before':
      return `Your account is linked to another identity at ${label}. Unlink that one first.`
    case 'sign_up':
      return (
        signUpCondition(rule, 'provider') ?? 'Sign-up is not possible. Contact the operator of the server.'
      )
    case 'disabled':
      return 'Account access denied'
  }
}

/** What the callback says in the query of the page it leads to. */
export const oidcQuery = { problem: 'problem', provider: 'provider', linked: 'linked' } as const
