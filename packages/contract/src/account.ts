import { z } from 'zod'
import { isEmail, isStrongEnough } from './account.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.ts'
import { Id, Time } from './text.ts'

export const User = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  created_at: Time,
})
export type User = z.infer<typeof User>

export const accountTexts = {
  badCredentials: 'Invalid email or password',
  unverified: 'Please verify your email address before signing in.',
  disabled: 'Account access denied',
  emailTaken: 'An account with this email already exists',
  invalidSignup: 'Invalid signup data. Please check your information.',
  invalidEmail: 'Please enter a valid email address',
  weakPassword: 'Please choose a stronger password',
  emailMissing: 'Please enter your email address',
  verificationSent: 'Verification email sent! Please check your inbox.',
  linkExpired: 'Verification link has expired',
  linkInvalid: 'Verification link is invalid',
  tokenMissing: 'Verification link has no token',
  resetExpired: 'Password reset link has expired',
} as const
const t = accountTexts

const Message = z.object({ message: z.string() })
const Password = z
  .string({ error: t.invalidSignup })
  .max(1000, 'Use at most 1000 characters for the password')
  .refine(isStrongEnough, t.weakPassword)
const MailAddress = z
  .string({ error: t.emailMissing })
  .trim()
  .min(1, t.emailMissing)
  .max(254, t.invalidEmail)
  .toLowerCase()

export const SignUp = z.object({
  name: z.string({ error: t.invalidSignup }).trim().min(1, t.invalidSignup).max(100, t.invalidSignup),
  email: z
    .string({ error: t.invalidSignup })
    .trim()
    .max(254, t.invalidEmail)
    .refine(isEmail, t.invalidEmail)
    .toLowerCase(),
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

export const accountApi = {
  me: endpoint('GET /api/auth/me', {
    id: 'account.me',
    summary: 'The signed-in user',
    auth: 'session',
    status: 200,
    response: User,
  }),
  signIn: endpoint('POST /api/auth/signin', {
    id: 'account.signIn',
    summary: 'Sign in; sets the session cookie',
    auth: 'public',
    status: 200,
    body: SignIn,
    response: z.object({ user: User, message: z.string() }),
    errors: { 400: [t.badCredentials], 403: [t.unverified, t.disabled], 429: [messages.tooManyAttempts] },
  }),
  signUp: endpoint('POST /api/auth/signup', {
    id: 'account.signUp',
    summary: 'Create an account and mail its verification link',
    auth: 'public',
    status: 201,
    body: SignUp,
    response: z.object({ message: z.string(), user: User }),
    errors: {
      400: [t.invalidSignup, t.invalidEmail, t.weakPassword],
      409: [t.emailTaken],
      429: [messages.tooManyAttempts],
    },
  }),
  signOut: endpoint('POST /api/auth/signout', {
    id: 'account.signOut',
    summary: 'End the session; also answers without one',
    auth: 'public',
    status: 204,
  }),
  resendVerification: endpoint('POST /api/auth/resend-verification', {
    id: 'account.resendVerification',
    summary: 'Mail a new verification link',
    auth: 'public',
    status: 200,
    body: z.object({ email: MailAddress }),
    response: Message,
    errors: { 400: [t.emailMissing], 429: [messages.tooManyAttempts] },
  }),
  verifyEmail: endpoint('POST /api/auth/verify-email', {
    id: 'account.verifyEmail',
    summary: 'Verify an e-mail address by the mailed token',
    auth: 'public',
    status: 200,
    body: z.object({ token: z.string({ error: t.tokenMissing }).min(1, t.tokenMissing) }),
    response: Message,
    // 400 is reserved for an expired link (catalogue G-031).
    invalidStatus: 422,
    errors: { 400: [t.linkExpired], 404: [t.linkInvalid], 422: [t.tokenMissing] },
  }),
  forgotPassword: endpoint('POST /api/auth/forgot-password', {
    id: 'account.forgotPassword',
    summary: 'Mail a password reset link, if there is such an account',
    auth: 'public',
    status: 200,
    body: z.object({ email: MailAddress }),
    response: Message,
    errors: { 400: [t.emailMissing], 429: [messages.tooManyAttempts] },
  }),
  resetPassword: endpoint('POST /api/auth/reset-password', {
    id: 'account.resetPassword',
    summary: 'Set a new password by the mailed token; ends all sessions of the user',
    auth: 'public',
    status: 200,
    body: z.object({
      token: z.string({ error: t.resetExpired }).min(1, t.resetExpired),
      password: z
        .string({ error: t.weakPassword })
        .max(1000, t.weakPassword)
        .refine(isStrongEnough, t.weakPassword),
    }),
    response: Message,
    errors: { 400: [t.resetExpired, t.weakPassword], 429: [messages.tooManyAttempts] },
  }),
}
