/** Said of the address of a VM on a cluster. */
export const insideOnly = 'The IP address answers only inside the cluster.'

export const sshCopyTexts = {
  copyLabel: 'Copy SSH connection string',
  success: 'SSH connection string copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const
