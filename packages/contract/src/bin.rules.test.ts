import { describe, expect, it } from 'vitest'
import {
  binDaysText,
  binEffectText,
  binKinds,
  binLimitText,
  binNouns,
  keptText,
  nameBack,
  notKeptText,
  storageGoesToBin,
  vmGoesToBin,
} from './bin.rules.ts'
import { gibibyte } from './quantity.ts'
import { vmStatuses } from './vm.rules.ts'

describe('what goes to the bin', () => {
  it('is called by its noun', () => {
    expect(binKinds.map((kind) => binNouns[kind])).toEqual([
      'VM',
      'disk',
      'snapshot',
      'disk snapshot',
      'VM pool',
      'VM set',
    ])
  })

  it('is a VM that was ready once, and a disk or snapshot that was created, in any letter case', () => {
    const words = (goes: typeof vmGoesToBin) =>
      vmStatuses.filter((status) => !goes({ status }) || !goes({ status: status.toUpperCase() }))
    expect(words(vmGoesToBin)).toEqual(['creating', 'provisioning', 'failed'])
    expect(words(storageGoesToBin)).toEqual(['failed'])
    expect(storageGoesToBin({ status: 'FAILED' })).toBe(false)
    expect(vmGoesToBin({ status: 'FAILED' })).toBe(false)
  })
})

describe('how long the bin keeps something', () => {
  it('is said in days', () => {
    expect([0, 1, 2].map(binDaysText)).toEqual(['0 days', '1 day', '2 days'])
    expect(keptText(1)).toBe('It is kept in the bin for 1 day.')
  })

  it('is told when it is over, to the nearest day, unless it left for another reason', () => {
    const after = (delete_at: string, leaves_why: string | null = null) =>
      notKeptText({ deleted_at: '2026-11-20T20:00:00Z', delete_at, leaves_why })
    expect(after('2026-11-27T20:00:00Z')).toBe('It was in the bin for 7 days.')
    expect(after('2026-11-21T23:00:00Z')).toBe('It was in the bin for 1 day.')
    expect(after('2026-11-27T20:00:00Z', 'It made room.')).toBe('It made room.')
  })
})

describe('the limits of a bin', () => {
  it.each([
    [null, null, ''],
    [10 * gibibyte, null, '10 GB'],
    [null, 0, '0 VMs'],
    [null, 1, '1 VM'],
    [0, 5, '0 GB and 5 VMs'],
  ])('are, for %j bytes and %j VMs, "%s"', (bytes, vms, text) => {
    expect(binLimitText({ bytes, vms })).toBe(text)
  })

  const keeps = 'the bin keeps at most 10 GB and 5 VMs of the account that owns this project'
  const told = (fits: boolean, pushes_out: number, isMany = false) =>
    binEffectText(
      { limit_bytes: 10 * gibibyte, limit_vms: 5, fits, pushes_out },
      { they: isMany ? 'The VMs' : 'The VM', isMany },
    )

  it('are nothing to tell of while there is room', () => {
    expect(told(true, 0)).toBe(null)
  })

  it('push out the oldest', () => {
    expect(told(true, 1)).toBe(`To make room, the oldest object in the bin is deleted for good: ${keeps}.`)
    expect(told(true, 2)).toBe(
      `To make room, the 2 oldest objects in the bin are deleted for good: ${keeps}.`,
    )
  })

  it('keep out what is too large, whatever it would push out', () => {
    expect(told(false, 2)).toBe(
      `The VM does not fit in the bin: ${keeps}. It is deleted for good and cannot be restored.`,
    )
    expect(told(false, 0, true)).toBe(
      `Not all of them fit in the bin: ${keeps}. Those that are deleted first are deleted for good.`,
    )
  })
})

describe('the name of what comes back', () => {
  it.each([
    ['web', [], 100, 'web'],
    ['web', ['web-2', 'db'], 100, 'web'],
    ['web', ['web'], 100, 'web-2'],
    ['web', ['web', 'web-2', 'web-3'], 100, 'web-4'],
    ['abcde', ['abcde'], 5, 'abc-2'],
    ['abcde', ['abcde', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `abc-${number}`)], 5, 'ab-10'],
    // An emoji is kept whole or not at all.
    ['🛒cde', ['🛒cde'], 5, '🛒c-2'],
    ['ab🛒', ['ab🛒'], 5, 'ab-2'],
    ['a👨‍👩‍👧', ['a👨‍👩‍👧'], 9, 'a-2'],
    ['ab cd', ['ab cd'], 5, 'ab-2'],
  ])('is, for %j beside %j with at most %i characters, %j', (name, taken, longest, back) => {
    expect(nameBack(name, taken, longest)).toBe(back)
  })
})
