import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { passkeyTexts } from './passkey.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { signInWaysTexts } from './sign-in-ways.rules.ts'
import { Id, name, Time } from './text.ts'

const t = passkeyTexts

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  created_at: Time,
  /** Null when it was not used yet. */
  last_used_at: Time.nullable(),
})
export type Passkey = z.infer<typeof Passkey>

/** What `navigator.credentials` of the browser takes, as JSON (Web Authentication, level 3). */
export const PasskeyOptions = z.looseObject({ challenge: z.string() })
export type PasskeyOptions = z.infer<typeof PasskeyOptions>

const text = (most: number) => z.string({ error: t.refused }).max(most, t.refused)
const credential = {
  id: text(1400),
  rawId: text(1400),
  type: z.literal('public-key', { error: t.refused }),
  clientExtensionResults: z.looseObject({}),
  authenticatorAttachment: text(40).nullish(),
}

/** What the browser answers with when it made a passkey. */
export const PasskeyMade = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: text(8_000),
      attestationObject: text(32_000),
      transports: z.array(text(40)).max(10).optional(),
    }),
  },
  { error: t.refused },
)
export type PasskeyMade = z.infer<typeof PasskeyMade>

/** What the browser answers with when a passkey was used. */
export const PasskeyUsed = z.object(
  {
    ...credential,
    response: z.object({
      clientDataJSON: text(8_000),
      authenticatorData: text(8_000),
      signature: text(8_000),
      userHandle: text(200).nullish(),
    }),
  },
  { error: t.refused },
)
export type PasskeyUsed = z.infer<typeof PasskeyUsed>

export const PasskeyCreate = z.object({ name: name(t.nameMissing), passkey: PasskeyMade })
export const PasskeyRename = z.object({ name: name(t.nameMissing) })

const PasskeyParams = z.object({ passkeyId: Id })

export const passkeyApi = {
  list: endpoint('passkey.list', {
    summary: "The user's passkeys, oldest first",
    auth: 'session',
    status: 200,
    response: z.array(Passkey),
  }),
  begin: endpoint('passkey.begin', {
    summary: 'What the browser makes a passkey with; works once, for five minutes, in this session',
    auth: 'session',
    status: 200,
    response: PasskeyOptions,
    errors: { 403: [proofTexts.needed], 409: [t.noOrigin, t.tooMany] },
  }),
  create: endpoint('passkey.create', {
    summary: 'Add the passkey that the browser made',
    auth: 'session',
    status: 201,
    body: PasskeyCreate,
    response: Passkey,
    errors: { 400: [t.nameMissing, t.refused], 409: [t.noOrigin, t.known, t.tooMany] },
  }),
  rename: endpoint('passkey.rename', {
    summary: 'Rename a passkey',
    auth: 'session',
    status: 200,
    params: PasskeyParams,
    body: PasskeyRename,
    response: Passkey,
    errors: { 400: [t.nameMissing], 404: [t.notFound] },
  }),
  delete: endpoint('passkey.delete', {
    summary: 'Remove a passkey, unless it is the last way to sign in; nobody can sign in with it any more',
    auth: 'session',
    status: 204,
    params: PasskeyParams,
    errors: { 403: [proofTexts.needed], 404: [t.notFound], 409: [signInWaysTexts.last] },
  }),
}
