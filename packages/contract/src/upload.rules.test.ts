import { describe, expect, it, test } from 'vitest'
import {
  fileMark,
  fileTooLargeText,
  firstPieceBytes,
  isReceivingFile,
  isSameFile,
  nextPieceBytes,
  noRoomFor,
  uploadCodes,
  uploadExpired,
  uploadLimits,
  uploadPauseMs,
  uploadStateOf,
  uploadStates,
  uploadTexts,
  wrongOffset,
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

test('an upload is in one of four states, and a program knows two of its refusals by their codes', () => {
  expect(uploadStates).toEqual(['receiving', 'checking', 'completed', 'failed'])
  expect(uploadCodes).toEqual({ offset: 'upload_offset', busy: 'upload_busy' })
})

test('a disk waits for its file while it is created from an upload that is arriving', () => {
  const disk = { source: 'upload', status: 'Creating', status_message: uploadTexts.receiving }
  expect(isReceivingFile(disk)).toBe(true)
  for (const other of [{ source: 'http' }, { status: 'failed' }, { status_message: uploadTexts.checking }])
    expect(isReceivingFile({ ...disk, ...other })).toBe(false)
})

test('an upload that cannot go on says how much there is, and where it does', () => {
  expect(wrongOffset(5)).toBe('This upload continues at byte 5.')
  expect(fileTooLargeText('1 GB')).toBe('The file is larger than the limit of 1 GB. Choose a smaller file.')
  expect(noRoomFor('2 GB', '1 GB')).toBe(
    'The server does not have enough disk space for this file: 2 GB are needed, and 1 GB are free.',
  )
  expect([1, 24].map(uploadExpired)).toEqual([
    'The upload was removed because no data arrived for an hour.',
    'The upload was removed because no data arrived for 24 hours.',
  ])
})

describe('the mark of a file', () => {
  // The console computes it again, perhaps a later one, and compares it with what was stored.
  it('never changes', () => {
    expect(fileMark(bytes('abc'))).toBe('1a47e90b1d5edee0')
    expect(fileMark(bytes('de'))).toBe('5c1ccea206d12eab')
    expect(uploadLimits.markBytes).toBe(65_536)
  })

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
    const less = { ...upload, file_mark: null, file_modified_at: null }
    expect(isSameFile(less, upload)).toBe(true)
    expect(isSameFile(upload, less)).toBe(true)
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
  expect(size).toBe(8 * 1024 ** 2)
  for (let i = 0; i < 10; i++) size = nextPieceBytes(size, 20_000)
  expect(size).toBe(256 * 1024)
})

test('a piece that took between two and six seconds has the right size', () => {
  const after = (tookMs: number) => nextPieceBytes(2_000_001, tookMs)
  expect([1_999, 2_000, 6_000, 6_001].map(after)).toEqual([4_000_002, 2_000_001, 2_000_001, 1_000_000])
})

test('pauses grow from a second to half a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 60].map(uploadPauseMs)).toEqual([
    1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})
