/** The mails that an account gets. */
import type { SshKey, User } from '@slipway/contract'

interface Letter {
  to: string
  subject: string
  text: string
}

type Addressee = Pick<User, 'name' | 'email'>

/** What mails say of the installation. `url` is its public URL, without a trailing slash. */
export interface Installation {
  productName: string
  url: string
}

/** @param ip - from where the link was requested */
export function verificationMail(
  to: Addressee,
  { productName, url }: Installation,
  token: string,
  ip: string,
): Letter {
  return {
    to: to.email,
    subject: `Verify your ${productName} e-mail address`,
    text: `Hello ${to.name},

Open this link within 24 hours to verify your e-mail address:

${url}/verify-email?token=${token}

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
  return {
    to: to.email,
    subject: `Reset your ${productName} password`,
    text: `Hello ${to.name},

Open this link within one hour to choose a new password:

${url}/reset-password?token=${token}

The link was requested from the IP address ${ip}. If you did not ask for it, ignore this message; your password stays as it is.
`,
  }
}

/** Tells the owner what a new password does not change: keys that somebody else may have added. */
export function passwordChangedMail(
  to: Addressee,
  { productName, url }: Installation,
  keys: readonly Pick<SshKey, 'name' | 'fingerprint' | 'created_at'>[],
): Letter {
  const list = keys.map(
    ({ name, fingerprint, created_at }) => `  ${name}: ${fingerprint}, added ${created_at}`,
  )
  const aboutKeys =
    keys.length === 0
      ? 'The account has no SSH keys.'
      : `The account keeps its SSH keys, and anyone who holds one of them can connect to your VMs:

${list.join('\n')}

Delete those that are not yours: ${url}/ssh-keys`
  return {
    to: to.email,
    subject: `Your ${productName} password was changed`,
    text: `Hello ${to.name},

The password of your ${productName} account was changed, and all its sessions were ended.

${aboutKeys}
`,
  }
}
