import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineSplitter } from './line-splitter.ts'

const anyLength = { maxBytes: Number.MAX_SAFE_INTEGER, onTooLong: () => {} }

describe('the line splitter', () => {
  test('finds the same lines however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{"a":1}', '{"ü":"é"}', '', ' {"b":[2]} '), { maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        (lines, step) => {
          const stream = Buffer.from(lines.map((line) => `${line}\r\n`).join(''))
          const found: string[] = []
          const push = lineSplitter((line) => found.push(line), anyLength)
          for (let at = 0; at < stream.length; at += step) push(stream.subarray(at, at + step))
          expect(found).toEqual(lines.map((line) => line.trim()).filter(Boolean))
        },
      ),
    )
  })

  test('gives a stream up with the first line that is too long, and passes on what came before it', () => {
    for (const step of [1, 7, 64, 5000]) {
      const found: string[] = []
      let tooLong = 0
      const push = lineSplitter((line) => found.push(line), { maxBytes: 100, onTooLong: () => tooLong++ })
      const stream = Buffer.from(`short\n${'x'.repeat(100)}\n${'y'.repeat(101)}\nlate\n${'z'.repeat(1000)}`)
      for (let at = 0; at < stream.length; at += step) push(stream.subarray(at, at + step))
      expect(found).toEqual(['short', 'x'.repeat(100)])
      expect(tooLong).toBe(1)
    }
  })
})
