import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

it.each([
  [undefined, []],
  ['', []],
  [' ', []],
  ['Ada@Example.com', ['ada@example.com']],
  ['ada@example.com, bob@example.com', ['ada@example.com', 'bob@example.com']],
])('the administrators %j are %j', (SLIPWAY_ADMINS, admins) => {
  expect(readConfig({ SLIPWAY_ADMINS }).admins).toEqual(admins)
})

it.each(['ada', ',', 'ada@example.com,', 'ada@example.com bob@example.com'])(
  'the administrators %j stop the start, so that a slip does not let everybody in',
  (SLIPWAY_ADMINS) => {
    expect(() => readConfig({ SLIPWAY_ADMINS })).toThrow('SLIPWAY_ADMINS: Name e-mail addresses')
  },
)
