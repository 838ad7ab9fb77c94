import type { SearchHit } from '@slipway/contract'
import type { ReactNode } from 'react'

/** Something one can choose: a place to go to or a thing to do. */
export interface PaletteItem {
  key: string
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

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Whether a command is meant: every typed word begins one of its words, so that a few letters find few commands. */
export function isMeant({ label, words = '' }: Pick<PaletteItem, 'label' | 'words'>, typed: string): boolean {
  const own = wordsOf(`${label} ${words}`).flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)])
  return wordsOf(typed).every((word) => own.some((begin) => begin.startsWith(word)))
}

/** A text in parts, those that were typed marked. */
export function markedParts(text: string, typed: string): { text: string; marked: boolean }[] {
  const lower = text.toLowerCase()
  const marked = Array.from<boolean>({ length: text.length }).fill(false)
  // Letters whose lower case is longer would shift all that follow.
  if (lower.length === text.length) {
    for (const word of [typed.trim().toLowerCase(), ...wordsOf(typed)]) {
      const at = word === '' ? -1 : lower.indexOf(word)
      if (at >= 0) marked.fill(true, at, at + word.length)
    }
  }
  const parts: { text: string; marked: boolean }[] = []
  for (const [index, isMarked] of marked.entries()) {
    const last = parts.at(-1)
    if (last?.marked === isMarked) last.text += text[index]
    else parts.push({ text: text[index] ?? '', marked: isMarked })
  }
  return parts
}

/** Finds by kind; the kind of the best find comes first. */
export function hitsByKind(hits: readonly SearchHit[]): [SearchHit['kind'], SearchHit[]][] {
  const groups = new Map<SearchHit['kind'], SearchHit[]>()
  for (const hit of hits) groups.set(hit.kind, [...(groups.get(hit.kind) ?? []), hit])
  return [...groups]
}

/** Groups that have something, with their items. */
export const filled = (groups: readonly PaletteGroup[]): PaletteGroup[] =>
  groups.filter(({ items }) => items.length > 0)
