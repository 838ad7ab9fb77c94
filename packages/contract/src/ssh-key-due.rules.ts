/**
 * When the guest of a VM gets an SSH key that it does not have yet: `soon`, by its agent while it runs; at its next start; or
 * never by Slipway, because nothing in it takes a key.
 */
export const sshKeyDues = ['soon', 'next_start', 'by_hand'] as const
type SshKeyDue = (typeof sshKeyDues)[number]

/** Said of a VM whose guest does not have its SSH key yet. */
export const sshKeyDueText: Record<SshKeyDue, string> = {
  soon: 'being installed',
  next_start: 'from the next start',
  by_hand: 'not installed',
}

/** The same in a sentence, with what to do. */
export const sshKeyDueHint: Record<SshKeyDue, string> = {
  soon: 'The guest is getting the key. Until then, the key from before still works.',
  next_start: 'The guest gets the key when it next starts. Until then, the key from before still works.',
  by_hand:
    'The guest cannot be given the key, because no guest agent answers in it. Add the key to /root/.ssh/authorized_keys in the VM, and remove the key from before.',
}
