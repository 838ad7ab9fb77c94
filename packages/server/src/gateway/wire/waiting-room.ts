/**
 * Those who have come in and not said yet who they are. There are only so many places, and a newcomer always gets one:
 * when all are taken, whoever waits longest of the address with the most of them has to go. So somebody who fills the
 * room from a few addresses drops connections of their own, and people who come meanwhile get in.
 */
export function makeWaitingRoom(places: number) {
  /** By address, each in the order they came: the way to end them. */
  const waiting = new Map<string, Set<() => void>>()
  let count = 0

  function leave(source: string, end: () => void): void {
    const here = waiting.get(source)
    if (!here?.delete(end)) return
    count -= 1
    if (here.size === 0) waiting.delete(source)
  }

  function makeRoom(): void {
    let most: readonly [string, Set<() => void>] | null = null
    for (const entry of waiting) if (most === null || entry[1].size > most[1].size) most = entry
    if (most === null) return
    const [source, here] = most
    const [oldest] = here
    if (!oldest) return
    leave(source, oldest)
    oldest()
  }

  return {
    /** How many wait from one address. */
    of: (source: string): number => waiting.get(source)?.size ?? 0,
    /** Takes a place; `end` is called when it is needed for somebody else. Returns the way to leave. */
    enter(source: string, end: () => void): () => void {
      if (count >= places) makeRoom()
      const own = () => end()
      const here = waiting.get(source) ?? new Set()
      waiting.set(source, here.add(own))
      count += 1
      return () => leave(source, own)
    },
  }
}
