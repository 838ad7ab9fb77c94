import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  cutToFit,
  endpoints,
  foldForSearch,
  hasHiddenCharacters,
  isEmail,
  isFoundIn,
  memberName,
  nameLimit,
  Project,
  ProjectCreate,
  SignUp,
  SshKeyCreate,
  uploadLimits,
} from './index.ts'

const hidden = {
  'an escape that terminals obey': 'web\u001b[2J',
  'a line break': 'web\r\nSubject: yours',
  'a null': 'web\u0000',
  'a control character of the upper half': 'web\u009b31m',
  'what breaks lines elsewhere': 'web\u2028x',
  'a paragraph end': 'web\u2029x',
  'what turns the reading direction over': 'web\u202egpj.exe',
  'an isolate that is never closed': 'web\u2066x',
  'half a character': 'web\ud83d',
}
const fine = [
  'مشروع',
  '🚀🚀',
  '👩‍💻 dev',
  'می‌خواهم',
  'שלום',
  'O\'Brien <3 & "co"',
  'École',
  '机器',
  'a\u200fb',
  '-- ; drop',
]

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** Where a body has a name: the keys on the way to it. Of a list, the first one stands for all. */
function placesOfNames({ properties = {}, items, anyOf = [] }: Schema): string[][] {
  const within = Object.entries(properties).flatMap(([key, schema]) => {
    const here = /^name$|_name$/.test(key) ? [[key]] : []
    return [...here, ...placesOfNames(schema).map((rest) => [key, ...rest])]
  })
  const inItems = items ? placesOfNames(items).map((rest) => ['0', ...rest]) : []
  return [...within, ...inItems, ...anyOf.flatMap(placesOfNames)]
}

/** A body with a value at that place and nothing else. */
const bodyWith = (place: readonly string[], value: string): unknown =>
  place.reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)

const names = endpoints.flatMap(({ id, body }) =>
  body
    ? placesOfNames(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema).map((place) => ({
        called: `${id} ${place.join('.')}`,
        body,
        place,
      }))
    : [],
)

describe('names that people give', () => {
  it('are found in every call that takes one', () => {
    expect(names.map(({ called }) => called)).toEqual(
      expect.arrayContaining([
        'account.signUp name',
        'diskSnapshot.createDisk name',
        'sshKey.create key_name',
        'vm.create name',
        'vmPool.create disks.0.name',
        'vmSet.create name',
        'vmSet.create disks.0.name',
      ]),
    )
  })

  it.each(names)('do nothing where they are shown: $called', ({ body, place }) => {
    // Whatever else such a body lacks, what is wrong with its name is said of its name.
    const isRefused = (name: string) =>
      body.safeParse(bodyWith(place, name)).error?.issues.some((one) => one.path.join() === place.join()) ??
      false
    expect(Object.values(hidden).filter((name) => !isRefused(name))).toEqual([])
    expect(fine.filter(isRefused)).toEqual([])
    const longest = place.at(-1) === 'file_name' ? uploadLimits.fileName : nameLimit
    expect([isRefused('x'.repeat(longest + 1)), isRefused(' x ')]).toEqual([true, false])
  })

  it.each(Object.entries(hidden))('%s is refused', (_what, name) => {
    expect(hasHiddenCharacters(name)).toBe(true)
    const person = { name, email: 'a@b.co', password: 'Correct-horse-1' }
    expect(SignUp.safeParse(person).error?.issues[0]?.message).toBe(
      'Invalid signup data. Please check your information.',
    )
  })

  it.each(fine)('%s stays as it is', (name) => {
    expect(ProjectCreate.parse({ name }).name).toBe(name)
    expect(SignUp.parse({ name, email: 'a@b.co', password: 'Correct-horse-1' }).name).toBe(name)
  })

  it('that were stored before this rule are still told', () => {
    const since = {
      created_at: '2026-01-01T00:00:00.000Z',
      role: 'owner',
      owner_name: 'Ada',
      delete_at: null,
    }
    const old = { id: 'p', name: 'a\u001b[2J', description: '', ...since }
    expect(Project.safeParse(old).success).toBe(true)
  })

  it('are refused as well where they hide in the comment of a key', () => {
    const key = `ssh-ed25519 ${btoa(`\0\0\0\x0bssh-ed25519\0\0\0\x20${'k'.repeat(32)}`)}`
    const accepts = (comment: string) =>
      SshKeyCreate.safeParse({ key_name: 'k', ssh_public_key: `${key}${comment}` }).success
    expect(accepts(' ada@laptop')).toBe(true)
    expect(accepts('\tada laptop')).toBe(true)
    expect(accepts(' \u001b]0;x\u0007')).toBe(false)
  })
})

describe('a name that is cut', () => {
  const charactersOf = (text: string) =>
    Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)

  it.each([
    ['xx🚀', 3, 'xx'],
    ['xx🚀', 4, 'xx🚀'],
    ['x👩‍💻x', 4, 'x'],
    ['xe\u0301', 2, 'x'],
    ['x\r\nx', 2, 'x'],
    ['École', 3, 'Éco'],
    ['École', 5, 'École'],
    ['🚀', 0, ''],
  ])('%j of length %i is %j', (text, length, cut) => expect(cutToFit(text, length)).toBe(cut))

  it('has as many whole characters as fit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, length) => {
        const kept = charactersOf(cutToFit(text, length))
        const all = charactersOf(text)
        expect(kept).toEqual(all.slice(0, kept.length))
        expect(kept.join('').length).toBeLessThanOrEqual(length)
        if (kept.length < all.length)
          expect(all.slice(0, kept.length + 1).join('').length).toBeGreaterThan(length)
      }),
    )
  })

  it('of a member ends with its number, fits, and has no half character', () => {
    expect(memberName(`${'x'.repeat(96)}🚀`, 10)).toBe(`${'x'.repeat(96)}-10`)
    const name = fc.string({ unit: 'grapheme', minLength: 60, maxLength: nameLimit, size: 'max' })
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 9999 }), (name, number) => {
        const made = memberName(name, number)
        expect(made.length).toBeLessThanOrEqual(nameLimit)
        expect(made.endsWith(`-${number}`)).toBe(true)
        expect(/\p{Cs}/u.test(made)).toBe(false)
      }),
    )
  })
})

describe('e-mail addresses', () => {
  it.each([
    'a@b.co',
    "o'brien+tag@d.e.org",
    'jörg@bücher.example',
    '用户@例子.公司',
    'a_b-c.d@x-y.z',
    ' a@b.co ',
    `${'a'.repeat(64)}@b.co`,
  ])('%j is one', (text) => expect(isEmail(text)).toBe(true))
  it.each([
    ...['a@b', 'a', '@b.co', 'a@.co', 'a b@c.de', 'a@b..c', 'a@b.', ''],
    'a,b@c.de',
    'a@b.co,c@d.co',
    'a;b@c.de',
    '"a b"@c.de',
    'a@b@c.de',
    'Ada <a@b.co>',
    'a@b.co>',
    'a(comment)@b.co',
    'a@[127.0.0.1]',
    'group:a@b.co',
    'a\\@b.co',
    'a@b.co\r\nBcc: c@d.co',
    'a\u0000@b.co',
    'a\u202e@b.co',
    'a\u200b@b.co',
    'a@b.c/o',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(250)}.co`,
  ])('%j is not exactly one', (text) => expect(isEmail(text)).toBe(false))
})

describe('what a search finds', () => {
  it.each([
    ['ecole', 'École'],
    ['ÉCOLE', 'ecole'],
    ['e\u0301cole', '\u00e9cole'],
    ['елка', 'Ёлка'],
    ['strasse', 'Große Straße'],
    ['straße', 'GROẞE STRAẞE'],
    ['ISTANBUL', 'İstanbul'],
    ['οδος', 'ΟΔΟΣ'],
    ['οδοσ', 'Οδός'],
    ['file', 'ﬁle'],
    ['مشروع', 'مشروع'],
    ['🚢', 'Payments 🚢'],
    ['shop pay', 'payments of the SHOP'],
    ['', 'anything'],
  ])('%j finds %j', (search, text) => expect(isFoundIn(search, text)).toBe(true))

  it('is not more than what has every word', () => {
    expect(isFoundIn('shop pay', 'payments')).toBe(false)
    expect(isFoundIn('ecole', null, 'école', 'ouest')).toBe(true)
  })

  it('does not depend on letter case, nor on folding twice: every sign there is', () => {
    const unlike: string[] = []
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const sign = String.fromCodePoint(code)
      const folded = foldForSearch(sign)
      if (foldForSearch(folded) !== folded || foldForSearch(sign.toUpperCase()) !== folded) unlike.push(sign)
    }
    expect(unlike).toEqual([])
  })

  it('does not depend on letter case, nor on folding twice: texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        const folded = foldForSearch(text)
        expect(foldForSearch(folded)).toBe(folded)
        expect(foldForSearch(text.toUpperCase())).toBe(folded)
      }),
    )
  })
})
