import { describe, expect, it } from 'vitest'
import { readSignInState, sharedPortAsked } from './sign-in-state.ts'

describe('readSignInState', () => {
  it('reads where the visitor came from, why, and the address', () => {
    const state = { from: '/projects/p1/vms?a=1#b', email: 'a@b.co', reason: 'ended' }
    expect(readSignInState(state)).toEqual(state)
  })
  it.each(['//evil.example', 'https://evil.example', 'projects', '/\\evil.example', '', 7, null])(
    'does not lead to %j',
    (from) => expect(readSignInState({ from })).toEqual({}),
  )
  it('knows no other reasons', () => {
    expect(readSignInState({ reason: 'party' })).toEqual({})
  })
  it.each([null, undefined, 'text', 7, []])('takes %j for nothing', (state) => {
    expect(readSignInState(state)).toEqual({})
  })
})

describe('sharedPortAsked', () => {
  const asked = (from: string) => sharedPortAsked(`?${new URLSearchParams({ from })}`)

  it('reads the page that leads to a shared port', () => {
    expect(asked('/share/open?share=s1&path=%2Fa%3Fb')).toBe('/share/open?share=s1&path=%2Fa%3Fb')
  })
  it.each(['//evil.example/share/open?', 'https://evil.example', '/projects', '/share/opening', ''])(
    'does not lead to %j',
    (from) => expect(asked(from)).toBeNull(),
  )
  it('is null where nothing is asked', () => expect(sharedPortAsked('')).toBeNull())
})
