/** Counts by name; a name with a count of nothing takes no memory. */
export function makeTally() {
  const counts = new Map<string, number>()
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    /** Counts one more of a name. Returns the way to count it no longer, which may be called often. */
    add(name: string): () => void {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      let isCounted = true
      return () => {
        if (!isCounted) return
        isCounted = false
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}
