import { expect, it } from 'vitest'
import { parseArguments } from './arguments.ts'
import type { Flag } from './commands.ts'

const flag = (name: string, schema: object = { type: 'string' }): Flag => ({
  name,
  where: 'body',
  required: false,
  schema,
})
const flags = [
  flag('name'),
  flag('ssh_key_id'),
  flag('force', { type: 'boolean' }),
  flag('for_good', { type: 'string', enum: ['true', 'false'] }),
  flag('ports', { type: 'array', items: { type: 'integer' } }),
]
const parse = (...words: string[]) => {
  const { positions, values, common } = parseArguments(words, flags)
  return { positions, values: Object.fromEntries(values), common }
}

it('tells positions, flags and common flags apart, in any order', () => {
  expect(parse('web', '--name', 'x', '--json', 'two', '--project=p', '--timeout', '5')).toEqual({
    positions: ['web', 'two'],
    values: { name: 'x' },
    common: { json: true, project: 'p', timeout: 5 },
  })
})

it('takes flags with hyphens, without _id, and with = in the value', () => {
  expect(parse('--ssh-key-id', 'k').values).toEqual({ ssh_key_id: 'k' })
  expect(parse('--ssh-key=a=b').values).toEqual({ ssh_key_id: 'a=b' })
  expect(parse('--name=').values).toEqual({ name: '' })
  expect(parse('--name', '--force').values).toEqual({ name: '--force' })
})

it('switches on, off, and by a value', () => {
  expect(parse('--force', 'web')).toMatchObject({ positions: ['web'], values: { force: true } })
  expect(parse('--no-force').values).toEqual({ force: false })
  expect(parse('--force=false').values).toEqual({ force: false })
})

it('switches what the query says in words as well, with its word or without', () => {
  expect(parse('--for-good', 'web')).toMatchObject({ positions: ['web'], values: { for_good: 'true' } })
  expect(parse('--for-good', '--force').values).toEqual({ for_good: 'true', force: true })
  expect(parse('--for-good', 'false', 'web').positions).toEqual(['web'])
  expect(parse('--for-good', 'false').values).toEqual({ for_good: 'false' })
  expect(parse('--no-for-good').values).toEqual({ for_good: 'false' })
  expect(() => parse('--for-good=yes')).toThrow('--for_good takes one of true, false, not "yes".')
})

it('adds up lists, and takes the last of anything else', () => {
  expect(parse('--ports', '80', '--ports', '443,8080').values).toEqual({ ports: [80, 443, 8080] })
  expect(parse('--name', 'a', '--name', 'b').values).toEqual({ name: 'b' })
})

it('takes nothing for a flag after --', () => {
  expect(parse('web', '--', '--name', '-x').positions).toEqual(['web', '--name', '-x'])
})

it('refuses what is unknown or lacks its value', () => {
  expect(() => parse('--size=1')).toThrow('Unknown flag: --size')
  expect(() => parse('--no-name')).toThrow('Unknown flag: --no-name')
  expect(() => parse('--name')).toThrow('--name needs a value.')
})
