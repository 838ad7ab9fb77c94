import { describe, expect, it } from 'vitest'
import {
  demandedSha256,
  isWebAddress,
  mayChangeTemplate,
  mayDeleteTemplate,
  templateCpuOptions,
  templateMemoryOptionsMb,
  templateTexts,
} from './template.rules.ts'

describe('a template', () => {
  it('gives each VM a power of two of processors and memory', () => {
    expect(templateCpuOptions.map(Math.log2)).toEqual([0, 1, 2, 3, 4])
    expect(templateMemoryOptionsMb.map(Math.log2)).toEqual([9, 10, 11, 12, 13, 14])
  })

  it('does not take an address of something else that has one of the web in it', () => {
    expect(isWebAddress('data:,https://example.org')).toBe(false)
  })

  it.each([
    [0, 0, true],
    [1, 0, 'This template is used by 1 VM. Retire it instead.'],
    [0, 1, 'This template is used by 1 pool or set. Retire it instead.'],
    [2, 3, 'This template is used by 2 VMs and 3 pools and sets. Retire it instead.'],
  ])('with %i VMs and %i pools and sets can be deleted: %j', (vms, groups, verdict) => {
    expect(mayDeleteTemplate({ built_in: false, vms, groups })).toBe(verdict)
  })

  it('that is built in stays as it is', () => {
    expect(mayDeleteTemplate({ built_in: true, vms: 0, groups: 0 })).toBe(templateTexts.builtIn)
    expect(mayChangeTemplate({ built_in: true })).toBe(templateTexts.builtIn)
    expect(mayChangeTemplate({ built_in: false })).toBe(true)
  })
})

describe('the checksum that an address demands', () => {
  const sum = '0123456789abcdef'.repeat(4)
  it.each([
    ['', null],
    ['#', null],
    [`#sha256=${sum}`, sum],
    [`#SHA256=${sum.toUpperCase()}`, sum],
    [`?of=disk#sha256=${sum.slice(1)}`, undefined],
    [`#sha256=${sum}0`, undefined],
    [`#a&sha256=${sum}`, undefined],
    [`#sha256=${sum.slice(1)}g`, undefined],
    [`##sha256=${sum}`, undefined],
    [`#sha256=${sum}#`, undefined],
    ['#top', undefined],
  ])('with the end %j is %j', (end, demanded) => {
    expect(demandedSha256(`https://example.org/disk.qcow2${end}`)).toBe(demanded)
  })
})
