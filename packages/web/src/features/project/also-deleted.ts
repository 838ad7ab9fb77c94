const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** What goes with a project beside its VMs: `Its 2 disks and 1 VM snapshot are deleted, too.` Null when nothing does. */
export function alsoDeleted(counts: Record<string, number>): string | null {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${count === 1 ? word : pluralOf(word)}`)
  if (parts.length === 0) return null
  const one = parts.length === 1 && parts[0]?.startsWith('1 ')
  return `Its ${list.format(parts)} ${one ? 'is' : 'are'} deleted, too.`
}

/** `objects in the bin` for `object in the bin`. */
const pluralOf = (word: string): string => {
  const [noun = '', ...rest] = word.split(/ (?=in )/)
  return [`${noun}s`, ...rest].join(' ')
}
