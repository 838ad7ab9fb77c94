import fc from 'fast-check'
import { expect, it } from 'vitest'
import { safePath } from './safe-path.ts'

const piece = fc.constantFrom(
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '\t',
  '\n',
  ' ',
  '?',
  '#',
  '@',
  ':',
  'evil.test',
  'é',
)
const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)

it('a path that is led to stays at its origin, also when what it comes to is read again', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostile,
        fc.webPath(),
        fc.string(),
        fc.string().map((text) => `/${text}`),
      ),
      (asked) => {
        const origin = 'https://console.test'
        const led = new URL(safePath(asked), origin)
        const again = new URL(led.pathname + led.search + led.hash, origin)
        expect([led.origin, again.origin]).toEqual([origin, origin])
      },
    ),
    { numRuns: 2000 },
  )
})

it.each([
  '//evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  '/.//evil.test',
  '/%2e//evil.test',
  '/a/..//evil.test',
  'https://evil.test/',
  'projects',
  null,
  undefined,
])('%j is not led to', (path) => {
  expect(safePath(path)).toBe('/')
})

it('a path is led to as it was written', () => {
  for (const path of ['/', '/a?b=%2F/c', '/a/../b', '/a//b?next=//c#d']) expect(safePath(path)).toBe(path)
})
