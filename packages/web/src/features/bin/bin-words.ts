import { type BinItem, type BinKind, binNouns, formatGb } from '@slipway/contract'

/** Of many only the first: a row is no list. */
function listOf(disks: BinItem['disks']): string {
  const [some, more] = [disks.slice(0, 3).map(({ name }) => name), disks.length - 3]
  return more > 0 ? `${some.join(', ')} and ${more} more` : some.join(', ')
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** `VM`, `Disk snapshot`: at the beginning of a line. */
export const kindText = (kind: BinKind): string =>
  binNouns[kind].charAt(0).toUpperCase() + binNouns[kind].slice(1)

/** What belongs to something in the bin, in sentences; empty for what stands alone. */
export function alongText({ disks, attached_disks, ended_shares, has_memory }: BinItem): string {
  const sentences = [
    disks.length > 0 &&
      `${count(disks.length, 'disk')} ${disks.length === 1 ? 'is' : 'are'} in the bin with it: ${listOf(disks)}.`,
    attached_disks > 0 &&
      `${count(attached_disks, 'attached disk')} ${attached_disks === 1 ? 'was' : 'were'} kept, and ${
        attached_disks === 1 ? 'is' : 'are'
      } attached again if still available.`,
    ended_shares > 0 &&
      `${count(ended_shares, 'shared port')} ended and ${ended_shares === 1 ? 'does' : 'do'} not come back.`,
    has_memory === true && 'It goes on from its saved memory.',
  ]
  return sentences.filter(Boolean).join(' ')
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
