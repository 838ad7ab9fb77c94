import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DiskCreate,
  foldForSearch,
  hasHiddenCharacters,
  isEmail,
  isFoundIn,
  Project,
  ProjectCreate,
  SignUp,
  SshKeyCreate,
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

describe('names that people give', () => {
  it.each(Object.entries(hidden))('%s is refused', (_what, name) => {
    expect(hasHiddenCharacters(name)).toBe(true)
    expect(ProjectCreate.safeParse({ name }).success).toBe(false)
    expect(DiskCreate.safeParse({ name, size: '1Gi', source: 'EMPTY' }).success).toBe(false)
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
    const old = { id: 'p', name: 'a\u001b[2J', description: '', created_at: '2026-01-01T00:00:00.000Z' }
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

describe('e-mail addresses', () => {
  it.each([
    'a@b.co',
    "o'brien+tag@d.e.org",
    'jörg@bücher.example',
    '用户@例子.公司',
    'a_b-c.d@x-y.z',
    `${'a'.repeat(64)}@b.co`,
  ])('%j is one', (text) => expect(isEmail(text)).toBe(true))
  it.each([
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
