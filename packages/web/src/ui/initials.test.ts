import { describe, expect, it } from 'vitest'
import { initialsOf } from './initials.ts'

describe('initials', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['Ada B C', 'AC'],
    ['ada', 'A'],
    ['  ', 'U'],
    ['', 'U'],
    ['😀 smile', '😀S'],
  ])('%j gives %s', (name, initials) => expect(initialsOf(name)).toBe(initials))
})
