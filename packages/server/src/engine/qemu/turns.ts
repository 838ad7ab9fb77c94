import { atMost } from '../../lib/at-most.ts'

/**
 * Runs work that shares an id strictly one after another; work on other ids does not wait. Work on several ids
 * waits for all of them at once, so that no two can wait for each other.
 */
export function makeTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(ids: string | readonly string[], work: () => Promise<T>): Promise<T> => {
    const wanted = typeof ids === 'string' ? [ids] : ids
    const before = wanted.map((id) => last.get(id))
    const turn = Promise.allSettled(before).then(work)
    for (const id of wanted) last.set(id, turn)
    try {
      return await turn
    } finally {
      for (const id of wanted) if (last.get(id) === turn) last.delete(id)
    }
  }
}

export type Turns = ReturnType<typeof makeTurns>

/** Files that are read side by side: each takes a descriptor, and a host may have thousands of machines. */
const SIDE_BY_SIDE = 16

/** Works on all of them, a few at a time, so that their number never uses up the descriptors of the server. */
export function fewAtATime<I, O>(items: readonly I[], work: (item: I) => Promise<O>): Promise<O[]> {
  const withFewOthers = atMost(SIDE_BY_SIDE)
  return together(items.map((item) => withFewOthers(() => work(item))))
}

/** Waits for all of them, also when one fails: then nobody still writes where the caller cleans up. */
export async function together<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
