/** Objects of one kind in memory, trimmed, with indexes. Each knows its version, so that nothing older takes it back. */
import { isNewer } from './objects.ts'

/** Told after the change: what was known under this key before, and what is now. */
export type Listener<T> = (key: string, before: T | null, now: T | null) => void

interface Entry<T> {
  version: string
  value: T
}

export type Indexes<T, I extends string> = Record<I, (value: T) => readonly string[]>

export interface ObjectStore<T, I extends string> {
  get(key: string): T | null
  all(): T[]
  /** All that the index puts under this word. */
  by(index: I, word: string): T[]
  size(): number
  /** Keeps it unless something as new is known: then it is not even made. */
  put(key: string, version: string, make: () => T): void
  /** Forgets it unless something newer than `version` is known. */
  remove(key: string, version: string): void
  keys(): IterableIterator<string>
}

export function makeObjectStore<T, I extends string>(
  indexes: Indexes<T, I>,
  tell: Listener<T>,
): ObjectStore<T, I> {
  const entries = new Map<string, Entry<T>>()
  const indexed = new Map<string, Map<string, Set<string>>>()
  const wordsOf = Object.entries<(value: T) => readonly string[]>(indexes)
  for (const [index] of wordsOf) indexed.set(index, new Map())

  function enter(key: string, value: T): void {
    for (const [index, words] of wordsOf) {
      const places = indexed.get(index)
      for (const word of words(value)) places?.set(word, (places.get(word) ?? new Set()).add(key))
    }
  }

  function leave(key: string, value: T): void {
    for (const [index, words] of wordsOf) {
      const places = indexed.get(index)
      for (const word of words(value)) {
        const keys = places?.get(word)
        keys?.delete(key)
        if (keys?.size === 0) places?.delete(word)
      }
    }
  }

  const get = (key: string): T | null => entries.get(key)?.value ?? null

  return {
    get,
    all: () => Array.from(entries.values(), ({ value }) => value),
    by(index, word) {
      const found: T[] = []
      for (const key of indexed.get(index)?.get(word) ?? []) {
        const value = get(key)
        if (value !== null) found.push(value)
      }
      return found
    },
    size: () => entries.size,
    keys: () => entries.keys(),
    put(key, version, make) {
      const before = entries.get(key)
      if (before && !isNewer(version, before.version)) return
      const value = make()
      if (before) leave(key, before.value)
      entries.set(key, { version, value })
      enter(key, value)
      tell(key, before?.value ?? null, value)
    },
    remove(key, version) {
      const before = entries.get(key)
      if (!before || isNewer(before.version, version)) return
      entries.delete(key)
      leave(key, before.value)
      tell(key, before.value, null)
    },
  }
}
