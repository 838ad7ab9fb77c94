export const sshCopyTexts = {
  copyLabel: 'Copy SSH connection string',
  success: 'SSH connection string copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const
