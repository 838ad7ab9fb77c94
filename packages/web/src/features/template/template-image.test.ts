import type { Template } from '@slipway/contract'
import { describe, expect, test } from 'vitest'
import { bootAddressOf, imageHint, imageWork, pictureOf } from './template-image.ts'

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

test('the address of a boot image is told by its file and its host', () => {
  expect(bootAddressOf('https://cloud.example.org:8080/a/b/debian%2013.qcow2?x=1#sha256=00')).toEqual({
    file: 'debian 13.qcow2',
    host: 'cloud.example.org:8080',
  })
  expect(bootAddressOf('http://example.org/100%.img')).toEqual({ file: '100%.img', host: 'example.org' })
  for (const other of [null, '', 'https://example.org/rust.svg', 'disk.qcow2']) {
    expect(bootAddressOf(other)).toBeNull()
  }
})

describe('the hint at the choice of a template', () => {
  const hint = (image: Partial<Template['image']>, image_url: string | null = null) =>
    imageHint({
      image_url,
      image: { state: 'ready', progress: null, message: null, root_disk_gb: null, ...image },
    })

  test('is none for an image that is ready', () => {
    expect(hint({})).toBeNull()
  })

  test('says of an absent image whether it is built or fetched', () => {
    expect(hint({ state: 'absent' })).toBe('The image will be built first, which takes a few minutes.')
    expect(hint({ state: 'absent' }, 'https://example.org/a.svg')).toContain('built first')
    expect(hint({ state: 'absent' }, 'https://example.org/a.qcow2')).toContain('downloaded first')
  })

  test('says how far an image is, and why one failed', () => {
    expect(hint({ state: 'coming', progress: 40, message: 'Building the Go image.' })).toBe(
      'Building the Go image: 40\u00a0%. VMs start once it is ready.',
    )
    expect(hint({ state: 'failed', message: 'The server answered 404.' })).toBe(
      'The image could not be prepared. Slipway will try again. The server answered 404.',
    )
    expect(hint({ state: 'failed' })).toBe('The image could not be prepared. Slipway will try again.')
  })
})

test('work is told with its share where that is known', () => {
  const image = {
    state: 'coming' as const,
    message: 'Fetching the image.',
    progress: null,
    root_disk_gb: null,
  }
  expect(imageWork(image)).toBe('Fetching the image.')
  expect(imageWork({ ...image, progress: 0 })).toBe('Fetching the image: 0\u00a0%.')
  expect(imageWork({ ...image, message: null })).toBe('Preparing the image.')
})
