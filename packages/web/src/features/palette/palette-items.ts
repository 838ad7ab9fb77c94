import { foldForSearch, type SearchHit, searchWords } from '@slipway/contract'
import type { ReactNode } from 'react'

/** Something one can choose: a place to go to or a thing to do. */
export interface PaletteItem {
  key: string
  /** Of a search, as opposed to a command or a recent object. */
  isResult?: boolean
  label: string
  /** Quieter, behind the label. */
  detail?: string | undefined
  /** Other words under which it is looked for. */
  words?: string
  icon: ReactNode
  /** Of an object. */
  status?: string | undefined
  /** Why it cannot be done now. */
  disabledReason?: string | undefined
  run: () => void
}

export interface PaletteGroup {
  label: string
  items: PaletteItem[]
}

/** Whether a command is meant: every typed word begins one of its words, so that a few letters find few commands. */
export function isMeant({ label, words = '' }: Pick<PaletteItem, 'label' | 'words'>, typed: string): boolean {
  const own = searchWords(`${label} ${words}`).flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)])
  return searchWords(typed).every((word) => own.some((begin) => begin.startsWith(word)))
}

/** A text in parts, those that were typed marked, letter case and accents aside. */
export function markedParts(text: string, typed: string): { text: string; marked: boolean }[] {
  // Folded letters can be more or fewer than those of the text: each remembers which one it was.
  const letters = [...text]
  const folded = letters.map(foldForSearch)
  const origin = folded.flatMap((letter, index) => Array.from<number>({ length: letter.length }).fill(index))
  const searched = folded.join('')
  const marked = new Set<number>()
  for (const word of [foldForSearch(typed.trim()), ...searchWords(typed)]) {
    const at = word === '' ? -1 : searched.indexOf(word)
    if (at >= 0) for (const index of origin.slice(at, at + word.length)) marked.add(index)
  }
  const parts: { text: string; marked: boolean }[] = []
  for (const [index, letter] of letters.entries()) {
    const last = parts.at(-1)
    if (last?.marked === marked.has(index)) last.text += letter
    else parts.push({ text: letter, marked: marked.has(index) })
  }
  return parts
}

/** Results by kind; the kind of the best result comes first. */
export function hitsByKind(hits: readonly SearchHit[]): [SearchHit['kind'], SearchHit[]][] {
  const groups = new Map<SearchHit['kind'], SearchHit[]>()
  for (const hit of hits) groups.set(hit.kind, [...(groups.get(hit.kind) ?? []), hit])
  return [...groups]
}

/** Groups that have something, with their items. */
export const filled = (groups: readonly PaletteGroup[]): PaletteGroup[] =>
  groups.filter(({ items }) => items.length > 0)

/** Results of a search, and the text they were found for. */
export interface Found {
  text: string
  hits: readonly SearchHit[]
}

/**
 * The results that belong to the text in the field. Those found for an earlier text stay only if they would be found
 * for this one as well, so that the list neither shows what is not meant nor empties at every letter.
 */
export function hitsOf(text: string, found: Found): readonly SearchHit[] {
  if (text === '') return []
  if (text === found.text) return found.hits
  const folded = foldForSearch(text)
  return found.hits.filter(({ id, name }) => id === text || foldForSearch(name).includes(folded))
}

/**
 * Whether Enter has to wait for the search: what it would open, if anything, is a result of an earlier text, and the
 * results of this one may begin with another. Commands depend on the text alone, so they need not wait.
 */
export function mustWait(highlighted: { isResult: boolean } | null, isSearching: boolean): boolean {
  return isSearching && (highlighted === null || highlighted.isResult)
}
