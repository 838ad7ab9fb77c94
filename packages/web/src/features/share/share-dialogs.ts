/** The dialogs of shared ports by their names in the URL. */
export const shareDialogs = {
  create: 'share-port',
  change: 'change-share',
  stop: 'stop-sharing',
} as const
