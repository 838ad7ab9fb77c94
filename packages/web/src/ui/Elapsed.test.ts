import { describe, expect, it } from 'vitest'
import { elapsedText } from './Elapsed.tsx'

describe('elapsedText', () => {
  it.each([
    [0, '0:00'],
    [6_900, '0:06'],
    [760_000, '12:40'],
    [3_726_000, '1:02:06'],
    [-5_000, '0:00'],
  ])('writes %i ms as %s', (ms, text) => expect(elapsedText(ms)).toBe(text))
})
