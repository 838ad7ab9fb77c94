/** What can be found. */
export const searchKinds = ['project', 'vm', 'vm_pool', 'vm_set', 'disk', 'template'] as const

/** How many are found at most. */
export const searchLimit = 30

/**
 * A text as searches compare it: without regard to letter case, to accents and to the form a letter was typed in, so
 * that `ecole` finds `École` and the other way round. Sign by sign, so that a part of a text folds as it does within.
 */
export function foldForSearch(text: string): string {
  // Most names are plain, and there are thousands of them.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  let folded = ''
  for (const sign of text) folded += sign < '\u0080' ? sign.toLowerCase() : foldSign(sign)
  return folded
}

/** What signs fold to; finding that out takes far longer than looking it up. */
const known = new Map<string, string>()
const knownAtMost = 5000

function foldSign(sign: string): string {
  const found = known.get(sign)
  if (found !== undefined) return found
  // Small, then by way of capitals: `ẞ` is `ß`, which is `SS` only there, and the last sigma of a word is one like others.
  const capitals = sign.normalize('NFKD').toLowerCase().toUpperCase()
  const folded = withoutAccents(capitals.toLowerCase())
  if (known.size >= knownAtMost) known.clear()
  known.set(sign, folded)
  return folded
}

const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')

/** The words of what was typed into a search, folded. */
export const searchWords = (search: string): string[] => foldForSearch(search).split(/\s+/).filter(Boolean)

/** Whether a search means a thing: every word of it occurs somewhere in the texts that the thing shows. */
export function isFoundIn(search: string, ...texts: readonly (string | null)[]): boolean {
  const words = searchWords(search)
  if (words.length === 0) return true
  const shown = foldForSearch(texts.join('\n'))
  return words.every((word) => shown.includes(word))
}
