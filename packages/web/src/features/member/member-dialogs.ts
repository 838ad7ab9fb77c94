/** By their names in the URL. */
export const memberDialogs = {
  invite: 'invite-member',
  role: 'change-role',
  remove: 'remove-member',
  handOver: 'hand-over-project',
  withdrawHandOver: 'withdraw-hand-over',
  leave: 'leave-project',
  withdraw: 'withdraw-invitation',
} as const
