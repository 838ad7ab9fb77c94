import { expect, test } from 'vitest'
import { bytesText, progressText, stateText, timeLeftText } from './upload-words.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1 kB'],
  [1536 * 1024, '1.5 MB'],
  [300 * 1024 ** 2, '300 MB'],
  [2 * 1024 ** 3, '2 GB'],
])('%i bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

test.each([
  [10, 10, 'about 1 s'],
  [590, 10, 'about 59 s'],
  [600, 10, 'about 1 min'],
  [36_100, 10, 'about 1 h 1 min'],
  [100, 0, 'about 2 min'],
])('%i bytes at %i per second take %s', (bytes, speed, text) => expect(timeLeftText(bytes, speed)).toBe(text))

test('progress has speed and time left only while something is sent', () => {
  const run = { sent: 512, bytes: 2048, speed: 1024, state: 'sending' } as const
  expect(progressText(run)).toBe('512 bytes of 2 kB (25%), 1 kB per second, about 2 s left')
  expect(progressText({ ...run, state: 'paused' })).toBe('512 bytes of 2 kB (25%)')
  expect(progressText({ ...run, speed: null })).toBe('512 bytes of 2 kB (25%)')
  expect(progressText({ ...run, sent: 2048 })).toBe('2 kB of 2 kB (100%)')
})

test('every state of an upload has a sentence', () => {
  const run = {
    id: 'd',
    projectId: 'p',
    fileName: 'a.img',
    bytes: 2,
    sent: 1,
    speed: null,
    message: null,
  } as const
  const waiting = { ...run, state: 'waiting', message: 'The connection was lost.' } as const
  for (const problem of [null, 'The upload could not be loaded.'])
    expect(stateText(waiting, undefined, problem)).toBe(
      'The connection was lost. The upload tries again by itself.',
    )
  expect(stateText({ ...run, state: 'failed', message: 'Why' }, undefined, null)).toBe('Why')
  expect(stateText(null, undefined, null)).toBe('Loading upload...')
  expect(stateText(null, undefined, 'The upload could not be loaded.')).toBe(
    'The upload could not be loaded.',
  )
  expect(stateText(null, { file_name: 'a.img', received_bytes: 1 }, null)).toBe(
    'This tab is not uploading. Choose the file "a.img" again to continue where the upload stopped.',
  )
  for (const state of ['sending', 'paused', 'sent'] as const)
    expect(stateText({ ...run, state }, undefined, null)).toMatch(/\.$/)
})
