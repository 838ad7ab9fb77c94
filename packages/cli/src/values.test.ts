import { expect, it } from 'vitest'
import { kindOf, readValue } from './values.ts'

const read = (schema: object, text: string) => readValue({ name: 'size', schema }, text)

it.each([
  [{ type: 'string' }, 'null', 'null'],
  [{ type: 'string' }, '', ''],
  [{ type: 'string' }, '1', '1'],
  [{ type: 'integer' }, '-3', -3],
  [{ type: 'number' }, '1.5', 1.5],
  [{ type: 'number', enum: [1, 2] }, '2', 2],
  [{ type: 'boolean' }, 'false', false],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null', null],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '7', 7],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'x', 'x'],
  [{ type: 'array', items: { type: 'integer' } }, '80, 443', [80, 443]],
  [{ type: 'array', items: { type: 'integer' } }, '[80]', [80]],
  [{ type: 'array', items: { type: 'integer' } }, '', []],
  [{ type: 'array', items: { type: 'object' } }, '[{"disk_id":"d"}]', [{ disk_id: 'd' }]],
  [{ type: 'object' }, '{"a":1}', { a: 1 }],
])('%j reads "%s"', (schema, text, value) => {
  expect(read(schema, text)).toEqual(value)
})

it.each([
  [{ type: 'integer' }, '1.5', '--size takes a whole number, not "1.5".'],
  [{ type: 'integer' }, '', '--size takes a number, not "".'],
  [{ type: 'number' }, 'ten', '--size takes a number, not "ten".'],
  [{ type: 'boolean' }, 'yes', '--size takes true or false, not "yes".'],
  [{ type: 'string', enum: ['disk', 'full'] }, 'half', '--size takes one of disk, full, not "half".'],
  [{ type: 'array', items: { type: 'object' } }, '{}', '--size takes a JSON array, not "{}".'],
  [{ type: 'array', items: { type: 'integer' } }, '80,x', '--size takes a number, not "x".'],
  [{ type: 'object' }, '{', '--size takes JSON, not "{".'],
])('%j refuses "%s"', (schema, text, message) => {
  expect(() => read(schema, text)).toThrow(message)
})

it('says in a word what a flag takes', () => {
  expect(kindOf({ type: 'string' })).toBe('TEXT')
  expect(kindOf({ type: 'string', enum: ['disk', 'full'] })).toBe('disk|full')
  expect(kindOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('NUMBER|null')
  expect(kindOf({ type: 'array', items: { type: 'integer' } })).toBe('NUMBER,…')
  expect(kindOf({ type: 'array', items: { type: 'object' } })).toBe('JSON')
})
