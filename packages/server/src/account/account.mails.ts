import { hasHiddenCharacters } from '@slipway/contract'

/** What mail programs make links of, or people take for one. */
const likeALink = /[:/\\@]|www|\p{L}\.\p{L}{2}/iu

/** A name that may stand in a mail to somebody who may never have seen it; null for one that could lead them away. */
const quotable = (name: string): string | null =>
  likeALink.test(name) || hasHiddenCharacters(name) ? null : name

/**
 * The mail with a link for an account. Whoever signs up can name anybody's address, so the mail says whose words the
 * name is, and has no link but ours.
 */
export function linkMail(
  purpose: 'verify' | 'reset',
  {
    account,
    link,
    productName,
  }: { account: { name: string; email: string }; link: string; productName: string },
) {
  if (purpose === 'reset') {
    return {
      to: account.email,
      subject: `Reset your ${productName} password`,
      link,
      text: `Hello,\n\nOpen this link within one hour to choose a new password:\n\n${link}\n\nIf you did not ask for this, ignore this message; your password stays as it is.\n`,
    }
  }
  const name = quotable(account.name)
  const who = name === null ? 'Somebody' : `Somebody who gave the name “${name}”`
  return {
    to: account.email,
    subject: `Verify your ${productName} e-mail address`,
    link,
    text: `Hello,\n\n${who} created an account at ${productName} with this e-mail address. If that was you, open this link within 24 hours to verify the address:\n\n${link}\n\nIf you did not create an account at ${productName}, ignore this message.\n`,
  }
}
