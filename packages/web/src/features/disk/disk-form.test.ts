import { uploadTexts } from '@slipway/contract'
import { describe, expect, test } from 'vitest'
import { type DiskForm, diskNameFor, emptyDiskForm, firstBrokenRule, toBody, toUpload } from './disk-form.ts'
import { sizeText } from './size-text.ts'

const form = (more: Partial<DiskForm> = {}): DiskForm => ({ ...emptyDiskForm, name: 'data1', ...more })
const textOf = (more: Partial<DiskForm>, projectId: string | undefined = 'p') =>
  firstBrokenRule(form(more), projectId)?.text ?? null

test('a fresh disk is blank and of 10GB', () => {
  expect(emptyDiskForm).toMatchObject({ size: '10GB', source: 'EMPTY' })
})

describe('the rules are told in their order', () => {
  const nothing: Partial<DiskForm> = { name: ' ', size: ' ', source: 'HTTP' }
  test('project, name, size, then what the source needs', () => {
    expect(firstBrokenRule(form(nothing), undefined)?.text).toBe('No project selected')
    expect(textOf(nothing)).toBe('Please enter a disk name')
    expect(textOf({ ...nothing, name: 'a' })).toBe('Please enter a disk size')
    expect(textOf({ ...nothing, name: 'a', size: '1' })).toBe('Please enter an image URL')
    expect(textOf({ source: 'SNAPSHOT', snapshotName: ' ' })).toBe('Please enter a disk snapshot name')
    expect(textOf({ source: 'REGISTRY', containerImage: ' ' })).toBe('Please enter a container image')
    expect(textOf({})).toBeNull()
  })
  test.each(['0', '-1', 'ten', '0GB', '10 XB'])('%j is no size', (size) => {
    expect(textOf({ size })).toBe('Please enter a valid disk size')
  })
  test('a disk has an end', () => {
    expect(textOf({ size: '1025Gi' })).toBe('Disk size cannot exceed 1024Gi')
    expect(textOf({ size: '1TB' })).toBeNull()
  })
  test('an image comes from the web', () => {
    expect(textOf({ source: 'HTTP', imageUrl: 'ftp://a/b.img' })).toBe(
      'The image URL must start with http:// or https://',
    )
    expect(textOf({ source: 'HTTP', imageUrl: 'https://a.example/b.img' })).toBeNull()
  })
  test('what was typed for another source does not count', () => {
    expect(textOf({ source: 'REGISTRY', imageUrl: 'https://a.example/b.img' })).toBe(
      'Please enter a container image',
    )
  })
})

test.each([
  ['10', '10Gi'],
  ['100MB', '1Gi'],
  ['much', 'much'],
])('a size of %s is sent as %s', (typed, sent) => {
  expect(sizeText(typed)).toBe(sent)
})

test('an upload says what its file is, and has no more of the other sources', () => {
  const file = new File(['abc'], 'Ubuntu 24.04.qcow2.xz', { lastModified: 0 })
  const upload = form({ source: 'UPLOAD', name: ' u ', imageUrl: 'x', file, sha256: ' ABC ' })
  expect(toUpload(upload)).toEqual({
    name: 'u',
    size: '10Gi',
    file_name: 'Ubuntu 24.04.qcow2.xz',
    file_bytes: 3,
    file_modified_at: '1970-01-01T00:00:00.000Z',
    sha256: 'abc',
  })
  expect(firstBrokenRule(upload, 'p')).toEqual({ field: 'sha256', text: uploadTexts.checksumInvalid })
  expect(firstBrokenRule({ ...upload, sha256: '' }, 'p')).toBeNull()
  expect(firstBrokenRule({ ...upload, file: null }, 'p')).toMatchObject({ text: uploadTexts.fileNameMissing })
  const empty = new File([], 'empty.img')
  expect(firstBrokenRule({ ...upload, file: empty }, 'p')).toEqual({
    field: 'file_bytes',
    text: uploadTexts.fileEmpty,
  })
})

test.each([
  ['Ubuntu 24.04.qcow2.xz', 'Ubuntu 24.04'],
  ['disk.IMG', 'disk'],
  ['notes', 'notes'],
])('a disk from the file %s is called %s unless it has a name', (file, name) => {
  expect(diskNameFor(file)).toBe(name)
})

test('the body has the fields of the chosen source and no others', () => {
  const typed = {
    imageUrl: ' https://a.example/b.img ',
    containerImage: ' alpine:3.20 ',
    snapshotName: ' nightly ',
    snapshotId: 's1',
  }
  const base = { name: 'data1', size: '10Gi' }
  expect(toBody(form({ ...typed, name: ' data1 ' }))).toEqual({ ...base, source: 'EMPTY' })
  expect(toBody(form({ ...typed, source: 'HTTP' }))).toEqual({
    ...base,
    source: 'HTTP',
    image_url: 'https://a.example/b.img',
  })
  expect(toBody(form({ ...typed, source: 'REGISTRY' }))).toEqual({
    ...base,
    source: 'REGISTRY',
    image_url: 'alpine:3.20',
  })
  expect(toBody(form({ ...typed, source: 'SNAPSHOT' }))).toEqual({
    ...base,
    source: 'SNAPSHOT',
    disk_sansphot: 'nightly',
    snapshot_id: 's1',
  })
  expect(toBody(form({ ...typed, source: 'SNAPSHOT', snapshotId: '' }))).not.toHaveProperty('snapshot_id')
})
