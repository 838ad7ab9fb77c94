/** What the bin takes and keeps. */
import { formatGb } from './quota.rules.ts'
import { cutToFit } from './text.rules.ts'
import type { vmStatuses } from './vm.rules.ts'

/** What goes to the bin when somebody deletes it, by the words of events and of the activity log. */
export const binKinds = ['vm', 'disk', 'vm_snapshot', 'disk_snapshot', 'vm_pool', 'vm_set'] as const
export type BinKind = (typeof binKinds)[number]

/** Each kind as sentences have it. */
export const binNouns: Readonly<Record<BinKind, string>> = {
  vm: 'VM',
  disk: 'disk',
  vm_snapshot: 'snapshot',
  disk_snapshot: 'disk snapshot',
  vm_pool: 'VM pool',
  vm_set: 'VM set',
}

/** Days that deleted objects are kept unless the settings of the server say otherwise; 0: none. */
export const binDaysDefault = 7

/** How many items a call to empty the bin names at most. */
export const binEmptyLimit = 1000

export const binTexts = {
  nothingChosen: 'Name the ids of what to delete for good, or a time before which it was deleted',
  tooManyIds: `Name at most ${binEmptyLimit} ids`,
  beforeInvalid: 'Name the time as ISO 8601 in UTC, such as 2026-11-27T20:00:00Z',
  sharesEnded: 'Its shared ports ended when it was deleted. Share them again.',
  membersSharesEnded: 'Shared ports of its VMs ended when it was deleted. Share them again.',
  membersDisksFree:
    'Disks that were attached to its VMs and not made for them are available. Attach them again.',
  membersSourceGone: 'The snapshot that its VMs are made of was deleted: no new VMs can be created in it.',
  bootsAnew: 'Its memory was not kept. It starts by booting.',
} as const

export const binDaysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

/** Why something in the bin is kept no more: its time is over, or the bin has no room for it. */
export function notKeptText(item: {
  deleted_at: string
  delete_at: string
  leaves_why: string | null
}): string {
  const days = Math.round((Date.parse(item.delete_at) - Date.parse(item.deleted_at)) / 86_400_000)
  return item.leaves_why ?? `It was in the bin for ${binDaysText(days)}.`
}

/** What the bin of an account keeps at most, as sentences have it: `10 GB`, `5 VMs`, `10 GB and 5 VMs`. */
export function binLimitText({ bytes, vms }: { bytes: number | null; vms: number | null }): string {
  const ofVms = vms === null ? [] : [vms === 1 ? '1 VM' : `${vms} VMs`]
  return [...(bytes === null ? [] : [formatGb(bytes)]), ...ofVms].join(' and ')
}

interface BinEffect {
  limit_bytes: number | null
  limit_vms: number | null
  fits: boolean
  pushes_out: number
}

/**
 * What the question before a deletion says of the limits of the bin; null where nothing is lost by it.
 *
 * @param they the subject of the sentence, such as `The VM`
 */
export function binEffectText(
  { limit_bytes, limit_vms, fits, pushes_out: count }: BinEffect,
  { they, isMany }: { they: string; isMany: boolean },
): string | null {
  const limit = binLimitText({ bytes: limit_bytes, vms: limit_vms })
  const keeps = `the bin keeps at most ${limit} of the account that owns this project`
  if (!fits)
    return isMany
      ? `Not all of them fit in the bin: ${keeps}. Those that are deleted first are deleted for good.`
      : `${they} does not fit in the bin: ${keeps}. It is deleted for good and cannot be restored.`
  if (count === 0) return null
  const what = count === 1 ? 'the oldest object in the bin is' : `the ${count} oldest objects in the bin are`
  return `To make room, ${what} deleted for good: ${keeps}.`
}

/** Why an entry of the activity log tells of a deletion that can be undone. */
export const keptText = (days: number): string => `It is kept in the bin for ${binDaysText(days)}.`

const neverReady: readonly string[] = [
  'creating',
  'provisioning',
  'failed',
] satisfies (typeof vmStatuses)[number][]

/** Whether a VM in this status goes to the bin when it is deleted: one that was never ready holds nothing. */
export const vmGoesToBin = ({ status }: { status: string }): boolean =>
  !neverReady.includes(status.toLowerCase())

/** Whether a disk or a snapshot does: what could not be created holds nothing. */
export const storageGoesToBin = ({ status }: { status: string }): boolean => status.toLowerCase() !== 'failed'

/** The name that something gets when it comes back: its own, or the first with a number that nobody has. */
export function nameBack(name: string, taken: Iterable<string>, longest: number): string {
  const names = new Set(taken)
  if (!names.has(name)) return name
  for (let number = 2; ; number++) {
    const end = `-${number}`
    const other = `${cutToFit(name, longest - end.length).trimEnd()}${end}`
    if (!names.has(other)) return other
  }
}
