import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { diskSizeLimitGi, parseDiskSize } from './quantity.ts'

const invalid = 'Please enter a valid disk size'

describe('disk sizes', () => {
  it.each<[text: string, size: number]>([
    // Every way to write each unit.
    ...['10', '10G', '10g', '10Gi', '10gi', '10GI', '10GB', '10gb', '10Gb', '10GiB', '10gib'].map(
      (text): [string, number] => [text, 10],
    ),
    ...['1T', '1Ti', '1TB', '1TiB', '1tb'].map((text): [string, number] => [text, 1024]),
    ...['2048M', '2048Mi', '2048MB', '2048MiB', '2048mb'].map((text): [string, number] => [text, 2]),
    ...['2097152K', '2097152Ki', '2097152KB', '2097152KiB', '2097152kb'].map((text): [string, number] => [
      text,
      2,
    ]),
    [' 10 GB ', 10],
    ['10\tGi\n', 10],
    ['007GB', 7],
    ['10.', 10],
    // Gi are rounded up: never less than asked.
    ['1.01', 2],
    ['1.5GB', 2],
    ['10.0Gi', 10],
    ['.5Gi', 1],
    ['0.001TB', 2],
    // Smaller units to the nearest.
    ['1535MB', 1],
    ['1536MB', 2],
    ['1572863KB', 1],
    ['1572864KB', 2],
    // A positive size is at least one.
    ['1KB', 1],
    ['100MB', 1],
    ['511MB', 1],
    ['0.0001', 1],
    // The limit itself is allowed.
    ['1024GB', 1024],
    ['1048576MB', 1024],
    ['1073741824KB', 1024],
  ])('the disk size %j is %i Gi', (text, size) => {
    expect(parseDiskSize(text)).toBe(size)
  })

  it.each(['', ' ', '0', '0GB', '0.0Mi', '-1', '-10GB', '+10GB', 'GB', '.', 'ten', '10 10', '1,5GB', '1e3'])(
    '%j is no disk size',
    (text) => {
      expect(parseDiskSize(text)).toBe(invalid)
    },
  )

  it.each(['10B', '10i', '10iB', '10PB', '10GBs', '10G B', '10GBi', 'NaN', 'Infinity', '0x10', '10Gi10'])(
    '%j has no unit of disk sizes',
    (text) => {
      expect(parseDiskSize(text)).toBe(invalid)
    },
  )

  it.each(['1025', '1024.1GB', '1.1TB', '2TiB', '1049088MB', '9'.repeat(400)])(
    'a disk of %s is too large',
    (text) => {
      expect(parseDiskSize(text)).toBe('Disk size cannot exceed 1024Gi')
    },
  )

  it('the limit of disk sizes can be another one', () => {
    expect(parseDiskSize('20GB', 20)).toBe(20)
    expect(parseDiskSize('21GB', 20)).toBe('Disk size cannot exceed 20Gi')
  })
})

test('a disk never gets less than the Gi that were asked for, and a size is read back as itself', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: diskSizeLimitGi, noNaN: true }), (asked) => {
      const size = parseDiskSize(`${asked.toFixed(6)}Gi`)
      expect(size).toBeGreaterThanOrEqual(Number(asked.toFixed(6)))
      expect(parseDiskSize(`${size}Gi`)).toBe(size)
    }),
  )
})
