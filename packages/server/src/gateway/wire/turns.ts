/** Lets only so many go at once for each key; the others wait in the order they came. */
export function makeTurns(atOnce: number) {
  const busy = new Map<string, { going: number; waiting: Set<() => void> }>()

  /** Starts when there is room. Returns the way to make room again, or to wait no longer; it may be called often. */
  return function take(key: string, start: () => void): () => void {
    const turn = busy.get(key) ?? { going: 0, waiting: new Set() }
    busy.set(key, turn)
    let state: 'waiting' | 'going' | 'over' = 'waiting'
    const go = () => {
      turn.waiting.delete(go)
      turn.going += 1
      state = 'going'
      start()
    }
    if (turn.going < atOnce) go()
    else turn.waiting.add(go)

    return () => {
      turn.waiting.delete(go)
      if (state === 'going') {
        turn.going -= 1
        const [next] = turn.waiting
        next?.()
      }
      state = 'over'
      if (turn.going === 0 && turn.waiting.size === 0) busy.delete(key)
    }
  }
}
