/** Said of the address of a VM on a cluster. */
export const insideOnly = 'The IP address answers only inside the cluster.'

/** Said of a suspended VM: with a way in by name, and without one. */
export const resumesText = 'The VM is suspended. The connection starts it and waits until it responds.'
export const suspendedText = 'The VM is suspended. It has an address when it runs again.'

export const sshCopyTexts = {
  copyLabel: 'Copy SSH connection string',
  success: 'SSH connection string copied to clipboard!',
  failure: 'Failed to copy to clipboard.',
} as const
