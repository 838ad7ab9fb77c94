/** The mails about the deletion of an account, to its owner, who may be somebody else than the one who is signed in. */
import { deletionDays, type User } from '@slipway/contract'

type Addressee = Pick<User, 'name' | 'email'>

interface Installation {
  productName: string
  /** Public URL, without a trailing slash. */
  url: string
}

/**
 * @param deleteAt - ISO 8601
 * @param ip - from where it was requested
 */
export function deletionRequestedMail(
  to: Addressee,
  { productName, url }: Installation,
  deleteAt: string,
  ip: string,
) {
  const link = `${url}/signin`
  return {
    to: to.email,
    subject: `Your ${productName} account is being deleted`,
    link,
    text: `Hello,

Someone who knows the password of your ${productName} account requested its deletion, from the IP address ${ip}. The account, its projects and everything in them are deleted after ${deletionDays} days, on ${deleteAt.slice(0, 10)} (UTC).

Until then everything is stopped and nothing is lost. To keep the account, sign in and press “Keep My Account”:

${link}

If it was not you, keep the account and choose a new password.
`,
  }
}

export function accountKeptMail(to: Addressee, { productName, url }: Installation) {
  return {
    to: to.email,
    subject: `Your ${productName} account is kept`,
    link: url,
    text: `Hello,

Your ${productName} account is not deleted. Its VMs are stopped; start those that you need: ${url}

API tokens of the account were revoked. If it was not you who kept the account, choose a new password.
`,
  }
}

export function accountDeletedMail(to: Addressee, { productName, url }: Installation) {
  return {
    to: to.email,
    subject: `Your ${productName} account was deleted`,
    link: url,
    text: `Hello,

Your account at ${url} was deleted, with its projects and everything in them. This is the last email about it.
`,
  }
}
