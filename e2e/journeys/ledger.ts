/** What a server has acknowledged about objects, while it may be killed under every call. */
export interface Ledger {
  /** The creation was answered: the object must be there until its deletion is requested. */
  created: (id: string) => void
  /** Calls `remove`, which resolves with null when no answer came. An answered deletion is final. */
  deletes: (id: string, remove: () => Promise<unknown>) => Promise<void>
  /** What the server has forgotten or brought back, given the ids of all objects that it lists; one line each. */
  brokenBy: (listed: readonly string[]) => string[]
}

export function makeLedger(): Ledger {
  const kept = new Set<string>()
  const deleted = new Set<string>()
  return {
    created: (id) => void kept.add(id),
    async deletes(id, remove) {
      kept.delete(id)
      if ((await remove()) !== null) deleted.add(id)
    },
    brokenBy: (listed) => [
      ...[...kept].filter((id) => !listed.includes(id)).map((id) => `${id} was created and is lost`),
      ...[...deleted].filter((id) => listed.includes(id)).map((id) => `${id} was deleted and is back`),
    ],
  }
}
