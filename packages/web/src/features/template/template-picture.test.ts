import { expect, test } from 'vitest'
import { pictureOf } from './template-picture.ts'

test('a picture is shown as one', () => {
  expect(pictureOf('https://example.org/rust.png?size=2')).toBe('https://example.org/rust.png?size=2')
  expect(pictureOf('https://example.org/rust')).toBe('https://example.org/rust')
  expect(pictureOf(null)).toBeNull()
})

test.each(['qcow2', 'img', 'raw', 'iso', 'ISO', 'img?sum=1', 'qcow2#top'])(
  'a boot image ending in %s is not loaded as a picture',
  (end) => {
    expect(pictureOf(`https://example.org/rust.${end}`)).toBeNull()
  },
)
