import { expect, it } from 'vitest'
import { readError } from './error-answer.rules.ts'

const message = 'No'

it.each([
  [
    { message, code: 'proof_needed', fields: { name: 'Too long' }, more: 1 },
    { message, code: 'proof_needed', fields: { name: 'Too long' } },
  ],
  [{ message }, { message }],
  [{ message, code: 7, fields: null }, { message }],
  [
    { message, fields: {} },
    { message, fields: {} },
  ],
  [{ message, fields: { name: 'Too long', size: 7 } }, { message }],
  [{ message, fields: ['Too long'] }, { message }],
  [{ message: 7, code: 'x', fields: {} }, {}],
  [{}, {}],
  [null, {}],
  [undefined, {}],
  ['No', {}],
])('of the answer %j a screen can show %j', (answer, shown) => expect(readError(answer)).toStrictEqual(shown))
