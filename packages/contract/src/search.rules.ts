/** What can be found. */
export const searchKinds = ['project', 'vm', 'vm_pool', 'vm_set', 'disk', 'template'] as const

/** How many are found at most. */
export const searchLimit = 30

/**
 * A text as searches compare it: without regard to letter case, to accents and to the form a letter was typed in, so
 * that `ecole` finds `École` and the other way round.
 */
export function foldForSearch(text: string): string {
  // Most names are plain, and there are thousands of them.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  // By way of capitals, as `ß` is `SS` there; the sigma at the end of a word is a letter like the others.
  return withoutAccents(withoutAccents(text.toUpperCase()).toLowerCase()).replaceAll('ς', 'σ')
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
