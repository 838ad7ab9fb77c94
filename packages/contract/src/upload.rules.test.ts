import { describe, expect, it, test } from 'vitest'
import {
  fileMark,
  firstPieceBytes,
  isSameFile,
  nextPieceBytes,
  uploadLimits,
  uploadPauseMs,
  uploadStateOf,
} from './upload.rules.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test.each([
  ['creating', 0, 'receiving'],
  ['creating', 9, 'receiving'],
  ['creating', 10, 'checking'],
  ['available', 10, 'completed'],
  ['attached', 10, 'completed'],
  ['error', 10, 'completed'],
  ['failed', 3, 'failed'],
] as const)('an upload of a disk that is %s with %i of 10 bytes is %s', (status, received_bytes, state) => {
  expect(uploadStateOf(status, { received_bytes, file_bytes: 10 })).toBe(state)
})

describe('the mark of a file', () => {
  it('is the same for the same beginning, and 16 hexadecimal digits', () => {
    expect(fileMark(bytes('abc'))).toBe(fileMark(bytes('abc')))
    expect(fileMark(bytes('abc'))).toMatch(/^[0-9a-f]{16}$/)
  })
  it('differs where a byte, the order or the length does', () => {
    const some = ['', 'a', 'b', 'ab', 'ba', 'aab', 'aba', '\0', '\0\0'].map((text) => fileMark(bytes(text)))
    expect(new Set(some).size).toBe(some.length)
  })
  it('looks at the beginning only', () => {
    const long = new Uint8Array(uploadLimits.markBytes + 1)
    expect(fileMark(long)).toBe(fileMark(long.subarray(0, uploadLimits.markBytes)))
  })
})

describe('choosing the file again', () => {
  const upload = {
    file_name: 'a.img',
    file_bytes: 5,
    file_mark: 'm',
    file_modified_at: '2026-01-01T00:00:00.000Z',
  }
  it('takes the same file, also where one of both did not say all', () => {
    expect(isSameFile(upload, upload)).toBe(true)
    expect(isSameFile({ ...upload, file_mark: null, file_modified_at: null }, upload)).toBe(true)
  })
  it.each([
    [{ file_name: 'b.img' }, /"a.img".*"b.img"/],
    [{ file_bytes: 6 }, /another size/],
    [{ file_mark: 'n' }, /has changed/],
    [{ file_modified_at: '2026-01-02T00:00:00.000Z' }, /has changed/],
  ])('refuses %o and says why', (other, why) => {
    expect(isSameFile(upload, { ...upload, ...other })).toMatch(why)
  })
})

test('pieces grow on a fast line and shrink on a slow one, within their limits', () => {
  let size: number = firstPieceBytes
  for (let i = 0; i < 10; i++) size = nextPieceBytes(size, 100)
  expect(size).toBe(uploadLimits.pieceBytes)
  expect(nextPieceBytes(size, 4_000)).toBe(size)
  for (let i = 0; i < 10; i++) size = nextPieceBytes(size, 20_000)
  expect(size).toBe(256 * 1024)
})

test('pauses grow from a second to half a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 60].map(uploadPauseMs)).toEqual([
    1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})
