/** How far long work is, by the id of what is being made. Kept in memory: nobody needs it after a restart. */
export interface Progress {
  /** From 0 to 1; null while nobody knows. */
  of: (id: string) => number | null
  /** Returns whether it changed enough to tell anybody. */
  set: (id: string, fraction: number | null) => boolean
  end: (id: string) => void
}

export function makeProgress(): Progress {
  const fractions = new Map<string, number | null>()
  return {
    of: (id) => fractions.get(id) ?? null,
    set(id, fraction) {
      const before = fractions.get(id) ?? null
      const percent = fraction === null ? null : Math.floor(Math.min(1, Math.max(0, fraction)) * 100) / 100
      fractions.set(id, percent)
      return percent !== before
    },
    end: (id) => void fractions.delete(id),
  }
}
