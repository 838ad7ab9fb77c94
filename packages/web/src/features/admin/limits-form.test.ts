import { gibibyte } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { limitText, parseLimit, toBody, toForm } from './limits-form.ts'

describe('a limit that is typed', () => {
  it.each([
    ['vms', '', undefined],
    ['vms', '  ', undefined],
    ['vms', 'none', null],
    ['vms', ' None ', null],
    ['vms', '0', 0],
    ['processors', '16', 16],
    ['memory_mb', '1.5', 1536],
    ['disk_bytes', '10', 10 * gibibyte],
    ['snapshot_bytes', '0.5', gibibyte / 2],
    ['shares', '3', 3],
  ] as const)('of %s: "%s" is %s', (resource, typed, limit) => {
    expect(parseLimit(resource, typed)).toBe(limit)
  })

  it.each([
    ['vms', '-1'],
    ['vms', '1.5'],
    ['vms', 'many'],
    ['memory_mb', '1,5'],
    ['disk_bytes', '1e3'],
  ] as const)('of %s: "%s" is refused with a sentence', (resource, typed) => {
    expect(parseLimit(resource, typed)).toMatch(/^Enter a (whole )?number from 0, none, or nothing$/)
  })

  it('that is beyond all numbers is refused as well', () => {
    expect(parseLimit('disk_bytes', '99999999999')).toBe('This number is too large')
  })
})

describe('the form of limits', () => {
  it('shows what was set, and sends the same', () => {
    const limits = { vms: 3, processors: null, memory_mb: 2560, disk_bytes: gibibyte }
    const form = toForm(limits)
    expect(form).toEqual({
      vms: '3',
      processors: 'none',
      memory_mb: '2.5',
      disk_bytes: '1',
      snapshot_bytes: '',
      shares: '',
      bin_bytes: '',
    })
    expect(toBody(form)).toEqual(limits)
  })

  it('sends nothing while one field is wrong', () => {
    expect(toBody({ ...toForm({}), vms: 'x' })).toBeNull()
    expect(toBody(toForm({}))).toEqual({})
    expect(limitText('vms', undefined)).toBe('')
  })
})
