import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  readCode,
  recoveryCodeAlphabet,
  recoveryCodeLength,
  spacedRecoveryCode,
  type TypedCode,
} from './index.ts'

const recovery = fc
  .array(fc.constantFrom(...recoveryCodeAlphabet), {
    minLength: recoveryCodeLength,
    maxLength: recoveryCodeLength,
  })
  .map((characters) => characters.join(''))

describe('what is typed as a code', () => {
  it.each<[string, TypedCode | null]>([
    ['123456', { kind: 'totp', code: '123456' }],
    [' 123 456 ', { kind: 'totp', code: '123456' }],
    ['000000', { kind: 'totp', code: '000000' }],
    ['0123-4567-89ab-cdef', { kind: 'recovery', code: '0123456789abcdef' }],
    ['O123 4567 89AB CDEF', { kind: 'recovery', code: '0123456789abcdef' }],
    ['0I23-4567-89ab-cdeL', { kind: 'recovery', code: '0123456789abcde1' }],
    ['', null],
    ['12345', null],
    ['1234567', null],
    ['12345a', null],
    ['0123-4567-89ab-cde', null],
    ['0123-4567-89ab-cdeu', null],
    ['١٢٣٤٥٦', null],
  ])('%j is read as %j', (text, code) => expect(readCode(text)).toEqual(code))

  it('is a recovery code as it was shown, in any letter case', () => {
    fc.assert(
      fc.property(recovery, fc.boolean(), (code, upper) => {
        const shown = spacedRecoveryCode(code)
        expect(shown).toMatch(/^(.{4}-){3}.{4}$/)
        expect(readCode(upper ? shown.toUpperCase() : shown)).toEqual({ kind: 'recovery', code })
      }),
    )
  })

  it('may be none yet', () => expect(spacedRecoveryCode('')).toBe(''))

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void readCode(text)))
  })
})
