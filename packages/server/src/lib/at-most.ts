/** Lets so many pieces of work run at once; the others wait, first come first served. */
export function atMost(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The place is handed on.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
