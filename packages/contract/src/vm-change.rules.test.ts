import { describe, expect, it } from 'vitest'
import { VmCreate, VmUpdate } from './vm.ts'
import {
  isTag,
  memberAllows,
  rootDiskTooSmall,
  sortedTags,
  tagsIn,
  tidyNote,
  vmChangeTexts,
} from './vm-change.rules.ts'

const refusals = (body: object): string[] =>
  (VmUpdate.safeParse(body).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)

describe('tags', () => {
  it('are words in small letters of any language, with a few signs', () => {
    for (const tag of [
      'web',
      'v1.2',
      'team/red',
      'env:prod',
      'größe',
      '数据库',
      '0',
      'a-b_c',
      'हिन्दी',
      'x'.repeat(32),
    ])
      expect([tag, isTag(tag)]).toEqual([tag, true])
    for (const tag of ['', 'Web', 'two words', 'a,b', '-a', '.a', 'a\n', 'a\u202e', '<b>', 'x'.repeat(33)])
      expect([tag, isTag(tag)]).toEqual([tag, false])
  })

  it('are taken from what was typed, each once and in order', () => {
    expect(tagsIn(' Web, db  web\nAPI,')).toEqual(['api', 'db', 'web'])
    expect(tagsIn('')).toEqual([])
    expect(sortedTags(['c', 'a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  })
})

it('notes are trimmed and have one kind of line end', () => {
  expect(tidyNote('  one\r\ntwo\rthree\n ')).toBe('one\ntwo\nthree')
})

describe('a change', () => {
  it('names at least one thing', () => {
    expect(refusals({})).toEqual([`: ${vmChangeTexts.nothing}`])
    expect(refusals({ nmae: 'x' })).toEqual([`: ${vmChangeTexts.nothing}`])
    expect(refusals({ suspend_after_minutes: null })).toEqual([])
    expect(refusals({ note: '' })).toEqual([])
    expect(refusals({ tags: [] })).toEqual([])
  })

  it('has what it names in the kept form', () => {
    expect(VmUpdate.parse({ name: ' web ', note: ' a\r\nb ', tags: ['b', 'a', 'a'] })).toEqual({
      name: 'web',
      note: 'a\nb',
      tags: ['a', 'b'],
    })
  })

  it('is refused with the field and what it may be', () => {
    expect(refusals({ note: 'x'.repeat(501) })).toEqual([`note: ${vmChangeTexts.note}`])
    expect(refusals({ note: 'bell\u0007' })).toEqual([`note: ${vmChangeTexts.note}`])
    expect(refusals({ note: 7 })).toEqual([`note: ${vmChangeTexts.note}`])
    expect(refusals({ tags: ['Web'] })).toEqual([`tags.0: ${vmChangeTexts.tag}`])
    expect(refusals({ tags: 'web' })).toEqual([`tags: ${vmChangeTexts.tag}`])
    expect(refusals({ tags: Array.from({ length: 17 }, (_, i) => `t${i}`) })).toEqual([
      `tags: ${vmChangeTexts.tooManyTags}`,
    ])
    for (const cpu of [0, 65, 1.5, '2', null])
      expect(refusals({ cpu })).toEqual([`cpu: ${vmChangeTexts.cpu}`])
    for (const memory_mb of [127, 262_145, 512.5])
      expect(refusals({ memory_mb })).toEqual([`memory_mb: ${vmChangeTexts.memory}`])
    expect(refusals({ delete_protection: 1 })).toEqual([`delete_protection: ${vmChangeTexts.protection}`])
    expect(refusals({ persistent: 'no' })).toEqual([`persistent: ${vmChangeTexts.persistent}`])
    expect(refusals({ name: ' ' })).toEqual(['name: Please enter a VM name'])
  })
})

it('of a VM of a pool or set only what does not come from there is changed', () => {
  expect(memberAllows({})).toBe(true)
  for (const change of [
    { name: 'a' },
    { cpu: 1 },
    { memory_mb: 512 },
    { root_disk_gb: 9 },
    { persistent: false },
    { ssh_key_id: 'k' },
  ])
    expect(memberAllows(change)).toBe(vmChangeTexts.ofGroup)
})

it('a new VM has no note, no tags and no protection unless they are asked for', () => {
  const made = VmCreate.parse({ name: 'a', template_id: 't', ssh_key_id: 'k' })
  expect(made).toMatchObject({ note: '', tags: [], delete_protection: false })
  expect(made.cpu).toBeUndefined()
})

it('a root disk that is too small is refused with the least size', () =>
  expect(rootDiskTooSmall(8)).toBe(
    'The root disk of this template has 8 GB. Enter at least 8, or leave the size out.',
  ))
