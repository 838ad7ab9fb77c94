export const healthTexts = {
  refused: 'Only those named in SLIPWAY_ADMINS may read the health of the server',
} as const
