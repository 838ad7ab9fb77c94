import { expect, it } from 'vitest'
import { attacks } from './hostile-guest.ts'

it('keeps what guests are told to do in a form that a command line takes', () => {
  for (const attack of Object.values(attacks)) expect(attack).not.toMatch(/[^\n\x20-\x7e]/)
})
