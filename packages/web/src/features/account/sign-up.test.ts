import { SignUp } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { blankDraft, type Draft, errorsOf, toBody } from './sign-up.ts'

const good: Draft = {
  firstName: ' Ada ',
  lastName: 'Lovelace',
  email: ' ada@example.org ',
  password: 'Aaaaaaa1',
  confirmation: 'Aaaaaaa1',
  agreed: true,
}

describe('errorsOf', () => {
  it('finds nothing in a complete form', () => {
    expect(errorsOf(good)).toEqual({})
  })
  it('names the first field of an empty form first', () => {
    expect(Object.keys(errorsOf(blankDraft))).toEqual(['firstName', 'lastName', 'email', 'password'])
  })
  it('wants an address like x@y.z', () => {
    expect(errorsOf({ ...good, email: 'a@b' })).toEqual({ email: 'Please enter a valid email address' })
  })
  it('wants both passwords to be the same', () => {
    expect(errorsOf({ ...good, confirmation: 'Aaaaaaa2' })).toEqual({
      confirmation: 'Passwords do not match',
    })
  })
  it.each(['aaaaaaaa', 'Aa1!aaa', ''])('refuses the weak password "%s"', (password) => {
    expect(errorsOf({ ...good, password, confirmation: password })).toEqual({
      password: 'Please choose a stronger password',
    })
  })
  it('takes blanks for no name', () => {
    expect(errorsOf({ ...good, firstName: '  ' })).toEqual({ firstName: 'Please enter your first name' })
  })
})

describe('toBody', () => {
  it('joins the names by one space and sends neither the confirmation nor the box', () => {
    expect(toBody(good)).toEqual({ name: 'Ada Lovelace', email: 'ada@example.org', password: 'Aaaaaaa1' })
  })
  it('is what the contract accepts', () => {
    expect(SignUp.safeParse(toBody(good)).success).toBe(true)
  })
})
