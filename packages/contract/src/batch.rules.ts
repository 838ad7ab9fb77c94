/** What is done to many objects at once: a batch makes the same call for each of them. Pages load no schema for it. */
import { cutToFit, nameLimit } from './text.rules.ts'
import { sortedTags } from './vm-change.rules.ts'

/**
 * The calls that a batch can make, by their names, with the kind of object whose ids it takes. `vm.update` changes tags, and
 * nothing else.
 */
export const batchActions = {
  'vm.start': 'vm',
  'vm.stop': 'vm',
  'vm.update': 'vm',
  'vm.delete': 'vm',
  'vmSnapshot.create': 'vm',
  'vmSnapshot.delete': 'vm_snapshot',
  'disk.delete': 'disk',
  'diskSnapshot.create': 'disk',
  'diskSnapshot.delete': 'disk_snapshot',
  'vmPool.delete': 'vm_pool',
  'vmSet.delete': 'vm_set',
} as const
export type BatchAction = keyof typeof batchActions
/** The kind of the objects of a batch. */
export type BatchObject = (typeof batchActions)[BatchAction]

/** How many objects a batch takes. */
export const batchLimit = 1000
/** How long a batch is kept once it has ended, in days. */
export const batchDays = 7

/** `done`: the call was accepted, as a single one would have been; its effect may still be under way. */
export const batchItemStates = ['waiting', 'done', 'failed', 'left_out'] as const
export type BatchItemState = (typeof batchItemStates)[number]

export const batchTexts = {
  actionInvalid: `Use one of these actions: ${Object.keys(batchActions).join(', ')}`,
  idsMissing: 'Name at least one id',
  tooManyIds: `Name at most ${batchLimit} ids`,
  idTwice: 'Name each id once',
  noTags: 'Name at least one tag to add or to remove',
  tagBoth: 'Name no tag both to add and to remove',
  forGoodInvalid: 'Use true to delete for good, or false to keep everything in the bin',
  keptInBin: 'It went to the bin in the meantime. Delete it for good there.',
  ended: 'This batch has already ended',
  notMember: 'Whoever requested this is no longer a member of the project.',
  accountGone: 'The account that requested this was disabled or deleted.',
  broken: 'The server could not do this. Try it again for this object alone.',
} as const

const shown = 3

/** Said of ids that are not there, or not in this project. */
export const unknownIds = (ids: readonly string[]): string =>
  `Not found in this project: ${ids.slice(0, shown).join(', ')}${
    ids.length > shown ? ` and ${ids.length - shown} more` : ''
  }`

/** The name of one of many snapshots: `{name}` in it is replaced by the name of what it is taken of. */
export const batchSnapshotName = (wanted: string, of: string): string =>
  cutToFit(
    wanted.replaceAll('{name}', () => of),
    nameLimit,
  ).trimEnd()

/** The tags of a VM after some were added and others removed. */
export const changedTags = (
  tags: readonly string[],
  { add_tags, remove_tags }: { add_tags: readonly string[]; remove_tags: readonly string[] },
): string[] => sortedTags([...tags, ...add_tags]).filter((tag) => !remove_tags.includes(tag))

export interface BatchCounts {
  total: number
  waiting: number
  done: number
  failed: number
  left_out: number
}

const nouns: Record<BatchObject, string> = {
  vm: 'VM',
  disk: 'disk',
  vm_snapshot: 'snapshot',
  disk_snapshot: 'snapshot',
  vm_pool: 'pool',
  vm_set: 'set',
}

const verbs: Record<BatchAction, string> = {
  'vm.start': 'Start',
  'vm.stop': 'Stop',
  'vm.update': 'Change the tags of',
  'vm.delete': 'Delete',
  'vmSnapshot.create': 'Take snapshots of',
  'vmSnapshot.delete': 'Delete',
  'disk.delete': 'Delete',
  'diskSnapshot.create': 'Take snapshots of',
  'diskSnapshot.delete': 'Delete',
  'vmPool.delete': 'Delete',
  'vmSet.delete': 'Delete',
}

/** `3 VMs`. */
export const batchObjectCount = (action: BatchAction, n: number): string =>
  `${n} ${nouns[batchActions[action]]}${n === 1 ? '' : 's'}`

/** `Stop 30 VMs`, `Delete 2 disks for good`. */
export const batchTitle = (action: BatchAction, total: number, forGood = false): string =>
  `${verbs[action]} ${batchObjectCount(action, total)}${forGood ? ' for good' : ''}`

/** How far a batch is, in words: `27 of 30 requested, 3 failed`. */
export function batchSummary({ total, done, failed, left_out }: BatchCounts): string {
  const parts = [
    `${done} of ${total} requested`,
    failed > 0 && `${failed} failed`,
    left_out > 0 && `${left_out} left out`,
  ]
  return parts.filter(Boolean).join(', ')
}
