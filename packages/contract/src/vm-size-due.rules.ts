/**
 * When a VM gets the processors and memory that it does not have yet: `soon`, while it runs; or at its next start, because it is to
 * have less, or its guest cannot be given more while it runs.
 */
export const vmSizeDues = ['soon', 'next_start'] as const
type VmSizeDue = (typeof vmSizeDues)[number]

/** Said behind a size that a VM does not have yet. */
export const vmSizeDueText: Record<VmSizeDue, string> = {
  soon: 'soon',
  next_start: 'at the next start',
}
