import { describe, expect, it } from 'vitest'
import { coverageText, expiryText, isExpired, lastUseText } from './api-token-words.ts'

const projects = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, name: id.toUpperCase() }))
const now = Date.parse('2026-11-25T12:00:00.000Z')

describe('where a token can be used', () => {
  it.each([
    [null, 'All projects'],
    [['b'], 'B'],
    [['c', 'a'], 'A, C'],
    [['a', 'b', 'c'], 'A, B, C'],
    [['a', 'b', 'c', 'd'], 'A, B, C, 1 more'],
    [['a', 'b', 'c', 'd', 'e'], 'A, B, C, 2 more'],
    [['gone', 'b'], 'B'],
    [['gone'], 'None of your projects'],
    [[], 'None of your projects'],
  ])('%j is %s', (project_ids, text) => expect(coverageText({ project_ids }, projects)).toBe(text))
})

describe('the times of a token', () => {
  it('say that it expires, and from that moment on that it has', () => {
    const at = (ms: number) => ({ expires_at: new Date(now + ms).toISOString() })
    expect(isExpired(at(1), now)).toBe(false)
    expect(isExpired(at(0), now)).toBe(true)
    expect(expiryText(at(1), now)).toMatch(/^Expires .*2026/)
    expect(expiryText(at(-1), now)).toMatch(/^Expired .*2026/)
  })

  it('say when it was last used', () => {
    const used = (ms: number) => lastUseText({ last_used_at: new Date(now - ms).toISOString() }, now)
    expect(lastUseText({ last_used_at: null }, now)).toBe('Never used')
    expect(used(5 * 60_000)).toBe('Last used 5 min. ago')
    expect(used(40 * 24 * 60 * 60_000)).toMatch(/^Last used .*2026/)
  })
})
