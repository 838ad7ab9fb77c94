import { type BinItem, type BinKind, binKinds, binNouns, formatGb, type Quota } from '@slipway/contract'

/** Of many only the first: a row is no list. */
function listOf(all: BinItem['disks']): string {
  const [some, more] = [all.slice(0, 3).map(({ name }) => name), all.length - 3]
  return more > 0 ? `${some.join(', ')} and ${more} more` : some.join(', ')
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** `VM`, `Disk snapshot`: at the beginning of a line. */
export const kindText = (kind: BinKind): string =>
  binNouns[kind].charAt(0).toUpperCase() + binNouns[kind].slice(1)

/** How full the bin of an account is, after another sentence; empty where it has no limit. */
export function binUseText({ bin_bytes: { used, limit }, vms }: Pick<Quota, 'bin_bytes' | 'vms'>): string {
  const goes = 'the oldest is deleted for good when something newer needs the room'
  if (limit !== null)
    return ` The account has ${formatGb(used)} in its bin, of at most ${formatGb(limit)}: ${goes}.`
  return vms.limit === null ? '' : ` The bin keeps at most ${count(vms.limit, 'VM')} of the account: ${goes}.`
}

/** What belongs to something in the bin, in sentences; empty for what stands alone. */
export function alongText({ vms, disks, attached_disks, ended_shares, has_memory, kind }: BinItem): string {
  const isGroup = kind === 'vm_pool' || kind === 'vm_set'
  const sentences = [
    vms.length > 0 &&
      `${count(vms.length, 'VM')} ${vms.length === 1 ? 'is' : 'are'} in the bin with it: ${listOf(vms)}.`,
    disks.length > 0 &&
      `${count(disks.length, 'disk')} ${disks.length === 1 ? 'is' : 'are'} in the bin with it: ${listOf(disks)}.`,
    attached_disks > 0 &&
      isGroup &&
      `${count(attached_disks, 'attached disk')} ${attached_disks === 1 ? 'was' : 'were'} kept and detached.`,
    attached_disks > 0 &&
      !isGroup &&
      `${count(attached_disks, 'attached disk')} ${attached_disks === 1 ? 'was' : 'were'} kept, and ${
        attached_disks === 1 ? 'is' : 'are'
      } attached again if still available.`,
    ended_shares > 0 &&
      `${count(ended_shares, 'shared port')} ended and ${ended_shares === 1 ? 'does' : 'do'} not come back.`,
    has_memory === true && 'It goes on from its saved memory.',
  ]
  return sentences.filter(Boolean).join(' ')
}

/** What is deleted for good with something in the bin, after its name; empty: nothing. */
export function goesAlongText({ vms, disks }: Pick<BinItem, 'vms' | 'disks'>): string {
  const parts = [
    vms.length > 0 && (vms.length === 1 ? 'the VM' : `the ${vms.length} VMs`),
    disks.length > 0 && (disks.length === 1 ? 'the disk' : `the ${disks.length} disks`),
  ].filter(Boolean)
  if (parts.length === 0) return ''
  return parts.length === 1
    ? ` and ${parts[0]} in the bin with it`
    : `, ${parts.join(' and ')} in the bin with it`
}

const conjunction = new Intl.ListFormat('en', { type: 'conjunction' })

/** What all of these are, with what is in the bin with them: `3 VMs, 1 VM pool, and 2 disks`. */
export function contentsText(items: readonly Pick<BinItem, 'kind' | 'vms' | 'disks'>[]): string {
  const counts = new Map<BinKind, number>(binKinds.map((kind) => [kind, 0]))
  const add = (kind: BinKind, n: number) => counts.set(kind, (counts.get(kind) ?? 0) + n)
  for (const { kind, vms, disks } of items) {
    add(kind, 1)
    add('vm', vms.length)
    add('disk', disks.length)
  }
  const parts = [...counts].filter(([, n]) => n > 0).map(([kind, n]) => count(n, binNouns[kind]))
  return conjunction.format(parts)
}

/** What came of emptying the bin of so many objects. */
export function emptiedText(asked: number, deleted: number): { text: string; detail: string | null } {
  const rest = asked - deleted
  return {
    text: `Deleted ${count(deleted, 'object')} for good`,
    detail:
      rest === 0
        ? null
        : `${count(rest, 'object')} ${rest === 1 ? 'was' : 'were'} restored or deleted in the meantime.`,
  }
}

/** What it takes; nothing where that is not measured. */
export const sizeText = ({ bytes }: Pick<BinItem, 'bytes'>): string =>
  bytes === 0 ? 'Not measured' : bytes < 0.05 * 1024 ** 3 ? 'Less than 0.1 GB' : formatGb(bytes)

/** Newest first, and those whose name or kind has the words of a search. */
export function shownItems(items: readonly BinItem[], search: string): BinItem[] {
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean)
  return items
    .filter(({ name, kind }) => {
      const text = `${name} ${binNouns[kind]}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) =>
      a.deleted_at === b.deleted_at ? (a.id < b.id ? 1 : -1) : a.deleted_at < b.deleted_at ? 1 : -1,
    )
}
