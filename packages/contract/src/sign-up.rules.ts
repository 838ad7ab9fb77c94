/** Who may create an account: everybody, only who is invited to a project, nobody, or who has an address at a domain. */
export const signUpPolicies = ['open', 'invitation', 'closed', 'domains'] as const

export interface SignUpRule {
  policy: (typeof signUpPolicies)[number]
  /** In lower case; empty unless the policy is `domains`. Their subdomains are other domains. */
  domains: readonly string[]
}

export const openSignUp: SignUpRule = { policy: 'open', domains: [] }

const anyOf = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** What stands between a visitor and an account, in a sentence; null where nothing does. */
export function signUpCondition({ policy, domains }: SignUpRule): string | null {
  switch (policy) {
    case 'open':
      return null
    case 'closed':
      return 'Sign-up is closed: only existing accounts can sign in.'
    case 'invitation':
      return 'Sign-up requires an email address that is invited to a project.'
    case 'domains':
      return `Sign-up requires an email address at ${anyOf(domains)}, or one that is invited to a project.`
  }
}

/**
 * Whether somebody may create an account with an email address in lower case: `true`, or the sentence to show, with which
 * the server refuses by 403. `isInvited`: an invitation of that address to a project can still be accepted.
 */
export function maySignUp(rule: SignUpRule, email: string, isInvited: boolean): true | string {
  const condition = signUpCondition(rule)
  if (condition === null) return true
  if (rule.policy === 'closed') return condition
  return isInvited || rule.domains.includes(email.slice(email.lastIndexOf('@') + 1)) || condition
}
