/** Tells the owner of an account what has changed in how one signs in. */
import type { User } from '@slipway/contract'

/**
 * @param what - a sentence with a full stop, about "your account"
 * @param ip - from where it was done; null: by an operator
 */
export function factorMail(
  to: Pick<User, 'email'>,
  { productName, url }: { productName: string; url: string },
  { subject, what }: { subject: string; what: string },
  ip: string | null,
) {
  const link = `${url}/account`
  return {
    to: to.email,
    subject: `${subject}: your ${productName} account`,
    link,
    text: `Hello,

${what}${ip === null ? '' : ` This was done from the IP address ${ip}.`}

If it was not you${ip === null ? ' who asked for it' : ''}, choose a new password now, at ${url}/forgot-password, and look through your account: ${link}
`,
  }
}
