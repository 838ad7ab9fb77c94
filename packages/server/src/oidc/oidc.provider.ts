/** Speaks OpenID Connect with one provider. What it sends is bounded in size and time, and nothing is asked before it is needed. */
import {
  createRemoteJWKSet,
  type JWTPayload,
  errors as joseErrors,
  customFetch as joseFetch,
  jwtVerify,
} from 'jose'
import * as client from 'openid-client'
import { AnswerTooLong, boundedFetch } from '../lib/bounded-fetch.ts'
import type { Clock } from '../lib/clock.ts'
import { issuerKey, type OidcSettings } from './oidc.settings.ts'

const answerWithinMs = 10_000
/** `fetch` for what a provider sends. */
const ask = boundedFetch({ withinMs: answerWithinMs, bytes: 1024 * 1024 })
/** How long what a provider says of its addresses is believed. */
const metadataLifeMs = 60 * 60_000
/** How old a logout token may be. The tokens that were taken are remembered for longer. */
const logoutTokenLife = '10 minutes'
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** The provider cannot be reached, or has trouble of its own. */
export class ProviderAway extends Error {
  constructor(cause: unknown) {
    super(`The provider does not respond: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    this.name = 'ProviderAway'
  }
}

/** The provider did not sign the person in, or the person did not want to. */
export class SignInDenied extends Error {}

/** What a provider says of somebody who signed in there. */
export interface Person {
  issuer: string
  subject: string
  /** The session at the provider, if it names one. */
  sid: string | null
  name: string | null
  /** As it was sent. */
  email: string | null
  emailVerified: boolean
  /** The group that makes them an administrator; null when they are not in it, or there is none. */
  adminGroup: string | null
}

/** What a visit is begun with, and has to be finished with. */
export interface VisitSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/** Whose sessions a logout token ends: those of a session at the provider, or all of a person. */
export interface LogoutToken {
  issuer: string
  jti: string
  sid: string | null
  subject: string | null
}

export type OidcProvider = ReturnType<typeof makeOidcProvider>

/** `callback`: where the provider leads people back to, as it is registered there. */
export function makeOidcProvider(settings: OidcSettings, callback: string, clock: Pick<Clock, 'monotonic'>) {
  let known: { at: number; config: Promise<client.Configuration> } | null = null

  async function discover(): Promise<client.Configuration> {
    const issuer = new URL(settings.issuer)
    const execute = [client.enableNonRepudiationChecks]
    if (issuer.protocol === 'http:') execute.push(client.allowInsecureRequests)
    const config = await client.discovery(issuer, settings.clientId, undefined, authentication(settings), {
      execute,
      timeout: answerWithinMs / 1000,
      [client.customFetch]: ask,
    })
    // Some let the issuer of many organisations pass; here everybody at all of them could sign in.
    if (
      config.serverMetadata().issuer !== settings.issuer &&
      new URL(config.serverMetadata().issuer).href !== issuer.href
    )
      throw new Error(`The provider calls its issuer ${config.serverMetadata().issuer}`)
    return config
  }

  /** The same for all who ask meanwhile; one that failed is asked for anew. */
  function configuration(): Promise<client.Configuration> {
    if (known && clock.monotonic() - known.at < metadataLifeMs) return known.config
    const config = discover()
    const own = { at: clock.monotonic(), config }
    known = own
    config.catch(() => {
      if (known === own) known = null
    })
    return config
  }

  let keys: { uri: string; set: ReturnType<typeof createRemoteJWKSet> } | null = null
  function keysAt(uri: string | undefined) {
    if (uri === undefined) throw new Error('The provider names no keys')
    if (keys?.uri !== uri)
      keys = {
        uri,
        set: createRemoteJWKSet(new URL(uri), { timeoutDuration: answerWithinMs, [joseFetch]: ask }),
      }
    return keys.set
  }

  async function claimsOf(config: client.Configuration, tokens: Tokens): Promise<Record<string, unknown>> {
    const claims = tokens.claims()
    if (!claims) throw new Error('The provider sent no ID token')
    const saysOfEmail =
      claims.email !== undefined && (settings.trustsEmail || claims.email_verified !== undefined)
    const saysOfGroups = !settings.adminGroup || claims[settings.groupsClaim] !== undefined
    if ((saysOfEmail && saysOfGroups) || !config.serverMetadata().userinfo_endpoint) return claims
    const info = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
    // What is verified is the address that was sent along with that.
    const { email, email_verified } = saysOfEmail ? claims : info
    return { ...info, ...claims, email, email_verified }
  }

  return {
    settings,
    issuer: issuerKey(settings.issuer),

    /** Where the browser has to go, and what it has to come back with. Throws {@link ProviderAway}. */
    async begin(): Promise<{ url: string } & VisitSecrets> {
      const config = await configuration().catch((error: unknown) => {
        throw new ProviderAway(error)
      })
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: settings.scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, ...secrets }
    },

    /**
     * Who came back with this query. Throws {@link SignInDenied}, {@link ProviderAway}, and any other error for a response
     * that is not valid.
     */
    async finish(query: string, { state, nonce, codeVerifier }: VisitSecrets): Promise<Person> {
      try {
        const config = await configuration()
        const tokens = await client.authorizationCodeGrant(config, new URL(`${callback}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        return personOf(settings, await claimsOf(config, tokens))
      } catch (error) {
        throw asOutcome(error)
      }
    },

    /** What a logout token is about. Throws {@link ProviderAway} when it cannot be verified now, else an error for one that is not valid. */
    async readLogout(token: string): Promise<LogoutToken> {
      const config = await configuration().catch((error: unknown) => {
        throw new ProviderAway(error)
      })
      const metadata = config.serverMetadata()
      const { payload, protectedHeader } = await jwtVerify(token, keysAt(metadata.jwks_uri), {
        issuer: metadata.issuer,
        audience: settings.clientId,
        requiredClaims: ['jti', 'iat', 'events'],
        maxTokenAge: logoutTokenLife,
        clockTolerance: 60,
      }).catch((error: unknown) => {
        // What is wrong with the token is an error of its own kind; all else is the way to the keys.
        throw error instanceof joseErrors.JOSEError && !isOfKeys(error) ? error : new ProviderAway(error)
      })
      if (!/^(logout\+jwt|jwt)$/i.test(protectedHeader.typ ?? 'jwt'))
        throw new Error('It is another kind of token')
      return { issuer: issuerKey(settings.issuer), ...aboutWhom(payload) }
    },
  }
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

const isOfKeys = (error: joseErrors.JOSEError): boolean =>
  error instanceof joseErrors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC'

/** What the specification asks of logout tokens beyond a valid signature. */
function aboutWhom({ jti, sub, sid, events, nonce }: JWTPayload): Omit<LogoutToken, 'issuer'> {
  const isLogout = typeof events === 'object' && events !== null && logoutEvent in events
  // An ID token of the same provider must not pass for one.
  if (!isLogout || nonce !== undefined) throw new Error('It is no logout token')
  const subject = typeof sub === 'string' ? sub : null
  const session = typeof sid === 'string' ? sid : null
  if (typeof jti !== 'string' || (subject === null && session === null)) throw new Error('It names nobody')
  return { jti, subject, sid: session }
}

function personOf(settings: OidcSettings, claims: Record<string, unknown>): Person {
  const text = (name: string) => {
    const claim = claims[name]
    return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null
  }
  const subject = text('sub')
  if (subject === null) throw new Error('The provider names nobody')
  const groups = [claims[settings.groupsClaim] ?? []].flat()
  return {
    issuer: issuerKey(settings.issuer),
    subject,
    sid: text('sid'),
    name: text('name') ?? text('preferred_username'),
    email: text('email'),
    // Some send it as a text.
    emailVerified: settings.trustsEmail || claims.email_verified === true || claims.email_verified === 'true',
    adminGroup:
      settings.adminGroup !== null && groups.includes(settings.adminGroup) ? settings.adminGroup : null,
  }
}

/** Basic authentication, which providers expect of a client that says nothing else; in the body where they have no other. */
function authentication({ clientSecret }: OidcSettings): client.ClientAuth {
  const basic = client.ClientSecretBasic(clientSecret)
  const post = client.ClientSecretPost(clientSecret)
  return (metadata, ...rest) => {
    const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isPost = !offered.includes('client_secret_basic') && offered.includes('client_secret_post')
    return (isPost ? post : basic)(metadata, ...rest)
  }
}

/** What went wrong between a provider and us, as one of the ways that a visit ends. */
function asOutcome(error: unknown): unknown {
  if (error instanceof client.AuthorizationResponseError) {
    const isAway = error.error === 'temporarily_unavailable' || error.error === 'server_error'
    const isDenied = /^(access_denied|login_required|interaction_required|consent_required)$/.test(
      error.error,
    )
    return isAway ? new ProviderAway(error) : isDenied ? new SignInDenied(error.error) : error
  }
  const status =
    error instanceof client.ClientError && error.cause instanceof Response ? error.cause.status : 0
  const code = error instanceof client.ClientError ? error.code : undefined
  // `fetch` says so when there is no answer.
  const isSilent = error instanceof TypeError && error.message === 'fetch failed'
  return isSilent || status >= 500 || code === 'OAUTH_TIMEOUT' || error instanceof AnswerTooLong
    ? new ProviderAway(error)
    : error
}
