/** What the bin takes and keeps. */
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
    const other = `${cutTo(name, longest - end.length)}${end}`
    if (!names.has(other)) return other
  }
}

/** The beginning of a text, without half a character at its end. */
const cutTo = (text: string, length: number): string => {
  const cut = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}
