import type { SearchHit } from '@slipway/contract'
import { expect, test } from 'vitest'
import { hitsByKind, hitsOf, isMeant, markedParts, mustWait } from './palette-items.ts'

test.each([
  ['cr', true],
  ['create d', true],
  ['disk create', true],
  ['volume', true],
  ['reate', false],
  ['create vm', false],
  ['', true],
])('"%s" means the command Create Disk: %s', (typed, meant) => {
  expect(isMeant({ label: 'Create Disk', words: 'new volume' }, typed)).toBe(meant)
})

test('words of a name are found behind its signs, also in other scripts', () => {
  expect(isMeant({ label: 'Stop web-1' }, 'stop 1')).toBe(true)
  expect(isMeant({ label: 'Stop قاعدة-بيانات' }, 'بيان')).toBe(true)
})

const shown = (text: string, typed: string) =>
  markedParts(text, typed)
    .map((part) => (part.marked ? `[${part.text}]` : part.text))
    .join('')

test('what was typed is marked where it stands, as a whole or word by word', () => {
  expect(shown('Web server', 'WEB S')).toBe('[Web s]erver')
  expect(shown('Web server', 'ser we')).toBe('[We]b [ser]ver')
  expect(shown('Web server', 'disk')).toBe('Web server')
  expect(shown('Web server', '')).toBe('Web server')
  expect(shown('', 'a')).toBe('')
})

test('letters are marked whatever case and accents they have, and however many they are when folded', () => {
  expect(shown('École Ouest', 'ecole')).toBe('[École] Ouest')
  expect(shown('ecole', 'ÉCOLE')).toBe('[ecole]')
  expect(shown('İstanbul db', 'db')).toBe('İstanbul [db]')
  expect(shown('Große Straße', 'strasse')).toBe('Große [Straße]')
  expect(shown('a 🚢 ship', 'ship')).toBe('a 🚢 [ship]')
})

test('a command is meant whatever accents are typed', () => {
  expect(isMeant({ label: 'Stop École' }, 'stop eco')).toBe(true)
})

const hit = (kind: SearchHit['kind'], id: string, name = id): SearchHit => ({
  kind,
  id,
  name,
  project_id: 'p',
  project_name: 'P',
  status: null,
})

test('results stand by kind, that of the best one first', () => {
  const kinds = hitsByKind([hit('vm', '1'), hit('disk', '2'), hit('vm', '3')])
  expect(kinds.map(([kind, hits]) => [kind, hits.map(({ id }) => id)])).toEqual([
    ['vm', ['1', '3']],
    ['disk', ['2']],
  ])
})

test('results of an earlier text stay only while this one would find them as well', () => {
  const found = { text: 'we', hits: [hit('vm', '1', 'Wéb-1'), hit('vm', '2', 'weather')] }
  const names = (text: string) => hitsOf(text, found).map(({ name }) => name)
  expect(names('we')).toEqual(['Wéb-1', 'weather'])
  expect(names('web')).toEqual(['Wéb-1'])
  expect(names('2')).toEqual(['weather'])
  expect(names('db')).toEqual([])
  expect(names('')).toEqual([])
})

test('Enter waits for the results of the text unless it means a command', () => {
  expect(mustWait({ isResult: true }, true)).toBe(true)
  expect(mustWait(null, true)).toBe(true)
  expect(mustWait({ isResult: false }, true)).toBe(false)
  expect(mustWait({ isResult: true }, false)).toBe(false)
  expect(mustWait(null, false)).toBe(false)
})
