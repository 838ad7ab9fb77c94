/**
 * The mails that an account gets. Whoever signs up can name anybody's address and choose any name, so a mail says
 * whose words the name is, and has no link but ours.
 */
import { type ApiToken, hasHiddenCharacters, type Passkey, type SshKey, type User } from '@slipway/contract'

export interface Letter {
  to: string
  subject: string
  text: string
  /** The link of ours that the mail is about. */
  link: string
}

type Addressee = Pick<User, 'name' | 'email'>

/** What mails say of the installation. `url` is its public URL, without a trailing slash. */
export interface Installation {
  productName: string
  url: string
}

/** What mail programs make links of, or people take for one. */
const likeALink = /[:/\\@]|www|\p{L}\.\p{L}{2}/iu

/** A name that may stand in a mail to somebody who may never have seen it; null for one that could lead them away. */
const quotable = (name: string): string | null =>
  likeALink.test(name) || hasHiddenCharacters(name) ? null : name

/** @param ip - from where the link was requested */
export function verificationMail(
  to: Addressee,
  { productName, url }: Installation,
  token: string,
  ip: string,
): Letter {
  const link = `${url}/verify-email?token=${token}`
  const name = quotable(to.name)
  const who = name === null ? 'Someone' : `Someone with the name “${name}”`
  return {
    to: to.email,
    subject: `Verify your ${productName} email address`,
    link,
    text: `Hello,

${who} created an account at ${productName} with this email address. If that was you, open this link within 24 hours to verify the address:

${link}

The link was requested from the IP address ${ip}. If you did not create an account at ${productName}, do not open it: someone else created the account, chose its password and could then sign in.
`,
  }
}

/** @param ip - from where the link was requested */
export function resetMail(
  to: Addressee,
  { productName, url }: Installation,
  token: string,
  ip: string,
): Letter {
  const link = `${url}/reset-password?token=${token}`
  return {
    to: to.email,
    subject: `Reset your ${productName} password`,
    link,
    text: `Hello,

Open this link within one hour to choose a new password:

${link}

The link was requested from the IP address ${ip}. If you did not request it, ignore this email. Your password stays unchanged.
`,
  }
}

/** @param ip - from where the change was requested */
export function emailChangeMail(
  to: Addressee,
  { productName, url }: Installation,
  token: string,
  ip: string,
): Letter {
  const link = `${url}/confirm-email?token=${token}`
  const name = quotable(to.name)
  const who = name === null ? 'Someone' : `Someone with the name “${name}”`
  return {
    to: to.email,
    subject: `Confirm your new ${productName} email address`,
    link,
    text: `Hello,

${who} wants to use this email address for an account at ${productName}. If that was you, open this link within 24 hours:

${link}

The change was requested from the IP address ${ip}. If it was not you, do not open the link.
`,
  }
}

/** Tells the owner, who may be somebody else than the one who is signed in. */
export function emailChangeAskedMail(
  to: Addressee,
  { productName, url }: Installation,
  newEmail: string,
  ip: string,
): Letter {
  const link = `${url}/forgot-password`
  return {
    to: to.email,
    subject: `A new email address for your ${productName} account`,
    link,
    text: `Hello,

Someone who is signed in to your ${productName} account wants to change its email address to ${shown(newEmail)}. The change was requested from the IP address ${ip}. It takes effect when the link that was mailed to the new address is opened.

If it was not you, choose a new password now. That cancels the change: ${link}
`,
  }
}

export function emailChangedMail(
  to: Addressee,
  { productName, url }: Installation,
  newEmail: string,
): Letter {
  const link = url
  return {
    to: to.email,
    subject: `The email address of your ${productName} account was changed`,
    link,
    text: `Hello,

The email address of your ${productName} account is now ${shown(newEmail)}. Emails of ${productName} go there, and you sign in with it.

If it was not you, write to the operator of ${link}.
`,
  }
}

/** An address in a mail to somebody who may not know it: mail programs make no link of it. */
const shown = (email: string): string => email.replace('@', ' at ')

/** What of an account a new password does not change. */
export interface Kept {
  keys: readonly Pick<SshKey, 'name' | 'fingerprint' | 'created_at'>[]
  tokens: readonly Pick<ApiToken, 'name' | 'created_at'>[]
  passkeys: readonly Pick<Passkey, 'name' | 'created_at'>[]
}

/** Tells the owner what a new password does not change: keys and tokens that somebody else may have added. */
export function passwordChangedMail(
  to: Addressee,
  { productName, url }: Installation,
  { keys, tokens, passkeys }: Kept,
): Letter {
  const link = `${url}/ssh-keys`
  // The fingerprint tells a key for sure; a name that could lead away is left out.
  const list = keys.map(
    ({ name, fingerprint, created_at }) =>
      `  ${quotable(name) === null ? '' : `${name}: `}${fingerprint}, added ${created_at}`,
  )
  const aboutKeys =
    keys.length === 0
      ? 'The account has no SSH keys.'
      : `The SSH keys of the account were not changed. Anyone with the private key of one of them can connect to your VMs:

${list.join('\n')}

Delete any key that is not yours: ${link}`
  const tokenList = tokens.map(
    ({ name, created_at }) => `  ${quotable(name) ?? 'A token'}, created ${created_at}`,
  )
  const passkeyList = passkeys.map(
    ({ name, created_at }) => `  ${quotable(name) ?? 'A passkey'}, added ${created_at}`,
  )
  const aboutPasskeys =
    passkeys.length === 0
      ? ''
      : `
The passkeys of the account still work:

${passkeyList.join('\n')}

Remove any passkey that is not yours: ${url}/account
`
  const aboutTokens =
    tokens.length === 0
      ? ''
      : `
The API tokens of the account still work:

${tokenList.join('\n')}

Revoke any token that is not yours: ${url}/account
`
  return {
    to: to.email,
    subject: `Your ${productName} password was changed`,
    link,
    text: `Hello,

The password of your ${productName} account was changed, and all other sessions were signed out.

${aboutKeys}
${aboutTokens}${aboutPasskeys}`,
  }
}
