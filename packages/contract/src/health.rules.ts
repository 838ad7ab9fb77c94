export const healthTexts = {
  refused: 'Only administrators (SLIPWAY_ADMINS) can read the health of the server',
} as const
