import { endpoints } from '@slipway/contract'
import { expect, it } from 'vitest'
import { commonFlagNames } from './arguments.ts'
import { readCommands, usageOf } from './commands.ts'
import { helpOfCommand, helpOfNoun, overview, ownCommands } from './help.ts'
import { kinds } from './settle.ts'

const commands = readCommands()
const oneLine = (text: string) => text.replace(/\s+/g, ' ')
const wordsOf = ({ noun, verb }: { noun: string; verb: string }) => `${noun} ${verb}`

it('every call of the contract has a command of its own, with its summary', () => {
  expect(commands.map(({ id, summary }) => `${id}: ${summary}`).toSorted()).toEqual(
    endpoints.map(({ id, summary }) => `${id}: ${summary}`).toSorted(),
  )
  expect(new Set(commands.map(wordsOf)).size).toBe(endpoints.length)
})

it('who may call, and what it answers with, is what the endpoint says', () => {
  for (const { id, auth, answers, status, idempotent } of endpoints) {
    const command = commands.find((one) => one.id === id)
    if (auth === 'public') expect(command?.by, id).toBe('anyone')
    else expect(command?.by, id).not.toBe('anyone')
    expect(command?.idempotent, id).toBe(idempotent ?? false)
    const printed = answers === 'document' ? 'json' : answers
    expect(command?.answers, id).toBe(printed ?? (status === 204 ? 'nothing' : 'json'))
  }
})

it('no flag of a call is one that every command has, and no noun is a command of our own', () => {
  for (const { id, flags } of commands)
    for (const { name } of flags) expect(commonFlagNames, id).not.toContain(name)
  const own = ['help', ...ownCommands.map(([usage]) => usage.split(' ')[0])]
  for (const { noun } of commands) expect(own).not.toContain(noun)
  for (const [noun, { list }] of Object.entries(kinds)) {
    expect(commands.find((one) => one.id === list)?.noun).toBe(noun)
    expect(commands.map(wordsOf)).not.toContain(`${noun} wait`)
  }
})

it('the project is a flag, except where a command is about it', () => {
  const usages = commands.map(usageOf)
  expect(usages).toContain('vm stop VM')
  expect(usages).toContain('project delete PROJECT')
  expect(usages).toContain('project-member update MEMBER')
  expect(commands.find(({ id }) => id === 'vm.create')?.flags.map(({ name }) => name)).not.toContain(
    'project_id',
  )
})

it('help names every noun, verb and flag', () => {
  const all = overview(commands)
  for (const command of commands) {
    expect(all).toContain(command.verb)
    const own = commands.filter(({ noun }) => noun === command.noun)
    expect(oneLine(helpOfNoun(command.noun, own))).toContain(command.summary)
    for (const { name } of command.flags) expect(helpOfCommand(command)).toContain(`--${name}`)
  }
})

it('a body with several forms has the flags of all of them, and one that says which', () => {
  const batch = commands.find(({ id }) => id === 'batch.create')
  const flag = (name: string) => batch?.flags.find((one) => one.name === name)
  expect(flag('action')).toMatchObject({ required: true })
  expect(flag('action')?.schema.enum).toContain('vm.stop')
  expect(flag('ids')).toMatchObject({ required: true, schema: { type: 'array' } })
  expect(flag('force')).toMatchObject({ required: false, schema: { type: 'boolean' } })
  expect(flag('add_tags')).toMatchObject({ required: false })
  expect(batch?.flags.map(({ name }) => name).slice(0, 2)).toEqual(['action', 'ids'])
})
