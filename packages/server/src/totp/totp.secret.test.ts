import { describe, expect, it } from 'vitest'
import { openSecret, sealingKey, sealSecret } from '../lib/sealed-secret.ts'
import { codeAt } from '../totp.test-kit.ts'
import { newRecoveryCodes, newSecret, setupOf, stepOf } from './totp.codes.ts'

const key = sealingKey('a text that is long enough to be a key', 'test')

describe('a secret that is stored', () => {
  const secret = newSecret()

  it('opens with its key and for its account only', () => {
    const sealed = sealSecret(secret, key, 'ada')
    expect(new Uint8Array(openSecret(sealed, key, 'ada'))).toEqual(new Uint8Array(secret))
    expect(sealed).not.toContain(Buffer.from(secret).toString('base64url'))
    expect(() => openSecret(sealed, sealingKey('another text that is long enough', 'test'), 'ada')).toThrow()
    expect(() => openSecret(sealed, key, 'bob')).toThrow()
    expect(sealSecret(secret, key, 'ada')).not.toBe(sealed)
  })

  it.each(['', 'v1', 'v1...', 'v2.a.b.c', 'v1.AAAA.AAAA.AAAA', 'nonsense'])('throws when it is %j', (text) =>
    expect(() => openSecret(text, key, 'ada')).toThrow(),
  )
})

describe('codes', () => {
  const secret = newSecret()
  const setup = setupOf(secret, 'Slipway', 'ada@slipway.test')
  const now = 1_900_000_000_000
  const step = Math.floor(now / 30_000)

  it('count one step before and after, and no other', () => {
    for (const off of [-3, -2, -1, 0, 1, 2, 3]) {
      const found = stepOf(secret, codeAt(setup.secret, now + off * 30_000), now)
      expect(found).toBe(Math.abs(off) <= 1 ? step + off : null)
    }
  })

  it('come from a setup that names the product and the account', () => {
    const uri = new URL(setup.uri)
    expect(uri.protocol).toBe('otpauth:')
    expect(decodeURIComponent(uri.pathname)).toContain('ada@slipway.test')
    expect(uri.searchParams.get('issuer')).toBe('Slipway')
    expect(uri.searchParams.get('secret')).toBe(setup.secret)
  })

  it('for recovery are ten, each another one', () => {
    const codes = [...newRecoveryCodes(), ...newRecoveryCodes()]
    expect(new Set(codes).size).toBe(20)
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/)
  })
})
