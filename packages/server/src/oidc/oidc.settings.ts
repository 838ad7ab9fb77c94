/** A provider that people can sign in with, as the settings name it. */
export interface OidcSettings {
  /** Short, in lower case; part of the addresses that are registered with the provider. */
  name: string
  /** What its button says. */
  label: string
  /** Exactly as the provider writes it in its discovery document. */
  issuer: string
  clientId: string
  clientSecret: string
  /** With spaces. */
  scope: string
  /** The claim with the groups of a person. */
  groupsClaim: string
  /** Who is in it is an administrator; null: nobody is by a group. */
  adminGroup: string | null
  /** All email addresses of the provider count as verified, whether or not it says so. */
  trustsEmail: boolean
}

/** What an issuer is stored as: a slash at its end is no other issuer. */
export const issuerKey = (issuer: string): string => issuer.replace(/\/+$/, '')
