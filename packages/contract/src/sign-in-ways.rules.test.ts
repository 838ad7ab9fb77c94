import { expect, it } from 'vitest'
import { keepsWayIn, signInWaysTexts } from './index.ts'

const none = { password: false, passkeys: 0, identities: 0 }

it.each([{ password: true }, { passkeys: 1 }, { identities: 1 }, { passkeys: 2, identities: 3 }])(
  'what keeps %j can still be signed in to',
  (kept) => {
    expect(keepsWayIn({ ...none, ...kept })).toBe(true)
  },
)

it('the last way stays', () => {
  expect(keepsWayIn(none)).toBe(signInWaysTexts.last)
})
