import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api/client.ts'
import { passkeyErrorText } from './passkey-words.ts'

const named = (name: string) => Object.assign(new Error('in the words of the browser'), { name })

describe('why a passkey could not be used', () => {
  it.each([
    [
      new ApiError(400, 'The passkey could not be checked. Try again.'),
      'The passkey could not be checked. Try again.',
    ],
    [new ApiError(null, null), 'Failed.'],
    [named('NotAllowedError'), 'Failed. The request was cancelled, or took too long.'],
    [named('InvalidStateError'), 'Failed. This device has a passkey of your account already.'],
    [named('TypeError'), 'Failed.'],
    ['nonsense', 'Failed.'],
  ])('%s', (error, text) => expect(passkeyErrorText(error, 'Failed.')).toBe(text))
})
