/** The mail that asks a member to take a project over. It has no words of anybody in it, as invitations do not. */
import { handOverDays } from '@slipway/contract'

export interface Letter {
  to: string
  subject: string
  text: string
  link: string
}

/** @param from - the address of the owner, which is verified */
export function handOverMail(
  to: string,
  from: string,
  projectId: string,
  { productName, url }: { productName: string; url: string },
): Letter {
  const link = `${url}/invitation?project=${projectId}`
  return {
    to,
    subject: `A ${productName} project is to be handed over to you`,
    link,
    text: `Hello,

${from} asks you to become the owner of a project at ${productName} of which you are a member. What is in it will count toward the limits of your account. Open this link within ${handOverDays} days to see the project, and to accept or decline:

${link}

Until you accept, nothing changes.
`,
  }
}
