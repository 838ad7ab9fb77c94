import { describe, expect, it } from 'vitest'
import { isOidcProblem, oidcProblems, oidcProblemText } from './oidc.rules.ts'
import { openSignUp } from './sign-up.rules.ts'

describe('a visit to a provider that ends without a session', () => {
  it.each([
    ['cancelled', 'Acme did not sign you in: the request was cancelled or denied there.'],
    ['expired', 'This sign-in took too long, was already used, or began in another browser. Try again.'],
    ['away', 'Acme does not respond. Try again in a moment, or sign in another way.'],
    ['failed', 'Acme sent a response that is not valid. Try again, or contact the operator of the server.'],
    ['no_email', 'Acme did not send your email address. Contact the operator of the server.'],
    ['unverified_email', 'Acme has not verified your email address. Verify it there, then try again.'],
    [
      'unverified_account',
      'There is an account with your email address, but the address was never verified here. Open the link in the verification email, then try again.',
    ],
    [
      'other_identity',
      'There is an account with your email address that belongs to another identity at Acme. Contact the operator of the server.',
    ],
    ['taken', 'This identity at Acme is linked to another account.'],
    ['linked_before', 'Your account is linked to another identity at Acme. Unlink that one first.'],
    ['sign_up', 'Sign-up is not possible. Contact the operator of the server.'],
    ['disabled', 'Account access denied'],
  ] as const)('says of %s what happened', (problem, sentence) =>
    expect(oidcProblemText(problem, 'Acme', openSignUp)).toBe(sentence),
  )

  it('says who may sign up by a provider, where not everybody may', () => {
    const textUnder = (policy: 'closed' | 'oidc') =>
      oidcProblemText('sign_up', 'Acme', { policy, domains: [] })
    expect(textUnder('closed')).toBe('Sign-up is closed: only existing accounts can sign in.')
    expect(textUnder('oidc')).toBe('Sign-up is not possible. Contact the operator of the server.')
  })

  it('has one of the known words in the URL', () => {
    expect(oidcProblems.filter(isOidcProblem)).toEqual(oidcProblems)
    expect(['', 'Taken', 'toString', null, undefined, ['taken']].filter(isOidcProblem)).toEqual([])
  })
})
