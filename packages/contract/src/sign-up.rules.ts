/**
 * Who may create an account: everybody, only who is invited to a project, nobody, who has an address at a domain, or
 * everybody whom a provider signs in (`oidc`), and nobody by a password.
 */
export const signUpPolicies = ['open', 'invitation', 'closed', 'domains', 'oidc'] as const

/** How somebody comes to an account: with a password of their own, or by their first sign-in with a provider. */
export type SignUpWay = 'password' | 'provider'

export interface SignUpRule {
  policy: (typeof signUpPolicies)[number]
  /** In lower case; empty unless the policy is `domains`. Their subdomains are other domains. */
  domains: readonly string[]
}

export const openSignUp: SignUpRule = { policy: 'open', domains: [] }

const anyOf = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** What stands between a visitor and an account, in a sentence; null where nothing does. */
export function signUpCondition({ policy, domains }: SignUpRule, way: SignUpWay = 'password'): string | null {
  switch (policy) {
    case 'open':
      return null
    case 'closed':
      return 'Sign-up is closed: only existing accounts can sign in.'
    case 'invitation':
      return 'Sign-up requires an email address that is invited to a project.'
    case 'domains':
      return `Sign-up requires an email address at ${anyOf(domains)}, or one that is invited to a project.`
    case 'oidc':
      return way === 'provider' ? null : 'Sign-up by password is turned off: sign in with a provider instead.'
  }
}

/**
 * Whether somebody may create an account with an email address in lower case: `true`, or the sentence to show, with which
 * the server refuses by 403. `isInvited`: an invitation of that address to a project can still be accepted.
 */
export function maySignUp(
  rule: SignUpRule,
  email: string,
  isInvited: boolean,
  way: SignUpWay = 'password',
): true | string {
  const condition = signUpCondition(rule, way)
  if (condition === null) return true
  if (rule.policy === 'closed' || rule.policy === 'oidc') return condition
  return isInvited || rule.domains.includes(email.slice(email.lastIndexOf('@') + 1)) || condition
}
