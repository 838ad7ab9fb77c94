import { keygenCommand } from '@slipway/contract'

/** Props of the code line that offers the command that makes a key. */
export const keygenCopy = {
  code: keygenCommand,
  copyLabel: 'Copy SSH key generation command',
  success: 'SSH key generation command copied to clipboard!',
  failure: 'Failed to copy command',
} as const
