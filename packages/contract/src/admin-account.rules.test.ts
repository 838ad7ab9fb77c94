import { describe, expect, it } from 'vitest'
import { accountPage, mayDisable, mayRemoveTotp, adminAccountTexts as texts } from './admin-account.rules.ts'
import { totpTexts } from './totp.rules.ts'

const since = '2026-11-27T20:00:00Z'

describe('an administrator', () => {
  it.each([
    ['other', null, true],
    ['other', since, texts.alreadyDisabled],
    ['me', null, texts.ownAccount],
    ['me', since, texts.ownAccount],
  ])('disables the account of %s that is disabled since %j: %j', (id, disabled_at, verdict) => {
    expect(mayDisable({ id, disabled_at }, 'me')).toBe(verdict)
  })

  it.each([
    ['other', since, true],
    ['other', null, totpTexts.notOn],
    ['me', since, texts.ownTotp],
    ['me', null, texts.ownTotp],
  ])('turns off the second factor of %s that is on since %j: %j', (id, two_factor_since, verdict) => {
    expect(mayRemoveTotp({ id, two_factor_since }, 'me')).toBe(verdict)
  })

  it('gets no more accounts unasked than can be asked for', () => {
    expect(accountPage.default).toBeLessThanOrEqual(accountPage.max)
  })
})
