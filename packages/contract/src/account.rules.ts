export const accountTexts = {
  badCredentials: 'Invalid email or password',
  unverified: 'Please verify your email address before signing in.',
  disabled: 'Account access denied',
  emailTaken: 'An account with this email already exists',
  invalidSignup: 'Invalid signup data. Please check your information.',
  invalidEmail: 'Please enter a valid email address',
  weakPassword: 'Please choose a stronger password',
  breachedPassword: 'This password is on lists that attackers try. Choose another one.',
  emailMissing: 'Please enter your email address',
  verificationSent: 'Verification email sent! Please check your inbox.',
  linkExpired: 'Verification link has expired',
  linkInvalid: 'Verification link is invalid',
  tokenMissing: 'Verification link has no token',
  resetExpired: 'Password reset link has expired',
  wrongPassword: 'The password is wrong',
  nameMissing: 'Please enter your name',
  sameEmail: 'This is already your email address',
  emailChangeSent: 'Open the link that was sent to the new address. Until then your address stays as it is.',
  emailChangeExpired: 'This link has expired, or a newer one was sent',
  sessionNotFound: 'Session not found. It may have ended already.',
  tooBusy: 'Too many sign-ins at the moment. Try again in a few seconds.',
  tooManyMails: 'Too many email requests at the moment. Try again in a minute.',
} as const

/** The five checks of the strength meter, in the order of the specification. */
export const passwordChecks = [
  { label: 'At least 8 characters', holds: (password: string) => [...password].length >= 8 },
  { label: 'An uppercase letter', holds: (password: string) => /\p{Lu}/u.test(password) },
  { label: 'A lowercase letter', holds: (password: string) => /\p{Ll}/u.test(password) },
  { label: 'A digit', holds: (password: string) => /\d/.test(password) },
  { label: 'A special character', holds: (password: string) => /[^\p{L}\p{N}\s]/u.test(password) },
] as const

export type StrengthLabel = 'Weak' | 'Fair' | 'Good' | 'Strong'

/** How many of the five checks hold, and the word the meter shows for that. */
export function passwordStrength(password: string): { score: number; label: StrengthLabel } {
  const score = passwordChecks.filter((check) => check.holds(password)).length
  return { score, label: score <= 2 ? 'Weak' : score === 3 ? 'Fair' : score === 4 ? 'Good' : 'Strong' }
}

/** At least 8 characters and at least 3 of the five checks (catalogue G-034). */
export function isStrongEnough(password: string): boolean {
  return passwordChecks[0].holds(password) && passwordStrength(password).score >= 3
}

/**
 * What an address is made of: nothing by which mail programs part, comment or quote addresses, nothing that is not
 * seen, and no second `@`. Letters of every script are fine.
 */
const addressPart = String.raw`[^\s@,;:<>()[\]"\\\p{C}\p{Z}]`
const domainLabel = String.raw`[\p{L}\p{N}\p{M}_-]+`
const address = new RegExp(String.raw`^${addressPart}{1,64}@${domainLabel}(\.${domainLabel})+$`, 'u')

/** Whether a text is one e-mail address, x@y.z; spaces around it do not count. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= 254 && address.test(trimmed)
}
