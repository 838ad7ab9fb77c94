/** By their names in the URL. */
export const memberDialogs = {
  invite: 'invite-member',
  role: 'change-role',
  remove: 'remove-member',
  handOver: 'hand-over-project',
  leave: 'leave-project',
  withdraw: 'withdraw-invitation',
} as const
