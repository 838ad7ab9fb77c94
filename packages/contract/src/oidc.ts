import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { oidcTexts } from './oidc.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { signInWaysTexts } from './sign-in-ways.rules.ts'
import { Id, Time } from './text.ts'

const t = oidcTexts

/** The short name of a provider, as the settings have it. */
const ProviderName = z
  .string({ error: t.unknownProvider })
  .min(1, t.unknownProvider)
  .max(64, t.unknownProvider)
const ProviderParams = z.object({ provider: ProviderName })

/** Where the provider asks people to sign in. The browser has to go there. */
export const Visit = z.object({ url: z.string() })

/** A way to sign in that a provider has given to an account. */
export const Identity = z.object({
  id: Id,
  /** The short name of the provider; null when it is no longer offered. */
  provider: z.string().nullable(),
  /** What it is called; the host of its issuer when it is no longer offered. */
  label: z.string(),
  issuer: z.string(),
  /** The email address at the provider when it was used last. */
  email: z.string().nullable(),
  linked_at: Time,
  /** When it was last used to sign in. */
  last_used_at: Time,
})
export type Identity = z.infer<typeof Identity>

/** The identities of an account. */
export const IdentityList = z.object({ identities: z.array(Identity), has_password: z.boolean() })

export const OidcBegin = z.object({
  remember_me: z.boolean().default(false),
  /** A path of the console to go on to. */
  from: z.string().max(2000).optional(),
})
export const BackchannelLogout = z.object({
  logout_token: z.string({ error: t.invalidLogoutToken }).min(1, t.invalidLogoutToken),
})
export const IdentityLink = z.object({ provider: ProviderName })

export const oidcApi = {
  begin: endpoint('oidc.begin', {
    summary: 'Begin to sign in with a provider; sets a cookie that the way back needs',
    auth: 'public',
    status: 200,
    params: ProviderParams,
    body: OidcBegin,
    response: Visit,
    errors: { 404: [t.unknownProvider], 429: [messages.tooManyAttempts], 503: [t.away] },
  }),
  signOut: endpoint('oidc.signOut', {
    summary: 'Back-channel logout: a provider ends the sessions that were begun through it',
    auth: 'public',
    status: 204,
    takes: 'form',
    params: ProviderParams,
    body: BackchannelLogout,
    errors: {
      400: [t.invalidLogoutToken],
      404: [t.unknownProvider],
      429: [messages.tooManyAttempts],
      503: [t.away],
    },
  }),
  list: endpoint('oidc.list', {
    summary: "The identities that are linked to the user's account, oldest first",
    auth: 'session',
    status: 200,
    response: IdentityList,
  }),
  link: endpoint('oidc.link', {
    summary: 'Begin to link an identity to the account; sets a cookie that the way back needs',
    auth: 'session',
    status: 200,
    body: IdentityLink,
    response: Visit,
    errors: {
      403: [proofTexts.needed],
      404: [t.unknownProvider],
      429: [messages.tooManyAttempts],
      503: [t.away],
    },
  }),
  unlink: endpoint('oidc.unlink', {
    summary: 'Unlink an identity from the account, unless it is the last way to sign in',
    auth: 'session',
    status: 204,
    params: z.object({ identityId: Id }),
    errors: { 403: [proofTexts.needed], 404: [t.identityNotFound], 409: [signInWaysTexts.last] },
  }),
}
