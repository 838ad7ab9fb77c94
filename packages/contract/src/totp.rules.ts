export const totpTexts = {
  codeMissing: 'Please enter the code',
  wrongCode: 'This code is wrong or was used before. Enter the newest code of your app.',
  alreadyOn: 'Two-factor authentication is already on. Turn it off first.',
  notOn: 'Two-factor authentication is not on',
  notBegun: 'Set up the app first. The secret may have been replaced in another tab.',
  signInOver: 'This sign-in has expired, or too many codes were wrong. Enter your password again.',
  unreadable:
    'Codes cannot be checked at the moment: the server cannot read the secret. Use a recovery code, or tell the operator.',
} as const

/** How many recovery codes are made at once. */
export const recoveryCodeCount = 10

/** How long a password that was right waits for its code, and how many codes may be tried with it. */
export const secondStep = { lastsMs: 5 * 60_000, tries: 5 } as const

/** Without `i`, `l`, `o` and `u`, which are easily taken for others. */
export const recoveryCodeAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** 80 random bits: they are stored under a hash that is fast to compute. */
export const recoveryCodeLength = 16

/** What somebody typed where a code is asked for. */
export interface TypedCode {
  kind: 'totp' | 'recovery'
  /** Six digits; or sixteen characters of the alphabet of recovery codes. */
  code: string
}

/** Reads a code of an app or a recovery code, however it is spaced; null for what can be neither. */
export function readCode(text: string): TypedCode | null {
  const bare = text.replace(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(bare)) return { kind: 'totp', code: bare }
  const code = bare.replaceAll('o', '0').replace(/[il]/g, '1')
  const isOne = code.length === recoveryCodeLength && [...code].every((c) => recoveryCodeAlphabet.includes(c))
  return isOne ? { kind: 'recovery', code } : null
}

/** A recovery code as it is shown: `0123-4567-89ab-cdef`. */
export const spacedRecoveryCode = (code: string): string => (code.match(/.{1,4}/g) ?? []).join('-')
