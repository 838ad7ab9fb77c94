import { describe, expect, it } from 'vitest'
import { maySignUp, openSignUp, type SignUpRule, signUpCondition, signUpPolicies } from './sign-up.rules.ts'

const ruleOf = (policy: SignUpRule['policy'], ...domains: string[]): SignUpRule => ({ policy, domains })
const closed = 'Sign-up is closed: only existing accounts can sign in.'
const invited = 'Sign-up requires an email address that is invited to a project.'
const atDomain = 'Sign-up requires an email address at example.com, or one that is invited to a project.'

const byProvider = 'Sign-up by password is turned off: sign in with a provider instead.'

describe('maySignUp', () => {
  const own = 'ada@example.com'
  const other = 'ada@example.org'
  it.each([
    [openSignUp, own, false, true],
    [openSignUp, own, true, true],
    [ruleOf('closed'), own, false, closed],
    [ruleOf('closed'), own, true, closed],
    [ruleOf('invitation'), own, false, invited],
    [ruleOf('invitation'), own, true, true],
    [ruleOf('domains', 'example.com'), own, false, true],
    [ruleOf('domains', 'example.com'), own, true, true],
    [ruleOf('domains', 'example.com'), other, false, atDomain],
    [ruleOf('domains', 'example.com'), other, true, true],
    [ruleOf('domains', 'example.org', 'example.com'), own, false, true],
    [ruleOf('oidc'), own, false, byProvider],
    [ruleOf('oidc'), own, true, byProvider],
  ])('under %j %s, invited: %s, is %s', (rule, email, isInvited, expected) => {
    expect(maySignUp(rule, email, isInvited)).toBe(expected)
  })

  it.each([
    [openSignUp, own, false, true],
    [ruleOf('oidc'), other, false, true],
    [ruleOf('closed'), own, true, closed],
    [ruleOf('invitation'), own, false, invited],
    [ruleOf('invitation'), own, true, true],
    [ruleOf('domains', 'example.com'), own, false, true],
    [ruleOf('domains', 'example.com'), other, false, atDomain],
  ])('by a provider, under %j %s, invited: %s, is %s', (rule, email, isInvited, expected) => {
    expect(maySignUp(rule, email, isInvited, 'provider')).toBe(expected)
  })

  it.each([
    'ada@mail.example.com',
    'ada@notexample.com',
    'ada@example.com.evil.test',
    'example.com@evil.test',
  ])('takes %s for no address at example.com', (email) =>
    expect(maySignUp(ruleOf('domains', 'example.com'), email, false)).toBe(atDomain),
  )
})

describe('signUpCondition', () => {
  it('is a sentence under every policy but the open one', () => {
    for (const policy of signUpPolicies) {
      const condition = signUpCondition(ruleOf(policy, 'example.com'))
      if (policy === 'open') expect(condition).toBeNull()
      else expect(condition).toMatch(/^Sign-up .*\.$/)
    }
  })

  it('names all domains', () => {
    expect(signUpCondition(ruleOf('domains', 'a.test', 'b.test', 'c.test'))).toBe(
      'Sign-up requires an email address at a.test, b.test or c.test, or one that is invited to a project.',
    )
  })
})
