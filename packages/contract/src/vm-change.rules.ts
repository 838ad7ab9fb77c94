/** What can be changed of a VM that is there. Pages that only show VMs do not load it. */
import { diskSizeLimitGi } from './quantity.ts'

/** The longest note, in UTF-16 units: lists have the notes of all VMs. */
export const noteLimit = 500
/** So many tags a VM may have. */
export const tagsPerVm = 16
/** The longest tag, in UTF-16 units. */
export const tagLimit = 32

/** Processors that a VM may have. */
export const vmCpuRange = { min: 1, max: 64 } as const
/** Memory that a VM may have, in megabytes. */
export const vmMemoryRangeMb = { min: 128, max: 262_144 } as const
/** Sizes that the root disk of a VM may have, in whole Gi. */
export const rootDiskRangeGb = { min: 1, max: diskSizeLimitGi } as const

export const vmChangeTexts = {
  nothing: 'Name at least one thing to change',
  note: `Use at most ${noteLimit} characters for the note, and no control characters`,
  tag: `Use letters, digits and . _ : / - for a tag, without capitals, at most ${tagLimit} characters, and begin with a letter or digit`,
  tooManyTags: `Use at most ${tagsPerVm} tags`,
  protection: 'Say true or false for the protection against deletion',
  persistent: 'Say true or false for persistent storage',
  cpu: `Enter a whole number of processors from ${vmCpuRange.min} to ${vmCpuRange.max}`,
  memory: `Enter a whole number of megabytes from ${vmMemoryRangeMb.min} to ${vmMemoryRangeMb.max}`,
  rootDisk: `Enter a whole number of GB from ${rootDiskRangeGb.min} to ${rootDiskRangeGb.max} for the root disk`,
  ofGroup: 'The name, size, storage and SSH key of this VM come from the pool or set that it is part of',
} as const

/** Why a new VM cannot have a root disk of a size: what its template starts from fills so much. API documents name no number. */
export const rootDiskTooSmall = (leastGb: number | '<n>'): string =>
  `The root disk of this template has ${leastGb} GB. Enter at least ${leastGb}, or leave the size out.`

/** Whether a text may be a tag as it stands. */
export const isTag = (text: string): boolean =>
  text.length <= tagLimit &&
  /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/-]*$/u.test(text) &&
  text === text.toLowerCase()

/** The tags that somebody typed, separated by commas or spaces; each once, in the order of the alphabet. */
export const tagsIn = (typed: string): string[] =>
  sortedTags(
    typed
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  )

/** Tags as they are kept: each once, in an order that is the same everywhere. */
export const sortedTags = (tags: readonly string[]): string[] =>
  [...new Set(tags)].sort((a, b) => (a < b ? -1 : 1))

/** A note as it is kept: trimmed, lines ended by one character. */
export const tidyNote = (note: string): string => note.replace(/\r\n?/g, '\n').trim()

/** What asks for what a VM has of a pool or set. */
interface GroupedChange {
  name?: string | undefined
  cpu?: number | undefined
  memory_mb?: number | undefined
  root_disk_gb?: number | undefined
  persistent?: boolean | undefined
  ssh_key_id?: string | undefined
}

/** Whether a change may be made to a VM of a pool or set: `true`, or the sentence that says why not. */
export const memberAllows = ({
  name,
  cpu,
  memory_mb,
  root_disk_gb,
  persistent,
  ssh_key_id,
}: GroupedChange): true | string =>
  [name, cpu, memory_mb, root_disk_gb, persistent, ssh_key_id].every((one) => one === undefined) ||
  vmChangeTexts.ofGroup
