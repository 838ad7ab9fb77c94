/** What the owner of an account is told when a way to sign in comes or goes. */

interface Letter {
  to: string
  subject: string
  text: string
  link: string
}

/** `label`: what the provider is called. `url`: the console, without a slash at the end. */
export function identityMail(
  to: string,
  { productName, url }: { productName: string; url: string },
  label: string,
  what: 'linked' | 'unlinked',
): Letter {
  const link = `${url}/account`
  const [subject, sentence] = {
    linked: [
      `${label} can now sign you in to ${productName}`,
      `An identity at ${label} was linked to your ${productName} account and can sign in to it.`,
    ],
    unlinked: [
      `${label} can no longer sign you in to ${productName}`,
      `The identity at ${label} was unlinked from your ${productName} account.`,
    ],
  }[what]
  return {
    to,
    subject: subject ?? '',
    link,
    text: `Hello,

${sentence}

If it was not you, check the linked identities and the sessions of your account now: ${link}
`,
  }
}
