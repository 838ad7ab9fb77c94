/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  chance: (share: number) => boolean
  /** One of a list; undefined of an empty one. */
  pick: <T>(list: readonly T[]) => T | undefined
  /** One of a list, by weights that need not add up to anything. */
  weighted: <T extends { weight: number }>(list: readonly T[]) => T | undefined
}

/** The generator mulberry32, whose state is one number. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
    weighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0)
      return list.find(({ weight }) => {
        left -= weight
        return left < 0
      })
    },
  }
}
