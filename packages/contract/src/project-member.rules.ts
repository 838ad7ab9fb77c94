import type { ProjectRole } from './access.rules.ts'

/** What somebody can be invited as, or made: there is one owner, who hands the project over. */
export const memberRoles = ['viewer', 'operator'] as const satisfies readonly ProjectRole[]
export type MemberRole = (typeof memberRoles)[number]

/** What each role may do, in a sentence for those who choose one. */
export const roleTexts: Readonly<Record<ProjectRole, string>> = {
  viewer: 'Sees everything but secrets: no consoles, no SSH, no links of shared ports.',
  operator:
    'Also creates, changes and deletes VMs, disks and what belongs to them, opens consoles and SSH, and shares ports.',
  owner: 'Also invites and removes members, sets Internet access, and deletes or hands over the project.',
}

/** Members and open invitations that a project has at most. */
export const membersPerProject = 100

/** How long an invitation can be accepted. */
export const invitationDays = 7

export const projectMemberTexts = {
  notFound: 'Member not found',
  invitationNotFound: 'Invitation not found',
  roleMissing: 'Please choose a role',
  ownerStays: 'The owner stays until the project is handed over to another member.',
  alreadyMember: 'This address belongs to a member of the project already.',
  tooMany: `A project has at most ${membersPerProject} members and open invitations.`,
  invitationOver: 'This invitation is not valid any more. Ask the owner of the project for a new one.',
  otherAddress: 'This invitation was sent to another email address. Sign in with that address to accept it.',
} as const
