import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { Time } from './text.ts'
import { totpTexts } from './totp.rules.ts'

const t = totpTexts

export const Totp = z.object({
  enabled: z.boolean(),
  /** Since when; null while it is off. */
  since: Time.nullable(),
  /** Recovery codes that were not used yet. */
  recovery_codes_left: z.int(),
})
export type Totp = z.infer<typeof Totp>

/** What an authenticator app is set up with. */
export const TotpSetup = z.object({
  /** Base32. */
  secret: z.string(),
  /** `otpauth://…`, for a QR code. */
  uri: z.string(),
})
export type TotpSetup = z.infer<typeof TotpSetup>

/** The only answer that has recovery codes. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof RecoveryCodes>

/** Of an app or a recovery code, with or without spaces. */
export const Code = z.string({ error: t.codeMissing }).trim().min(1, t.codeMissing).max(100, t.wrongCode)

export const TotpConfirm = z.object({ code: Code })

export const totpApi = {
  get: endpoint('totp.get', {
    summary: 'Whether signing in asks for a code of an authenticator app',
    auth: 'session',
    status: 200,
    response: Totp,
  }),
  begin: endpoint('totp.begin', {
    summary: 'Create the secret for an authenticator app; it counts once a code of the app confirms it',
    auth: 'session',
    status: 200,
    response: TotpSetup,
    errors: { 403: [proofTexts.needed], 409: [t.alreadyOn] },
  }),
  confirm: endpoint('totp.confirm', {
    summary:
      'Turn two-factor authentication on with a code of the app; only this response has the recovery codes',
    auth: 'session',
    status: 200,
    body: TotpConfirm,
    response: RecoveryCodes,
    errors: {
      400: [t.codeMissing, t.wrongCode],
      409: [t.alreadyOn, t.notBegun],
      429: [messages.tooManyAttempts],
      503: [t.unreadable],
    },
  }),
  remove: endpoint('totp.remove', {
    summary: 'Turn two-factor authentication off; its recovery codes stop working',
    auth: 'session',
    status: 204,
    errors: { 403: [proofTexts.needed], 409: [t.notOn] },
  }),
  renewCodes: endpoint('totp.renewCodes', {
    summary: 'Create new recovery codes; earlier ones stop working, and only this response has the new ones',
    auth: 'session',
    status: 200,
    response: RecoveryCodes,
    errors: { 403: [proofTexts.needed], 409: [t.notOn] },
  }),
}
