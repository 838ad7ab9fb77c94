import { z } from 'zod'
import { accountTexts } from './account.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { passkeyTexts } from './passkey.rules.ts'
import { PasskeyOptions, PasskeyUsed } from './passkey.ts'
import { proofTexts } from './proof.rules.ts'
import { totpTexts } from './totp.rules.ts'
import { Code } from './totp.ts'

/** One of them. */
export const Proof = z
  .object({
    password: z.string().min(1, accountTexts.wrongPassword).max(1000, accountTexts.wrongPassword).optional(),
    code: Code.optional(),
    passkey: PasskeyUsed.optional(),
  })
  .refine((proof) => Object.values(proof).filter((one) => one !== undefined).length === 1, {
    error: proofTexts.missing,
    path: ['password'],
  })
export type Proof = z.infer<typeof Proof>

export const ProofWays = z.object({ password: z.boolean(), code: z.boolean(), passkey: z.boolean() })

export const proofApi = {
  ways: endpoint('proof.ways', {
    summary: 'How the user can confirm who they are',
    auth: 'session',
    status: 200,
    response: ProofWays,
  }),
  beginPasskey: endpoint('proof.beginPasskey', {
    summary: 'What the browser asks for a passkey of the user with, to confirm who they are',
    auth: 'session',
    status: 200,
    response: PasskeyOptions,
    errors: { 409: [passkeyTexts.noOrigin] },
  }),
  give: endpoint('proof.give', {
    summary: 'Confirm who is signed in; for ten minutes this session may do what needs it',
    auth: 'session',
    status: 204,
    body: Proof,
    errors: {
      400: [proofTexts.missing, accountTexts.wrongPassword, totpTexts.wrongCode, passkeyTexts.refused],
      429: [messages.tooManyAttempts],
      503: [accountTexts.tooBusy, totpTexts.unreadable],
    },
  }),
}
