/** The mail that invites somebody. Whoever invites can name anybody's address, so it has no words of theirs in it. */
import { invitationDays, type MemberRole } from '@slipway/contract'

export interface Letter {
  to: string
  subject: string
  text: string
  link: string
}

/** @param inviter - the address of who invites, which is verified */
export function invitationMail(
  to: { email: string; role: MemberRole },
  inviter: string,
  { productName, url, canSignUp }: { productName: string; url: string; canSignUp: boolean },
  token: string,
): Letter {
  const link = `${url}/invitation?token=${token}`
  return {
    to: to.email,
    subject: `Invitation to a ${productName} project`,
    link,
    text: `Hello,

${inviter} invites you to a project at ${productName} as ${to.role}. Open this link within ${invitationDays} days, signed in with this email address, to see the project and accept:

${link}

${canSignUp ? `If you have no account at ${productName} yet, create one with this email address first. ` : ''}If you do not know who invites you, ignore this email: nothing happens until you accept.
`,
  }
}
