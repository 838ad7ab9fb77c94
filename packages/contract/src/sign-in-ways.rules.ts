/** The ways to sign in to an account, as far as they work now. */
export interface SignInWays {
  password: boolean
  /** None where no browser lets the server use passkeys. */
  passkeys: number
  /** At providers that are offered. */
  identities: number
}

export const signInWaysTexts = {
  last: 'This is the only way to sign in to your account. Set a password, add a passkey or link another identity first.',
} as const

/** Whether a passkey or an identity can be taken off an account that keeps these ways: `true`, or the sentence to show. */
export const keepsWayIn = ({ password, passkeys, identities }: SignInWays): true | string =>
  password || passkeys > 0 || identities > 0 || signInWaysTexts.last
