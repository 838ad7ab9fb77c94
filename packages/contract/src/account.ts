import { z } from 'zod'
import { accountTexts, isEmail, isStrongEnough } from './account.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { passkeyTexts } from './passkey.rules.ts'
import { PasskeyOptions, PasskeyUsed } from './passkey.ts'
import { signUpCondition, signUpPolicies } from './sign-up.rules.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { Id, Time } from './text.ts'
import { totpTexts } from './totp.rules.ts'
import { Code } from './totp.ts'

export const User = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  created_at: Time,
})
export type User = z.infer<typeof User>

/** The signed-in user, with what they are permitted to do beyond their own projects. */
export const Me = User.extend({
  /** Named in `SLIPWAY_ADMINS`, or signed in by a provider as one of its group of administrators: can export activity, and see the health and all operations of the server. */
  is_admin: z.boolean(),
  /** When the account is deleted for good, unless it is kept before; null: nobody asked for that. */
  delete_at: Time.nullable(),
})
export type Me = z.infer<typeof Me>

const t = accountTexts

export const Message = z.object({ message: z.string() })
export const Password = z
  .string({ error: t.invalidSignup })
  .max(1000, 'Use at most 1000 characters for the password')
  .refine(isStrongEnough, t.weakPassword)
const MailAddress = z
  .string({ error: t.emailMissing })
  .trim()
  .min(1, t.emailMissing)
  .max(254, t.invalidEmail)
  .toLowerCase()

/** An address that an account is to have. */
export const NewMailAddress = z
  .string({ error: t.invalidSignup })
  .trim()
  .max(254, t.invalidEmail)
  .refine(isEmail, t.invalidEmail)
  .toLowerCase()
const PersonName = z
  .string({ error: t.invalidSignup })
  .trim()
  .min(1, t.invalidSignup)
  .max(100, t.invalidSignup)
  .refine((text) => !hasHiddenCharacters(text), t.invalidSignup)

export const SignUp = z.object({
  name: PersonName,
  email: NewMailAddress,
  password: Password,
})
export type SignUp = z.infer<typeof SignUp>

export const SignIn = z.object({
  email: z
    .string({ error: t.badCredentials })
    .trim()
    .min(1, t.badCredentials)
    .max(254, t.badCredentials)
    .toLowerCase(),
  password: z.string({ error: t.badCredentials }).min(1, t.badCredentials).max(1000, t.badCredentials),
  /** True keeps the session 30 days; otherwise it ends with the browser or after 12 idle hours. */
  remember_me: z.boolean().default(false),
})
export type SignIn = z.infer<typeof SignIn>

/** Who is signed in now. */
export const SignedIn = z.object({ user: Me, message: z.string() })

/** The password was right, and a code has to follow: nobody is signed in yet. */
export const CodeNeeded = z.object({
  code_needed: z.object({
    /** Goes along with the code. */
    token: z.string(),
    expires_at: Time,
  }),
  message: z.string(),
})
export type CodeNeeded = z.infer<typeof CodeNeeded>

/** Who is signed in, or that a code is needed first. */
export const SignInOutcome = z.union([SignedIn, CodeNeeded])

export const CodeSignIn = z.object({
  token: z
    .string({ error: totpTexts.signInOver })
    .min(1, totpTexts.signInOver)
    .max(200, totpTexts.signInOver),
  code: Code,
})

export const PasskeySignIn = z.object({ passkey: PasskeyUsed, remember_me: z.boolean().default(false) })

export const SignedUp = z.object({ message: z.string(), user: User })

/** Whom a mail with a link is for. */
export const MailRequest = z.object({ email: MailAddress })

/** From the link that was mailed. */
export const EmailVerification = z.object({
  token: z.string({ error: t.tokenMissing }).min(1, t.tokenMissing),
})

/** With the verified address, so that the sign-in form need not ask for it again. */
export const EmailVerified = Message.extend({ email: z.string() })

export const PasswordReset = z.object({
  /** From the link that was mailed. */
  token: z.string({ error: t.resetExpired }).min(1, t.resetExpired),
  password: z
    .string({ error: t.weakPassword })
    .max(1000, t.weakPassword)
    .refine(isStrongEnough, t.weakPassword),
})

export const accountApi = {
  me: endpoint('account.me', {
    summary: 'The signed-in user',
    auth: 'session',
    status: 200,
    response: Me,
  }),
  signIn: endpoint('account.signIn', {
    summary: 'Sign in; sets the session cookie, unless a code is needed too',
    auth: 'public',
    status: 200,
    body: SignIn,
    response: SignInOutcome,
    errors: {
      400: [t.badCredentials],
      403: [t.unverified, t.disabled],
      429: [messages.tooManyAttempts],
      503: [t.tooBusy],
    },
  }),
  signInWithCode: endpoint('account.signInWithCode', {
    summary: 'Go on with a sign-in that needs a code, of an app or a recovery code; sets the session cookie',
    auth: 'public',
    status: 200,
    body: CodeSignIn,
    response: SignedIn,
    errors: {
      400: [totpTexts.codeMissing, totpTexts.wrongCode],
      403: [totpTexts.signInOver],
      429: [messages.tooManyAttempts],
      503: [totpTexts.unreadable],
    },
  }),
  beginPasskey: endpoint('account.beginPasskey', {
    summary: 'What the browser asks for a passkey with, whosever it is; works once, for five minutes',
    auth: 'public',
    status: 200,
    response: PasskeyOptions,
    errors: { 409: [passkeyTexts.noOrigin], 429: [messages.tooManyAttempts] },
  }),
  signInWithPasskey: endpoint('account.signInWithPasskey', {
    summary: 'Sign in with a passkey, which is enough by itself; sets the session cookie',
    auth: 'public',
    status: 200,
    body: PasskeySignIn,
    response: SignedIn,
    errors: {
      400: [passkeyTexts.refused, passkeyTexts.unknown],
      403: [t.unverified, t.disabled],
      409: [passkeyTexts.noOrigin],
      429: [messages.tooManyAttempts],
    },
  }),
  signUp: endpoint('account.signUp', {
    summary: 'Create an account and mail its verification link',
    auth: 'public',
    status: 201,
    body: SignUp,
    response: SignedUp,
    errors: {
      400: [t.invalidSignup, t.invalidEmail, t.weakPassword, t.breachedPassword],
      403: signUpPolicies.flatMap((policy) => signUpCondition({ policy, domains: ['example.com'] }) ?? []),
      409: [t.emailTaken],
      429: [messages.tooManyAttempts],
      503: [t.tooBusy],
    },
  }),
  signOut: endpoint('account.signOut', {
    summary: 'End the session; also answers without one',
    auth: 'public',
    status: 204,
  }),
  resendVerification: endpoint('account.resendVerification', {
    summary: 'Mail a new verification link',
    auth: 'public',
    status: 200,
    body: MailRequest,
    response: Message,
    errors: { 400: [t.emailMissing], 429: [messages.tooManyAttempts], 503: [t.tooManyMails] },
  }),
  verifyEmail: endpoint('account.verifyEmail', {
    summary: 'Verify an email address with the emailed token',
    auth: 'public',
    status: 200,
    body: EmailVerification,
    response: EmailVerified,
    // 400 is reserved for an expired link (catalogue G-031).
    invalidStatus: 422,
    errors: {
      400: [t.linkExpired],
      404: [t.linkInvalid],
      422: [t.tokenMissing],
      429: [messages.tooManyAttempts],
    },
  }),
  forgotPassword: endpoint('account.forgotPassword', {
    summary: 'Mail a password reset link, if there is such an account',
    auth: 'public',
    status: 200,
    body: MailRequest,
    response: Message,
    errors: { 400: [t.emailMissing], 429: [messages.tooManyAttempts], 503: [t.tooManyMails] },
  }),
  resetPassword: endpoint('account.resetPassword', {
    summary: 'Set a new password by the mailed token; ends all sessions of the user',
    auth: 'public',
    status: 200,
    body: PasswordReset,
    response: Message,
    errors: {
      400: [t.resetExpired, t.weakPassword, t.breachedPassword],
      429: [messages.tooManyAttempts],
      503: [t.tooBusy],
    },
  }),
}
