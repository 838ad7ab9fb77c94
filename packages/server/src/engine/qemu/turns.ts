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

/** Waits for all of them, also when one fails: then nobody still writes where the caller cleans up. */
export async function together(work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work)
  await Promise.all(work)
}
