import { expect, test } from 'vitest'
import { ApiError } from './client.ts'
import { errorDetail, errorText } from './errors.ts'

const texts = { 401: 'Invalid email or password', '5xx': 'Server error.', other: 'Login failed' }
const textOf = (error: unknown) => errorText(error, 'Failed to sign in.', texts)

test("the server's own sentence comes first, whatever the status", () => {
  expect(textOf(new ApiError(401, 'Account is locked'))).toBe('Account is locked')
  expect(textOf(new ApiError(503, 'The host is full'))).toBe('The host is full')
})

test('without a sentence the status decides', () => {
  expect(textOf(new ApiError(401, null))).toBe('Invalid email or password')
  expect(textOf(new ApiError(500, null))).toBe('Server error.')
  expect(textOf(new ApiError(418, null))).toBe('Login failed')
})

test('no answer at all and foreign errors give the fallback of the screen', () => {
  expect(textOf(new ApiError(null, null))).toBe('Failed to sign in.')
  expect(textOf(new TypeError('x is undefined'))).toBe('Failed to sign in.')
  expect(errorText(new ApiError(500, null), 'Failed to create project')).toBe('Failed to create project')
})

test('the detail of a toast is the sentence of the server or nothing', () => {
  expect(errorDetail(new ApiError(409, 'Disk "a" is not available'))).toBe('Disk "a" is not available')
  expect(errorDetail(new ApiError(500, null))).toBeUndefined()
  expect(errorDetail(new Error('inner'))).toBeUndefined()
})
